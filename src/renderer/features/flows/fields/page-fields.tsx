import { FORM_FIELD_KINDS } from '../../../../shared/contract/step-types/parts/page-field.ts'
import { FormSchemaEditor } from '../../../components/schema-form/form-schema-editor.tsx'
import { t } from '../../../lib/i18n.ts'

interface PageFieldsProps {
  readonly label: string
  readonly value: unknown
  /** An example of how later steps read a value. */
  readonly place: string
  readonly error: string | undefined
  readonly onChange: (fields: readonly unknown[]) => void
}

/** The fields of a page that a person fills in. */
export function PageFields({ label, value, place, error, onChange }: PageFieldsProps) {
  return (
    <FormSchemaEditor
      label={label}
      hint={t('Later steps read a value as {{place}}.', { place: `{{ ${place} }}` })}
      error={error}
      pageTypes={FORM_FIELD_KINDS}
      value={Array.isArray(value) ? value : []}
      onChange={onChange}
    />
  )
}
