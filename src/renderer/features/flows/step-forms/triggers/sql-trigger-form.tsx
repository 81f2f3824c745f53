import { english } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { databaseFields, isSet } from '../calls/sql-form.ts'
import { PollingFields } from './polling-fields.tsx'

const FIELDS: readonly FormField[] = [
  ...databaseFields,
  {
    kind: 'text',
    name: 'table',
    label: english('Table'),
    hint: english('A table or view, with its schema if needed: sales.orders'),
    placeholder: 'orders',
    when: (config) => !isSet(config.statement),
  },
  {
    kind: 'code',
    name: 'statement',
    label: english('Or a statement'),
    hint: english('Templates aren’t allowed here: write ? or, for PostgreSQL, $1 for each value.'),
    when: (config) => !isSet(config.table),
  },
  {
    kind: 'json',
    name: 'parameters',
    label: english('Parameters'),
    orText: true,
    hint: english('For example ["{{ since or 0 }}"]: the highest value of the cursor column so far.'),
    when: (config) => isSet(config.statement),
  },
]

const KEYS: readonly FormField[] = [
  {
    kind: 'json',
    name: 'key',
    label: english('Key columns'),
    hint: english(
      'The columns that identify a row, for example ["id"]. Empty: a row that changes counts as new.',
    ),
  },
  {
    kind: 'text',
    name: 'cursor_field',
    label: english('Cursor column'),
    hint: english(
      'A column whose value only increases: id finds new rows, updated_at changed rows as well. Only rows from its highest value on are read.',
    ),
    optional: true,
    placeholder: 'updated_at',
  },
]

export function SqlTriggerForm(props: StepFormProps) {
  return (
    <>
      {FIELDS.filter(({ when }) => when?.(props.config) !== false).map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
      <PollingFields keys={KEYS} {...props} />
    </>
  )
}
