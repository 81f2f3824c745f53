import { Field, TextInput } from '../../../components/controls/field.tsx'
import { t } from '../../../lib/i18n.ts'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'
import { isCount } from '../../../components/pagination/state/test-form.ts'

/** The limits of pages and records to read; an empty field means no limit. */
export function CountFields() {
  const maxPages = usePagination((state) => state.form.maxPages)
  const maxRecords = usePagination((state) => state.form.maxRecords)
  const changed = usePagination((state) => state.changed)
  return (
    <>
      <CountField label={t('Max pages')} value={maxPages} onChange={(next) => changed({ maxPages: next })} />
      <CountField
        label={t('Max records')}
        value={maxRecords}
        onChange={(next) => changed({ maxRecords: next })}
      />
    </>
  )
}

interface CountFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function CountField({ label, value, onChange }: CountFieldProps) {
  const error = value === '' || isCount(value) ? undefined : t('At least 1')
  return (
    <Field label={label} error={error}>
      <TextInput inputMode="numeric" placeholder={t('all')} value={value} onChange={onChange} />
    </Field>
  )
}
