import { SIGNATURE_SCHEMES } from '../../../../shared/contract/step-types/triggers/webhook.ts'
import { Button, ButtonLink } from '../../../components/controls/button.tsx'
import { Field, TextArea, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { Plus } from '../../../lib/icons.tsx'
import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { frameOf } from '../fields/form-fields.tsx'
import { asDictionary, asTemplate, orAbsent } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'
import { useEditor } from '../state/editor-context.tsx'

type Scheme = (typeof SIGNATURE_SCHEMES)[number]

const NONE = 'none'

const SCHEMES: { readonly [S in Scheme]: { readonly label: English; readonly hint: English } } = {
  standard_webhooks: {
    label: english('Standard Webhooks'),
    hint: english('Checks webhook-signature with a secret (whsec_…) or a public key (whpk_…).'),
  },
  github: {
    label: english('GitHub'),
    hint: english('Checks X-Hub-Signature-256. Duplicate deliveries don’t run again.'),
  },
  stripe: {
    label: english('Stripe'),
    hint: english('Checks Stripe-Signature with the endpoint’s signing secret.'),
  },
  slack: {
    label: english('Slack'),
    hint: english('Checks X-Slack-Signature with the app’s signing secret.'),
  },
  discord: {
    label: english('Discord'),
    hint: english('Checks X-Signature-Ed25519. Enter the application’s public key as the secret.'),
  },
  gitlab: {
    label: english('GitLab'),
    hint: english(
      'Checks the signature with the signing token (whsec_…), or X-Gitlab-Token with the secret token.',
    ),
  },
  meta: {
    label: english('Meta (Facebook, Instagram, WhatsApp)'),
    hint: english('Checks X-Hub-Signature-256 with the app secret.'),
  },
  shopify: {
    label: english('Shopify'),
    hint: english('Checks X-Shopify-Hmac-Sha256 with the app’s client secret.'),
  },
  square: {
    label: english('Square'),
    hint: english(
      'Checks the URL and body with the signature key. The public URL must be the one that Square calls.',
    ),
  },
  twilio: {
    label: english('Twilio'),
    hint: english(
      'Checks the URL and form with the auth token. The public URL must be the one that Twilio calls.',
    ),
  },
  x: {
    label: english('X (Twitter)'),
    hint: english('Checks X-Twitter-Webhooks-Signature with the app’s consumer secret.'),
  },
  zoom: {
    label: english('Zoom'),
    hint: english('Checks X-Zm-Signature with the app’s secret token.'),
  },
  hmac: {
    label: english('Custom HMAC'),
    hint: english('Checks a header with an HMAC of the body. Describe it below.'),
  },
}

/** Fields with their own control, which shows their message. */
const FIELDS = [
  'secret',
  'tolerance_seconds',
  'header',
  'prefix',
  'algorithm',
  'encoding',
  'timestamp_header',
  'id_header',
] as const

/** The fields for how callers sign their requests; none if they don't. */
export function SignatureFields(props: StepFormProps) {
  const { config, onChange, errorOf } = props
  const signature = asDictionary(config.signature)
  const scheme = SIGNATURE_SCHEMES.find((known) => known === signature.scheme) ?? null
  const set = (patch: Readonly<Record<string, unknown>>) =>
    onChange({
      signature: Object.fromEntries(
        Object.entries({ ...signature, ...patch }).filter(([, value]) => value !== undefined),
      ),
    })
  const choose = (next: Scheme | typeof NONE) => {
    if (next === NONE) onChange({ signature: null })
    else
      onChange({
        signature: {
          scheme: next,
          secret: asTemplate(signature.secret),
          ...(next === 'hmac' ? { header: 'X-Signature' } : {}),
        },
      })
  }
  return (
    <fieldset className="flex flex-col gap-4">
      <Field
        {...frameOf(props, 'signature')}
        hint={
          scheme === null
            ? t('Rejects requests that aren’t signed with the secret, before the flow runs.')
            : t(SCHEMES[scheme].hint)
        }
        error={FIELDS.some((name) => errorOf(`signature.${name}`)) ? undefined : errorOf('signature')}
      >
        <Select
          value={scheme ?? NONE}
          onChange={choose}
          options={[
            { value: NONE, label: t('None') },
            ...SIGNATURE_SCHEMES.map((value) => ({ value, label: t(SCHEMES[value].label) })),
          ]}
        />
      </Field>
      {scheme === null ? null : (
        <>
          <TokenAsWell />
          <Field
            label={t('Secret')}
            aside={
              <ButtonLink
                look="quiet"
                icon={Plus}
                className="-my-1 -mr-2.5"
                to="/env-variables"
                search={{ edit: 'new' }}
              >
                {t('New variable')}
              </ButtonLink>
            }
            hint={t('A secret variable in braces. While you rotate the secret, enter one per line.')}
            error={errorOf('signature.secret')}
          >
            <TextArea
              mono
              rows={1}
              placeholder={`{{ ${OWN_WORD[scheme] ?? scheme}_secret }}`}
              value={asTemplate(signature.secret)}
              onChange={(secret) => set({ secret })}
            />
          </Field>
          <Field
            label={t('Timestamp tolerance (seconds)')}
            className="max-w-96"
            hint={t('Applies to schemes with a timestamp. Default: 300.')}
            error={errorOf('signature.tolerance_seconds')}
          >
            <TextInput
              inputMode="numeric"
              className="w-40"
              placeholder="300"
              value={asTemplate(signature.tolerance_seconds)}
              onChange={(text) =>
                set({ tolerance_seconds: /^\d{1,6}$/.test(text) ? Number(text) : orAbsent(text) })
              }
            />
          </Field>
          {scheme === 'hmac' ? <HmacFields {...{ signature, set, errorOf }} /> : null}
        </>
      )}
    </fieldset>
  )
}

/** Labels of the schemes that aren't named after a service. */
const OWN_WORD: { readonly [S in Scheme]?: string } = { standard_webhooks: 'webhook', hmac: 'webhook' }

/** Services that sign can't send the token, and every request of theirs would be rejected. */
function TokenAsWell() {
  const isRequired = useEditor((state) => state.history?.present.settings.webhook_token_enabled)
  const changed = useEditor((state) => state.changed)
  if (isRequired !== true) return null
  const drop = () =>
    changed((draft) => ({ ...draft, settings: { ...draft.settings, webhook_token_enabled: false } }))
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded border border-line bg-retrying-soft px-3 py-2">
      <p className="min-w-0 flex-1 basis-48">
        {t('Callers also need the webhook token, which most services can’t send.')}
      </p>
      <Button onClick={drop}>{t('Require only the signature')}</Button>
    </div>
  )
}

interface PartProps {
  readonly signature: Readonly<Record<string, unknown>>
  readonly set: (patch: Readonly<Record<string, unknown>>) => void
  readonly errorOf: StepFormProps['errorOf']
}

const ALGORITHMS = ['sha256', 'sha1', 'sha384', 'sha512'] as const
const ENCODINGS = ['hex', 'base64'] as const

function HmacFields({ signature, set, errorOf }: PartProps) {
  const algorithm = ALGORITHMS.find((known) => known === signature.algorithm) ?? 'sha256'
  const encoding = ENCODINGS.find((known) => known === signature.encoding) ?? 'hex'
  return (
    <div className="grid max-w-3xl grid-cols-2 gap-3">
      <Text
        name="header"
        label={t('Signature header')}
        placeholder="X-Signature"
        {...{ signature, set, errorOf }}
      />
      <Text name="prefix" label={t('Prefix')} placeholder="sha256=" {...{ signature, set, errorOf }} />
      <Field label={t('Algorithm')} error={errorOf('signature.algorithm')}>
        <Select
          value={algorithm}
          onChange={(next) => set({ algorithm: next })}
          options={ALGORITHMS.map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </Field>
      <Field label={t('Encoding')} error={errorOf('signature.encoding')}>
        <Select
          value={encoding}
          onChange={(next) => set({ encoding: next })}
          options={ENCODINGS.map((value) => ({ value, label: value }))}
        />
      </Field>
      <Text
        name="timestamp_header"
        label={t('Timestamp header')}
        hint={t('In seconds. The signed value is then the timestamp, a dot and the body.')}
        {...{ signature, set, errorOf }}
      />
      <Text
        name="id_header"
        label={t('Delivery ID header')}
        hint={t('Duplicates get the same response and don’t run again.')}
        {...{ signature, set, errorOf }}
      />
    </div>
  )
}

interface TextProps extends PartProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
}

function Text({ name, label, hint, placeholder, signature, set, errorOf }: TextProps) {
  return (
    <Field label={label} error={errorOf(`signature.${name}`)} hint={hint}>
      <TextInput
        mono
        value={asTemplate(signature[name])}
        onChange={(text) => set({ [name]: orAbsent(text) })}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
    </Field>
  )
}
