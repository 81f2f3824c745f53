import { type Connector, grantOf, hasUser } from '../../../shared/contract/connectors.ts'
import { redirectUrlOf } from '../../../shared/sign-in/index.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { Card } from '../../components/screen/page.tsx'
import { Select } from '../../components/controls/select.tsx'
import { t } from '../../lib/i18n.ts'

type AuthConfig = Connector['auth_config']

interface OAuthCardProps {
  readonly connector: Connector
  readonly readOnly: boolean
  readonly errorOf: (key: string) => string | undefined
  readonly onChange: (config: AuthConfig) => void
}

/** How users sign in to the API with OAuth 2.0, and where that deviates from the standard. */
export function OAuthCard({ connector, readOnly, errorOf, onChange }: OAuthCardProps) {
  const config = connector.auth_config
  const textOf = (...keys: readonly string[]) => {
    const value = keys.map((key) => config[key]).find((one) => one !== undefined && one !== '')
    if (Array.isArray(value)) return value.join(' ')
    return typeof value === 'string' ? value : ''
  }
  const set = (key: string, value: unknown) => {
    const { [key]: _before, ...others } = config
    onChange(value === undefined || value === '' ? others : { ...config, [key]: value })
  }
  const text = (
    key: string,
    label: string,
    more: { hint?: string; optional?: boolean; alias?: string } = {},
  ) => (
    <Field
      label={label}
      error={errorOf(key)}
      optional={more.optional ?? false}
      {...(more.hint === undefined ? {} : { hint: more.hint })}
    >
      <TextInput
        mono
        value={textOf(key, more.alias ?? key)}
        onChange={(value) =>
          set(
            more.alias !== undefined && config[key] === undefined && config[more.alias] !== undefined
              ? more.alias
              : key,
            value,
          )
        }
      />
    </Field>
  )
  const grant = grantOf(connector)
  const needsNobody = !hasUser(connector)
  const hasCallback = grant === 'authorization_code'
  const redirectUri = redirectUrlOf(connector, location.origin)

  return (
    <Card stacked title={t('OAuth 2.0')}>
      <Field label={t('Grant type')} error={errorOf('grant_type')}>
        <Select
          disabled={readOnly}
          value={grant}
          onChange={(grant) => set('grant_type', grant)}
          options={[
            {
              value: 'authorization_code',
              label: t('Authorization code'),
              hint: t('Users sign in at the API provider, with PKCE'),
            },
            {
              value: 'device_code',
              label: t('Device code'),
              hint: t('Users enter a code in any browser, on any device'),
            },
            {
              value: 'client_credentials',
              label: t('Client credentials'),
              hint: t('No user sign-in: the app itself gets tokens'),
            },
            {
              value: 'jwt_bearer',
              label: t('Service account'),
              hint: t('No user sign-in: a private key signs a JWT'),
            },
            {
              value: 'token_exchange',
              label: t('Token exchange'),
              hint: t('No user sign-in: a token from another issuer is exchanged'),
            },
          ]}
        />
      </Field>
      {hasCallback
        ? text('authorization_url', t('Authorization URL'), {
            hint: t('A template that can use auth, like all URLs and parameters here.'),
            alias: 'step1_authorize_url',
          })
        : null}
      {grant === 'device_code' ? text('device_authorization_url', t('Device authorization URL')) : null}
      {text('access_url', t('Token URL'), { alias: 'step3_access_url' })}
      {text('token_refresh_url', t('Refresh URL'), {
        optional: true,
        hint: t('Needed only if it differs from the token URL.'),
      })}
      <div className="grid grid-cols-2 gap-3">
        {text('client_id', t('Client ID'), {
          optional: true,
          hint: t('Copy it from your app at the API provider. A connector auth can override it.'),
        })}
        <Field
          label={t('Client secret')}
          optional
          hint={t('Stored encrypted and never shown again. Leave empty to keep the stored value.')}
          error={errorOf('client_secret')}
        >
          <TextInput
            mono
            type="password"
            autoComplete="new-password"
            value={textOf('client_secret')}
            onChange={(value) => set('client_secret', value)}
          />
        </Field>
      </div>
      {text('scope', t('Scope'), {
        optional: true,
        hint: t('Scopes, separated by spaces.'),
        alias: 'scopes',
      })}
      {hasCallback ? (
        <Field
          label={t('Redirect URL')}
          hint={t('Register this URL with your app at the API provider. It depends on the connector’s name.')}
          aside={<CopyIcon label={t('Copy redirect URL')} text={redirectUri} />}
        >
          <TextInput mono readOnly value={redirectUri} />
        </Field>
      ) : null}
      <details>
        <summary className="w-fit cursor-default rounded-sm font-medium">{t('Advanced')}</summary>
        <div className="flex flex-col gap-4 pt-3">
          <Switch
            label={t('Send client ID and secret in a header')}
            hint={t(
              'client_id_and_secret_in_headers: sends them as Authorization: Basic instead of in the body.',
            )}
            disabled={readOnly}
            checked={config['client_id_and_secret_in_headers'] === true}
            onChange={(on) => set('client_id_and_secret_in_headers', on || undefined)}
          />
          {hasCallback ? (
            <Switch
              label={t('Use PKCE')}
              hint={t('Turn off for servers that reject it.')}
              disabled={readOnly}
              checked={config['pkce'] !== false}
              onChange={(on) => set('pkce', on ? undefined : false)}
            />
          ) : null}
          {hasCallback
            ? text('alternative_code_key', t('Code parameter'), {
                optional: true,
                hint: t('alternative_code_key: the name of the code parameter, if it isn’t “code”.'),
              })
            : null}
          {needsNobody ? null : (
            <DictionaryField
              label={t('More authorization parameters')}
              noun={t('parameter')}
              hint={t('extra_authorization_url, for example access_type = offline.')}
              error={errorOf('extra_authorization_url')}
              value={parametersOf(config['extra_authorization_url'])}
              onChange={(value) => set('extra_authorization_url', orNothing(value))}
            />
          )}
          <DictionaryField
            label={t('More fields of the token request')}
            noun={t('field')}
            hint="extra_access_url"
            error={errorOf('extra_access_url')}
            value={parametersOf(config['extra_access_url'])}
            onChange={(value) => set('extra_access_url', orNothing(value))}
          />
        </div>
      </details>
    </Card>
  )
}

/** `access_type=offline&prompt=consent` is accepted as well as an object. */
function parametersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') return Object.fromEntries(new URLSearchParams(value.replace(/^[?&]/, '')))
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function orNothing(value: Record<string, unknown>): Record<string, unknown> | undefined {
  return Object.keys(value).length === 0 ? undefined : value
}
