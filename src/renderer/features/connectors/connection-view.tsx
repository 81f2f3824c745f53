import { AUTH_TYPES } from '../../../shared/contract/connectors.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { faultInList, fieldsOf } from '../../api/failure.ts'
import { AUTH_TYPE_WORDS } from '../../components/auths/auth-draft.ts'
import { Combo } from '../../components/controls/combo.tsx'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { Field, Switch, TextArea, TextInput } from '../../components/controls/field.tsx'
import { Card, Column } from '../../components/screen/page.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { FormSchemaEditor } from '../../components/schema-form/form-schema-editor.tsx'
import { OAuthCard } from './oauth-card.tsx'
import { toPath } from './path-parameters.ts'
import type { ConnectorViewProps } from './view-props.ts'

type Header = NonNullable<Connector['header']>

const DEFAULT_HEADER: Header = {
  token_in_header: true,
  header_key: 'Authorization',
  token_prefix: '{{ token }}',
  content_type: 'application/json',
  custom_headers: {},
}

/** Null if there are no digits. */
function numberOf(text: string): number | null {
  const digits = text.replaceAll(/\D/g, '').slice(0, 9)
  return digits === '' ? null : Number(digits)
}

const isNamed = ({ name }: { readonly name: string }) => name !== ''

/** The API's URL and how it takes credentials. */
export function ConnectionView({ connector, actions, failure, readOnly, onChange }: ConnectorViewProps) {
  const errors = fieldsOf(failure)
  const header = connector.header ?? DEFAULT_HEADER
  const inQuery = connector.url_token_extension
  const setHeader = (patch: Partial<Header>) => onChange({ header: { ...header, ...patch } })
  const types = connector.auth_config.auth_types ?? []
  const limit = connector.rate_limit

  return (
    <Column>
      <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-5">
        <Card stacked title={t('URL')}>
          <Field
            label={t('Base URL')}
            hint={t('A template that can use auth. A connector auth’s base URL overrides it.')}
            error={errors.base_domain?.[0]}
          >
            <TextInput
              mono
              value={connector.base_domain}
              onChange={(base_domain) => onChange({ base_domain })}
            />
          </Field>
          <Field
            label={t('Allowed origins for next-page links')}
            optional
            hint={t('One per line. Credentials are sent only to these origins and that of the base URL.')}
            error={faultInList(failure, 'allowed_origins')}
          >
            <TextArea
              mono
              value={connector.allowed_origins.join('\n')}
              onChange={(text) =>
                onChange({ allowed_origins: text.split('\n').filter((line) => line.trim() !== '') })
              }
            />
          </Field>
          <div className="flex flex-wrap gap-3">
            <Field
              label={t('Calls per period')}
              optional
              hint={t(
                'The limit for all runs together. Leave empty to follow the limits in the API’s responses.',
              )}
              error={errors['rate_limit.calls']?.[0]}
            >
              <TextInput
                inputMode="numeric"
                className="w-40"
                value={String(limit?.calls ?? '')}
                onChange={(text) => {
                  const calls = numberOf(text)
                  onChange({ rate_limit: calls === null ? null : { period_seconds: 60, ...limit, calls } })
                }}
              />
            </Field>
            {limit !== null && (
              <Field label={t('Period (seconds)')} error={errors['rate_limit.period_seconds']?.[0]}>
                <TextInput
                  inputMode="numeric"
                  className="w-40"
                  value={String(limit.period_seconds || '')}
                  onChange={(text) =>
                    onChange({ rate_limit: { ...limit, period_seconds: numberOf(text) ?? 0 } })
                  }
                />
              </Field>
            )}
          </div>
        </Card>
        <Card stacked title={t('Credentials')}>
          <fieldset className="flex flex-col gap-1.5">
            <legend className="mb-1.5 font-medium">
              <Trans
                text="Allowed types <note>leave empty to allow all</note>"
                parts={{ note: <span className="font-normal text-faint" /> }}
              />
            </legend>
            <div className="flex flex-wrap gap-x-5 gap-y-1.5">
              {AUTH_TYPES.map((type) => (
                <label key={type} className="flex items-center gap-2">
                  <input
                    type="checkbox"
                    className="size-4 accent-(--accent)"
                    checked={types.includes(type)}
                    onChange={(event) =>
                      onChange({
                        auth_config: {
                          ...connector.auth_config,
                          auth_types: AUTH_TYPES.filter((one) =>
                            one === type ? event.target.checked : types.includes(one),
                          ),
                        },
                      })
                    }
                  />
                  {t(AUTH_TYPE_WORDS[type].label)}
                </label>
              ))}
            </div>
          </fieldset>
          <Switch
            label={t('Send token in a header')}
            disabled={readOnly}
            checked={header.token_in_header}
            onChange={(token_in_header) => setHeader({ token_in_header })}
          />
          {header.token_in_header ? (
            <div className="grid grid-cols-2 gap-3">
              <Field label={t('Header')} error={errors['header.header_key']?.[0]}>
                <TextInput
                  mono
                  value={header.header_key}
                  onChange={(header_key) => setHeader({ header_key })}
                />
              </Field>
              <Field
                label={t('Value')}
                hint={t('token is the token of the connector auth.')}
                error={errors['header.token_prefix']?.[0]}
              >
                <TextInput
                  mono
                  value={header.token_prefix}
                  onChange={(token_prefix) => setHeader({ token_prefix })}
                />
              </Field>
            </div>
          ) : null}
          <Switch
            label={t('Send token in the query string')}
            disabled={readOnly}
            checked={inQuery !== null}
            onChange={(on) =>
              onChange({ url_token_extension: on ? { key: 'api_key', value: '{{ token }}' } : null })
            }
          />
          {inQuery === null ? null : (
            <div className="grid grid-cols-2 gap-3">
              <Field label={t('Parameter')} error={errors['url_token_extension.key']?.[0]}>
                <TextInput
                  mono
                  value={inQuery.key}
                  onChange={(key) => onChange({ url_token_extension: { ...inQuery, key } })}
                />
              </Field>
              <Field label={t('Value')} error={errors['url_token_extension.value']?.[0]}>
                <TextInput
                  mono
                  value={inQuery.value}
                  onChange={(value) => onChange({ url_token_extension: { ...inQuery, value } })}
                />
              </Field>
            </div>
          )}
          <Field
            label={t('Test action for connector auths')}
            optional
            hint={t('An action that only reads data.')}
            error={errors.test_action?.[0]}
          >
            <Combo
              value={connector.test_action ?? ''}
              disabled={readOnly}
              onChange={(name) => onChange({ test_action: name === '' ? null : name })}
              options={[
                { value: '', label: t('None') },
                ...actions.filter(isNamed).map(({ name, title, method, endpoint }) => ({
                  value: name,
                  label: title === '' ? name : translateConnectorText(title, connector),
                  hint: `${method} ${toPath(endpoint)}`,
                })),
              ]}
            />
          </Field>
          <FormSchemaEditor
            label={t('Credentials form')}
            hint={t(
              'Templates read these fields as auth.user_input. Fields named auth_token, username and password are stored in the connector auth’s fields of the same name.',
            )}
            error={errors['auth_config.auth_form']?.[0]}
            value={connector.auth_config.auth_form ?? []}
            onChange={(auth_form) => onChange({ auth_config: { ...connector.auth_config, auth_form } })}
          />
        </Card>
        {types.length === 0 || types.includes('oauth2') ? (
          <OAuthCard
            connector={connector}
            readOnly={readOnly}
            errorOf={(key) => errors[`auth_config.${key}`]?.[0]}
            onChange={(auth_config) => onChange({ auth_config })}
          />
        ) : null}
        <Card stacked title={t('Headers sent with every request')}>
          <Field label={t('Content-Type')} error={errors['header.content_type']?.[0]}>
            <TextInput
              mono
              value={header.content_type}
              onChange={(content_type) => setHeader({ content_type })}
            />
          </Field>
          <DictionaryField
            label={t('More headers')}
            noun={t('header')}
            error={errors['header.custom_headers']?.[0]}
            value={header.custom_headers}
            onChange={(custom) => setHeader({ custom_headers: custom as Record<string, string> })}
          />
        </Card>
      </fieldset>
    </Column>
  )
}
