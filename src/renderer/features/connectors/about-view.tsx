import checks from '../../../../resources/connector-checks.json'
import { ExternalLink } from '../../lib/icons.tsx'
import { fieldsOf } from '../../api/failure.ts'
import { Field, TextArea, TextInput } from '../../components/controls/field.tsx'
import { Card, Column } from '../../components/screen/page.tsx'
import { Select } from '../../components/controls/select.tsx'
import { formatDate } from '../../lib/format.ts'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'
import type { ConnectorViewProps } from './view-props.ts'

export function AboutView({ connector, failure, readOnly, onChange }: ConnectorViewProps) {
  const errors = fieldsOf(failure)
  const docs = safeHref(connector.external_docs)
  return (
    <Column>
      <Card title={t('About')}>
        <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4 p-4">
          <Field label={t('Name')} error={errors.name?.[0]}>
            <TextInput value={connector.name} onChange={(name) => onChange({ name })} />
          </Field>
          <Field label={t('Status')} className="max-w-60" error={errors.status?.[0]}>
            <Select
              disabled={readOnly}
              value={connector.status}
              onChange={(status) => onChange({ status })}
              options={[
                { value: 'active', label: t('Active') },
                { value: 'draft', label: t('Draft') },
                { value: 'paused', label: t('Paused') },
              ]}
            />
          </Field>
          <Field
            label={t('Short description')}
            hint={t('One line, shown in lists.')}
            error={errors.short_description?.[0]}
          >
            <TextInput
              value={translateConnectorText(connector.short_description, connector)}
              onChange={(short_description) => onChange({ short_description })}
            />
          </Field>
          <Field label={t('Description')} optional error={errors.long_description?.[0]}>
            <TextArea
              value={translateConnectorText(connector.long_description, connector)}
              rows={4}
              onChange={(long_description) => onChange({ long_description })}
            />
          </Field>
          <Field
            label={t('Documentation URL')}
            optional
            error={errors.external_docs?.[0]}
            aside={
              docs === undefined ? null : (
                <a
                  href={docs}
                  target="_blank"
                  rel="noreferrer"
                  className="inline-flex items-center gap-1 rounded-sm text-sm text-accent-text hover:underline"
                >
                  {t('Open')} <ExternalLink size={12} aria-hidden />
                </a>
              )
            }
          >
            <TextInput
              mono
              value={connector.external_docs}
              onChange={(external_docs) => onChange({ external_docs })}
            />
          </Field>
        </fieldset>
      </Card>
      {connector.built_in && <Checked id={connector.id} />}
    </Column>
  )
}

interface Check {
  readonly id: string
  readonly against: string
  readonly version?: string
  readonly checked_on?: string
}

/** The API description that a built-in connector's calls were checked against. */
function Checked({ id }: { readonly id: string }) {
  const check = Object.values<Check>(checks).find((one) => one.id === id)
  if (check === undefined) return null
  const { against, version, checked_on: day } = check
  const description = version === undefined ? against : `${against} (${version})`
  // Formatted relative to 1970, so that the date includes its year.
  const date = day === undefined ? '' : formatDate(Date.parse(`${day}T12:00`), 0)
  return (
    <p className="text-sm text-muted">
      {day === undefined
        ? t('Tested with every version of Millrace: {{against}}.', { against })
        : t('Checked against {{description}} on {{date}}.', { description, date })}
    </p>
  )
}
