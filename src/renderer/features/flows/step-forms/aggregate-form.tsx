import { Plus, X } from '../../../lib/icons.tsx'
import { AGGREGATES } from '../../../../shared/contract/step-types/values/aggregate.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { type English, english, t } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { TemplateInput } from '../fields/template-input.tsx'

interface Operation {
  readonly name: string
  readonly operation: (typeof AGGREGATES)[number]
  readonly of?: string
  /** Only for `join`. */
  readonly separator?: string
}

export function AggregateForm(props: StepFormProps) {
  const { config, onChange } = props
  const operations = Array.isArray(config.operations) ? (config.operations as readonly Operation[]) : []
  const replace = (at: number, patch: Partial<Operation>) =>
    onChange({
      operations: operations.map((one, index) => (index === at ? { ...one, ...patch } : one)),
    })
  /** The separator belongs only to joining. */
  const chooseOperation = (at: number, operation: Operation['operation']) =>
    onChange({
      operations: operations.map((one, index) => {
        if (index !== at) return one
        const { separator: _separator, ...rest } = one
        return { ...rest, operation }
      }),
    })
  return (
    <>
      <FormFields {...props} only={['over']} />
      <Field
        {...frameOf(props, 'operations')}
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
            {t('Add result')}
          </Button>
        }
      >
        <div role="group" aria-label={t('Results')} className="flex flex-col gap-1">
          {operations.map((one, index) => (
            // Results are identified only by their position while they are typed.
            <div key={index} className="flex items-start gap-1">
              <TextInput
                mono
                id={undefined}
                value={one.name}
                placeholder="name"
                aria-label={t('Name of result {{index}}', { index: index + 1 })}
                onChange={(name) => replace(index, { name })}
              />
              <Select
                label={t('Operation of result {{index}}', { index: index + 1 })}
                value={one.operation}
                className="w-52 shrink-0"
                onChange={(operation) => chooseOperation(index, operation)}
                options={AGGREGATES.map((value) => ({ value, label: t(AGGREGATE_WORDS[value]) }))}
              />
              <div className="flex w-full min-w-0">
                <TemplateInput
                  refId={props.step.ref_id}
                  field={`config.operations[${index}].of`}
                  entryPath
                  value={one.of ?? ''}
                  placeholder="of"
                  label={t('Field of result {{index}}', { index: index + 1 })}
                  onChange={(of) => replace(index, { of })}
                />
              </div>
              {one.operation === 'join' ? (
                <TextInput
                  mono
                  id={undefined}
                  className="w-20 shrink-0"
                  value={one.separator ?? ''}
                  placeholder=", "
                  aria-label={t('Separator of result {{index}}', { index: index + 1 })}
                  onChange={(separator) => replace(index, { separator })}
                />
              ) : null}
              <IconButton
                label={t('Remove result {{index}}', { index: index + 1 })}
                icon={X}
                onClick={() => onChange({ operations: operations.filter((_one, at) => at !== index) })}
              />
            </div>
          ))}
          {operations.length === 0 ? <p className="text-faint">{t('None')}</p> : null}
        </div>
      </Field>
      <FormFields {...props} only={['by']} />
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

const AGGREGATE_WORDS: { readonly [A in (typeof AGGREGATES)[number]]: English } = {
  count: english('Count'),
  sum: english('Sum'),
  average: english('Average'),
  minimum: english('Minimum'),
  maximum: english('Maximum'),
  first: english('First'),
  last: english('Last'),
  list: english('List of all values'),
  unique: english('Unique values'),
  count_unique: english('Count unique'),
  join: english('Join as text'),
}
