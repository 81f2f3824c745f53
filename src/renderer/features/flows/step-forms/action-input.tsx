import { SchemaForm } from '../../../components/schema-form/schema-form.tsx'
import { t } from '../../../lib/i18n.ts'
import type { SchemaField } from '../../../lib/schema-fields.ts'
import { TemplateDictionary } from '../template-dictionary.tsx'
import { TemplateField } from '../fields/template-field.tsx'

interface ActionInputProps {
  readonly fields: readonly SchemaField[]
  readonly refId: string
  readonly value: Readonly<Record<string, unknown>>
  readonly error: string | undefined
  readonly onChange: (value: Record<string, unknown>) => void
}

/** What an action is given: its own form, each field of which may be a template, and whatever else is to be sent. */
export function ActionInput({ fields, refId, value, error, onChange }: ActionInputProps) {
  const named = new Set(fields.map(({ name }) => name))
  const pick = (isNamed: boolean) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => named.has(name) === isNamed))
  return (
    <>
      <SchemaForm
        fields={fields}
        values={pick(true)}
        onChange={(own) => onChange({ ...own, ...pick(false) })}
        renderTemplate={(control) => <TemplateField key={control.label} refId={refId} {...control} />}
      />
      <TemplateDictionary
        refId={refId}
        typed
        label={fields.length === 0 ? t('Input') : t('Other input')}
        noun={t('value')}
        error={error}
        value={pick(false)}
        onChange={(others) => onChange({ ...pick(true), ...others })}
      />
    </>
  )
}
