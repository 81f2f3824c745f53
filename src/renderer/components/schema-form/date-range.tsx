import { t } from '../../lib/i18n.ts'
import { Field, TextInput } from '../controls/field.tsx'

interface DateRangeProps {
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
}

/** Two days, `{ from, to }`; either can be empty. */
export function DateRange({ value, onChange }: DateRangeProps) {
  const dayOf = (end: 'from' | 'to') => (typeof value[end] === 'string' ? value[end] : '')
  function change(end: 'from' | 'to', day: string) {
    const { [end]: _before, ...other } = value
    onChange(day === '' ? other : { ...other, [end]: day })
  }
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label={t('From')}>
        <TextInput
          type="date"
          value={dayOf('from')}
          max={dayOf('to')}
          onChange={(day) => change('from', day)}
        />
      </Field>
      <Field label={t('To')}>
        <TextInput
          type="date"
          value={dayOf('to')}
          min={dayOf('from')}
          onChange={(day) => change('to', day)}
        />
      </Field>
    </div>
  )
}
