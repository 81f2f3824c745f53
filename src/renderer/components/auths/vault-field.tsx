import type { ReactNode } from 'react'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { REFERENCE_KINDS, type ReferenceKind } from '../../../shared/contract/base/secret-references.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { SETTINGS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { english, t, type English } from '../../lib/i18n.ts'
import { Field, Switch, TextInput } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'
import type { AuthDraft } from './auth-draft.ts'

interface VaultFieldProps {
  /** The field that the reference belongs to: `auth_token`, `user_input.secret`. */
  readonly name: string
  readonly label: string
  readonly auth: ConnectorAuth | undefined
  readonly references: AuthDraft['references']
  readonly error: string | undefined
  readonly onChange: (references: AuthDraft['references']) => void
  /** The field for the secret itself. */
  readonly children: ReactNode
}

/**
 * A secret, or a reference to the place that it is read from whenever it is used. Only the app on this computer can set
 * a reference.
 */
export function VaultField(props: VaultFieldProps) {
  const { name, label, auth, children } = props
  const stored = auth?.references?.[name]
  if (useApi().remote === null) return <LocalVaultField {...props} stored={stored} />
  if (stored === undefined) return children
  return (
    <Field
      label={label}
      hint={t(
        'Millrace reads the secret when a call needs it. To change its source, use the app on the computer that runs Millrace.',
      )}
    >
      <TextInput mono readOnly value={stored} />
    </Field>
  )
}

function LocalVaultField({
  name,
  label,
  auth,
  stored,
  references,
  error,
  onChange,
  children,
}: VaultFieldProps & { readonly stored: string | undefined }) {
  const known = kindsIn(useResource(SETTINGS).data)
  const typed = references[name]
  const isOn = typed === undefined ? stored !== undefined : typed !== null
  // If the auth now points to another origin, the reference must be entered again.
  const shown = typed ?? (auth?.state === 'needs_reentry' ? '' : (stored ?? ''))
  const kind = kindOf(shown) ?? kindOf(stored ?? '') ?? known[0] ?? 'file'
  const set = (reference: string) => onChange({ ...references, [name]: reference })

  function turn(on: boolean) {
    const { [name]: _typed, ...others } = references
    if (on && stored === undefined) set(PREFIX[known[0] ?? 'file'])
    else onChange(on || stored === undefined ? others : { ...others, [name]: null })
  }

  return (
    <div className="flex flex-col gap-2">
      {isOn ? (
        <>
          <Field label={t('Vault of {{label}}', { label })}>
            <Select
              value={kind}
              onChange={(next) => set(`${PREFIX[next]}${placeIn(shown)}`)}
              options={REFERENCE_KINDS.filter((one) => one === kind || known.includes(one)).map((one) => ({
                value: one,
                label: t(VAULTS[one].label),
              }))}
            />
          </Field>
          <Field label={label} error={error} hint={t(VAULTS[kind].hint)}>
            <TextInput
              mono
              value={placeIn(shown)}
              placeholder={placeIn(stored ?? VAULTS[kind].example)}
              onChange={(place) => set(`${PREFIX[kind]}${place}`)}
            />
          </Field>
        </>
      ) : (
        children
      )}
      <Switch label={t('From a vault')} checked={isOn} onChange={turn} />
    </div>
  )
}

/** The kinds that the settings allow. */
function kindsIn(settings: Settings | null): readonly ReferenceKind[] {
  if (settings === null) return []
  const has = (name: string) =>
    settings.programs.some((program) => program.name === name && program.for_secrets === true)
  const isAllowed: Readonly<Record<ReferenceKind, boolean>> = {
    op: has('op'),
    bw: has('bw'),
    pass: has('pass'),
    keychain: has('security') || has('secret-tool'),
    env: settings.secret_environment.length > 0,
    file: true,
  }
  return REFERENCE_KINDS.filter((kind) => isAllowed[kind])
}

const PREFIX: Readonly<Record<ReferenceKind, string>> = {
  op: 'op://',
  bw: 'bw:',
  pass: 'pass:',
  keychain: 'keychain:',
  env: 'env:',
  file: 'file:',
}

const kindOf = (text: string) => REFERENCE_KINDS.find((kind) => text.startsWith(PREFIX[kind]))

function placeIn(text: string): string {
  const kind = kindOf(text)
  return kind === undefined ? text : text.slice(PREFIX[kind].length)
}

const VAULTS: Readonly<Record<ReferenceKind, { label: English; example: string; hint: English }>> = {
  op: {
    label: english('1Password'),
    example: 'op://Work/Shop/credential',
    hint: english(
      'Enter the vault, item and field. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
  bw: {
    label: english('Bitwarden'),
    example: 'bw:Shop',
    hint: english(
      'Enter an item, or an item and a field. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
  pass: {
    label: english('pass'),
    example: 'pass:work/shop',
    hint: english(
      'Enter the path of the entry whose first line is the secret. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
  keychain: {
    label: english('Keychain'),
    example: 'keychain:shop/ann',
    hint: english(
      'Enter the service and account. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
  env: {
    label: english('Environment variable'),
    example: 'env:SHOP_TOKEN',
    hint: english(
      'Enter a variable that is allowed in Settings. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
  file: {
    label: english('File'),
    example: 'file:/home/ann/.secrets/shop',
    hint: english(
      'Enter the full path of a file that only you can read. Millrace reads the secret when a call needs it, and never stores it.',
    ),
  },
}
