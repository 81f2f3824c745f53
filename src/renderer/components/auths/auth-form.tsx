import { ChevronRight } from '../../lib/icons.tsx'
import { lazy, type ReactElement, Suspense, useState } from 'react'
import { type ConnectorAuth, VAULT_TYPES } from '../../../shared/contract/connector-auths.ts'
import { type Connector, grantOf, serverKindOf } from '../../../shared/contract/connectors.ts'
import { providerOf } from '../../../shared/sign-in/index.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { fieldsOf } from '../../api/failure.ts'
import { Button } from '../controls/button.tsx'
import { Combo } from '../controls/combo.tsx'
import { DictionaryField } from '../controls/dictionary-field.tsx'
import { Field, TextArea, TextInput } from '../controls/field.tsx'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { Card } from '../screen/page.tsx'
import { ServiceMark } from '../services/service-mark.tsx'
import { Select } from '../controls/select.tsx'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { readAuthFields } from '../../lib/schema-fields.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { allowedTypes, AUTH_TYPE_WORDS, fieldsOfType, SECRET_FIELDS, USERNAME_LABELS } from './auth-draft.ts'
import type { AuthDraft } from './auth-draft.ts'
import { AccessCard } from './access-card.tsx'
import { VaultField } from './vault-field.tsx'

const SignInGuide = lazy(async () => ({ default: (await import('./sign-in-guide.tsx')).SignInGuide }))

interface AuthFormProps {
  readonly draft: AuthDraft
  readonly auth: ConnectorAuth | undefined
  readonly connectors: readonly Connector[]
  readonly failure: AppError | null
  readonly onChange: (patch: Partial<AuthDraft>) => void
  /** Stores the draft. Null if that failed. */
  readonly keep: () => Promise<ConnectorAuth | null>
  /** Folds settings that most auths don't need. */
  readonly brief?: boolean
  /** Whether the connector can't be changed, even before the auth is saved. */
  readonly connectorGiven?: boolean
}

export function AuthForm({
  draft,
  auth,
  connectors,
  failure,
  onChange,
  keep,
  brief = false,
  connectorGiven = false,
}: AuthFormProps) {
  const errors = fieldsOf(failure)
  const connector = connectors.find((one) => one.id === draft.connector_id)
  const fields = readAuthFields(connector?.auth_config.auth_form)
  const labelled = new Map(fields.map((field) => [field.name, field]))
  const signsIn = draft.auth_type === 'oauth2' && hasSignIn(connector)
  const usernameLabel = USERNAME_LABELS[draft.auth_type]
  const typeFields = fieldsOfType(draft.auth_type)
  const ownKeys = new Set([...OWN_KEYS, ...typeFields.map(({ name }) => name)])
  const ownFields = fields.filter((field) => !ownKeys.has(field.name))
  const clients = signsIn ? clientFields(connector) : []
  const isGuided = isGuidedBy(draft.auth_type, connector)
  const [unfolded, setUnfolded] = useState(false)
  const isOpen =
    !brief || unfolded || ownFields.some(({ required }) => required) || Object.keys(errors).length > 0

  const canRefer =
    VAULT_TYPES.has(draft.auth_type) &&
    serverKindOf(draft.connector_id, draft.api_endpoint || (connector?.base_domain ?? '')) === null
  const fromVault = (name: string, label: string, field: ReactElement) =>
    canRefer ? (
      <VaultField
        key={name}
        name={name}
        label={label}
        auth={auth}
        references={draft.references}
        error={errors[`references.${name}`]?.[0]}
        onChange={(references) => onChange({ references, ...withoutSecret(name, draft) })}
      >
        {field}
      </VaultField>
    ) : (
      field
    )
  const inputFields = (shown: readonly SchemaField[], owner: Connector | undefined) =>
    shown.map((field) => {
      const form = (
        <SchemaForm
          key={field.name}
          connector={owner}
          fields={[field]}
          values={draft.user_input}
          isStored={(path) => auth?.secrets[`user_input.${path}`] === true}
          onChange={(user_input) => onChange({ user_input })}
        />
      )
      return field.secret ? fromVault(`user_input.${field.name}`, field.label, form) : form
    })

  const connectorField = (
    <Field
      label={t('Connector')}
      error={errors.connector_id?.[0]}
      {...(auth === undefined ? {} : { hint: t('The connector can’t be changed later.') })}
    >
      <Combo
        value={draft.connector_id}
        disabled={auth !== undefined || connectorGiven}
        placeholder={t('Choose a connector')}
        onChange={(id) => {
          const chosen = connectors.find((one) => one.id === id)
          const [first = 'bearer'] = allowedTypes(chosen)
          onChange({
            connector_id: id,
            auth_type: allowedTypes(chosen).includes(draft.auth_type) ? draft.auth_type : first,
            ...(draft.name === '' && chosen !== undefined
              ? { name: t('{{name}} connector auth', { name: chosen.name }) }
              : {}),
          })
        }}
        options={connectors.map((one) => ({
          value: one.id,
          label: one.name,
          hint: translateConnectorText(one.short_description, one),
        }))}
      />
    </Field>
  )
  const nameField = (
    <Field label={t('Name')} error={errors.name?.[0]}>
      <TextInput
        value={draft.name}
        onChange={(name) => onChange({ name })}
        placeholder={t('For example, “Production account”')}
      />
    </Field>
  )
  const typeField = (
    <Field label={t('Type')} error={errors.auth_type?.[0]}>
      <Select
        value={draft.auth_type}
        onChange={(auth_type) => onChange({ auth_type })}
        options={allowedTypes(connector).map((value) => ({
          value,
          label: t(AUTH_TYPE_WORDS[value].label),
          hint: t(AUTH_TYPE_WORDS[value].hint),
        }))}
      />
    </Field>
  )
  const credentials =
    draft.auth_type === 'none' || signsIn ? null : (
      <div
        // The name and the connector are usually known already.
        {...(brief && draft.name !== '' ? { 'data-first-focus': '' } : {})}
        className="flex flex-col gap-4"
      >
        {auth?.state === 'needs_reentry' ? (
          <p className="text-retrying">
            {auth.new_origins === undefined
              ? t(
                  'The stored secret can’t be read on this computer. Enter it again. Everything else is kept.',
                )
              : t(
                  'This connector auth now points to {{origins}}, where its secrets have never been sent. Check that the URL is right, then enter all secrets again.',
                  { origins: auth.new_origins.join(', ') },
                )}
          </p>
        ) : null}
        {usernameLabel === undefined ? null : (
          <Field label={t(usernameLabel)} error={errors.username?.[0]}>
            <TextInput value={draft.username} onChange={(username) => onChange({ username })} />
          </Field>
        )}
        {SECRET_FIELDS[draft.auth_type].map(({ key, label }) =>
          fromVault(
            key,
            labelled.get(key)?.label ?? t(label),
            <SecretField
              key={key}
              label={labelled.get(key)?.label ?? t(label)}
              hint={labelled.get(key)?.help ?? ''}
              value={draft[key]}
              isSet={auth?.secrets[key] === true}
              error={errors[key]?.[0]}
              onChange={(value) => onChange({ [key]: value })}
            />,
          ),
        )}
        {inputFields(typeFields, undefined)}
      </div>
    )

  return (
    <>
      {brief ? (
        <Card stacked>
          {connectorGiven && connector !== undefined ? <Service connector={connector} /> : connectorField}
          {allowedTypes(connector).length > 1 ? typeField : null}
          {credentials}
          {nameField}
        </Card>
      ) : (
        <>
          <Card stacked title={t('Connector auth')}>
            {connectorField}
            {nameField}
            {typeField}
          </Card>
          {credentials === null ? null : (
            <Card stacked title={t('Credentials')}>
              {credentials}
            </Card>
          )}
        </>
      )}
      {isGuided && connector !== undefined ? (
        <Suspense>
          <SignInGuide
            key={connector.id}
            connector={connector}
            auth={auth}
            input={draft.user_input}
            onChange={(user_input) => onChange({ user_input })}
            keep={keep}
          />
        </Suspense>
      ) : signsIn ? (
        <Card stacked title={t('Your app at the API provider')}>
          <SchemaForm
            connector={connector}
            fields={clients}
            values={draft.user_input}
            isStored={(path) => auth?.secrets[`user_input.${path}`] === true}
            onChange={(user_input) => onChange({ user_input })}
          />
        </Card>
      ) : null}
      {isOpen ? null : (
        <Button look="quiet" className="self-start" aria-expanded={false} onClick={() => setUnfolded(true)}>
          <ChevronRight size={13} aria-hidden />
          {t('Advanced: more fields, tags, access')}
        </Button>
      )}
      {isOpen ? (
        <>
          <Card stacked title={t('Advanced')}>
            {inputFields(ownFields, connector)}
            <DictionaryField
              typed
              label={ownFields.length === 0 ? t('Connector fields') : t('More connector fields')}
              noun={t('value')}
              hint={t(
                'Used by the connector as auth.user_input. The keys client_secret, secret and key are stored as secrets.',
              )}
              error={errors.user_input?.[0]}
              value={withoutFields(draft.user_input, [...clients, ...typeFields, ...ownFields])}
              onChange={(others) =>
                onChange({
                  user_input: {
                    ...onlyFields(draft.user_input, [...clients, ...typeFields, ...ownFields]),
                    ...others,
                  },
                })
              }
            />
            <Field
              label={t('Base URL override')}
              optional
              hint={t(
                'Replaces the connector’s base URL. It can include a login, as in sftp://user:password@host/path. The password is then shown as ***. The username and password fields above take precedence.',
              )}
              error={errors.api_endpoint?.[0]}
            >
              <TextInput
                mono
                value={draft.api_endpoint}
                onChange={(api_endpoint) => onChange({ api_endpoint })}
              />
            </Field>
            <Field label={t('Advanced (JSON)')} optional error={errors.auth_details?.[0]}>
              <TextArea value={draft.auth_details} onChange={(auth_details) => onChange({ auth_details })} />
            </Field>
            <Field label={t('Tags')} optional hint={t('Comma-separated.')} error={errors.tags?.[0]}>
              <TextInput
                value={draft.tags.join(', ')}
                onChange={(text) =>
                  onChange({
                    tags: text.split(/,\s*/).filter((tag, at, all) => tag !== '' || at === all.length - 1),
                  })
                }
                onBlur={() => onChange({ tags: draft.tags.filter((tag) => tag.trim() !== '') })}
              />
            </Field>
          </Card>
          <AccessCard
            access={draft.access}
            error={errors['access.user_ids']?.[0] ?? errors.access?.[0]}
            onChange={(access) => onChange({ access })}
          />
        </>
      ) : null}
    </>
  )
}

/** If a secret is kept elsewhere, text typed into its field isn't sent along with the reference. */
function withoutSecret(name: string, { user_input: input }: AuthDraft): Partial<AuthDraft> {
  if (!name.startsWith('user_input.')) return { [name]: '' }
  const { [name.slice('user_input.'.length)]: _typed, ...others } = input
  return { user_input: others }
}

/** The service that the credentials are for. */
function Service({ connector }: { readonly connector: Connector }) {
  return (
    <div className="flex items-center gap-3">
      <ServiceMark connector={connector} size={36} />
      <div className="min-w-0">
        <p className="truncate text-lg font-semibold">{connector.name}</p>
        <p className="truncate text-sm text-muted">
          {translateConnectorText(connector.short_description, connector)}
        </p>
      </div>
    </div>
  )
}

/** Keys of the record itself, which have their own fields above. */
const OWN_KEYS = new Set(['auth_token', 'username', 'password', 'refresh_token', 'api_endpoint'])

interface SecretFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  /** Whether a value is stored; it is kept unless another one is entered. */
  readonly isSet: boolean
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function SecretField({ label, hint, value, isSet, error, onChange }: SecretFieldProps) {
  return (
    <Field
      label={label}
      error={error}
      hint={
        isSet
          ? t('Stored encrypted. Leave empty to keep it.')
          : hint || t('Stored encrypted and never shown again.')
      }
    >
      <TextInput
        mono
        type="password"
        autoComplete="new-password"
        value={value}
        placeholder={isSet ? '••••••••' : ''}
        onChange={onChange}
      />
    </Field>
  )
}

/** Whether tokens come from a sign-in; otherwise they are entered by hand. */
export function hasSignIn(connector: Connector | undefined): boolean {
  const config = connector?.auth_config ?? {}
  return ['access_url', 'step3_access_url'].some(
    (key) => typeof config[key] === 'string' && config[key] !== '',
  )
}

/** Whether the form guides the user through the sign-in, step by step. */
export function isGuidedBy(type: AuthDraft['auth_type'], connector: Connector | undefined): boolean {
  return (
    type === 'oauth2' && connector !== undefined && providerOf(connector) !== null && needsUser(connector)
  )
}

const needsUser = (connector: Connector) => grantOf(connector) === 'authorization_code'

/** The user's own app at the API, if the connector doesn't include one. */
function clientFields(connector: Connector | undefined): readonly SchemaField[] {
  const isThere = typeof connector?.auth_config['client_id'] === 'string'
  const schema = [
    {
      name: 'client_id',
      label: t('Client ID'),
      required: !isThere,
      help: isThere
        ? t('Leave empty to use the connector’s URL.')
        : t('Copy it from your app at the API provider.'),
    },
    { name: 'client_secret', label: t('Client secret'), type: 'password' },
    {
      name: 'scope',
      label: t('Scope'),
      help: t('Scopes, separated by spaces. Leave empty to use the connector’s scopes.'),
    },
  ]
  const guided = connector !== undefined && providerOf(connector) !== null ? [{ name: 'tenant' }] : []
  return readAuthFields([...schema, ...guided])
}

function onlyFields(input: Readonly<Record<string, unknown>>, fields: readonly SchemaField[]) {
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => fields.some((field) => field.name === key)),
  )
}

function withoutFields(input: Readonly<Record<string, unknown>>, fields: readonly SchemaField[]) {
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => !fields.some((field) => field.name === key)),
  )
}
