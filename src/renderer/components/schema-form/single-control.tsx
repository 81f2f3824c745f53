import type { SchemaField } from '../../lib/schema-fields.ts'
import { useFieldProps, TextArea, TextInput } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'

interface SingleControlProps {
  readonly field: SchemaField
  readonly text: string
  /** Whether a secret is stored, which an empty field keeps. */
  readonly isStored: boolean
  readonly onChange: (value: unknown) => void
}

const INPUT_TYPES: Partial<Record<SchemaField['type'], string>> = {
  number: 'number',
  email: 'email',
  date: 'date',
  datetime: 'datetime-local',
}

/** A field with one value: a line, a text area, a day, a choice. */
export function SingleControl({ field, text, isStored, onChange }: SingleControlProps) {
  const placeholder = isStored ? '••••••••' : field.placeholder
  if (field.type === 'textarea')
    return (
      <TextArea
        mono={field.secret}
        rows={4}
        className={field.secret ? '[-webkit-text-security:disc]' : ''}
        value={text}
        placeholder={placeholder}
        onChange={onChange}
      />
    )
  if (field.secret)
    return (
      <TextInput
        mono
        type="password"
        autoComplete="new-password"
        value={text}
        placeholder={placeholder}
        onChange={onChange}
      />
    )
  if (field.type === 'select')
    return field.allowCreate ? (
      <OpenChoice field={field} text={text} onChange={onChange} />
    ) : (
      <Select
        value={text}
        onChange={(value) => onChange(field.options.find((one) => one.value === value)?.sent ?? value)}
        options={field.required ? field.options : [{ value: '', label: '—' }, ...field.options]}
      />
    )
  const type = INPUT_TYPES[field.type] ?? 'text'
  return (
    <TextInput
      type={type}
      step={type === 'number' ? 'any' : undefined}
      value={text}
      placeholder={placeholder}
      onChange={(entered) => onChange(type === 'number' && entered !== '' ? Number(entered) : entered)}
    />
  )
}

/** A choice that can also be typed. */
function OpenChoice({ field, text, onChange }: Omit<SingleControlProps, 'isStored'>) {
  const list = `${useFieldProps().id ?? field.name}-choices`
  return (
    <>
      <TextInput value={text} placeholder={field.placeholder} list={list} onChange={onChange} />
      <datalist id={list}>
        {field.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  )
}
