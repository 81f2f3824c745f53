import { Plus, X } from 'lucide-react'
import { AGGREGATES } from '../../../../shared/contract/step-configs/values.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Field, TextInput } from '../../../components/field.tsx'
import { Select } from '../../../components/select.tsx'
import { FormControl } from './form-of.tsx'
import type { StepFormProps } from './form-props.ts'
import { AGGREGATE_WORDS } from './list-forms.ts'

interface Operation {
  readonly name: string
  readonly operation: (typeof AGGREGATES)[number]
  readonly of?: string
}

export function AggregateForm(props: StepFormProps) {
  const { config, onChange, errorOf } = props
  const operations = Array.isArray(config.operations) ? (config.operations as readonly Operation[]) : []
  const replace = (at: number, patch: Partial<Operation>) =>
    onChange({
      operations: operations.map((one, index) => (index === at ? { ...one, ...patch } : one)),
    })
  return (
    <>
      <FormControl
        {...props}
        field={{
          kind: 'template',
          name: 'over',
          label: 'Over',
          hint: 'A list.',
          placeholder: '{{ orders }}',
        }}
      />
      <Field
        label="Results"
        hint="“Of” is a field of the entries such as total, or a template over item; empty, the entries themselves."
        error={errorOf('operations')}
        aside={
          <Button
            look="quiet"
            icon={Plus}
            className="h-6"
            onClick={() =>
              onChange({
                operations: [...operations, { name: freeName(operations), operation: 'count', of: '' }],
              })
            }
          >
            Add result
          </Button>
        }
      >
        <div role="group" aria-label="Results" className="flex flex-col gap-1">
          {operations.map((one, index) => (
            // Results have no identity but their place while they are typed.
            // oxlint-disable-next-line react/no-array-index-key
            <div key={index} className="flex items-start gap-1">
              <TextInput
                mono
                id={undefined}
                value={one.name}
                placeholder="name"
                aria-label={`Name of result ${index + 1}`}
                onChange={(name) => replace(index, { name })}
              />
              <Select
                label={`What result ${index + 1} is`}
                value={one.operation}
                className="w-52 shrink-0"
                onChange={(operation) => replace(index, { operation })}
                options={AGGREGATES.map((value) => ({ value, label: AGGREGATE_WORDS[value] }))}
              />
              <TextInput
                mono
                id={undefined}
                value={one.of ?? ''}
                placeholder="of"
                aria-label={`Of what result ${index + 1} is`}
                onChange={(of) => replace(index, { of })}
              />
              <IconButton
                label={`Remove result ${index + 1}`}
                icon={X}
                onClick={() => onChange({ operations: operations.filter((_one, at) => at !== index) })}
              />
            </div>
          ))}
          {operations.length === 0 ? <p className="text-sm text-faint">None</p> : null}
        </div>
      </Field>
      <FormControl
        {...props}
        field={{
          kind: 'template',
          name: 'by',
          label: 'For each',
          optional: true,
          hint: 'A field of the entries: one dictionary for each value it has, in place of one for all.',
          placeholder: 'country',
        }}
      />
    </>
  )
}

function freeName(operations: readonly Operation[]): string {
  const taken = new Set(operations.map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'count' : `result${number}`
    if (!taken.has(name)) return name
  }
}
