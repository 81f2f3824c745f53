import { Plus, X } from '../../../../lib/icons.tsx'
import { AGGREGATES } from '../../../../../shared/contract/step-configs/values.ts'
import { Button, IconButton } from '../../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { FormControl } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { withOutcome } from '../../fields/step-outcome.tsx'
import { TemplateInput } from '../../fields/template-input.tsx'
import { AGGREGATE_WORDS } from './list-forms.ts'

interface Operation {
  readonly name: string
  readonly operation: (typeof AGGREGATES)[number]
  readonly of?: string
  /** Of `join`. */
  readonly separator?: string
}

export const AggregateForm = withOutcome(function AggregateFields(props: StepFormProps) {
  const { config, onChange, errorOf } = props
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
      <FormControl
        {...props}
        field={{
          kind: 'template',
          name: 'over',
          label: english('List'),
          hint: english('A list, for example {{ web1.items }}.'),
          placeholder: '{{ orders }}',
        }}
      />
      <Field
        label={t('Results')}
        hint={t(
          'Field: for example total, or a template using item. Leave empty to use the items themselves.',
        )}
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
          {operations.length === 0 ? <p className="text-sm text-faint">{t('None')}</p> : null}
        </div>
      </Field>
      <FormControl
        {...props}
        field={{
          kind: 'template',
          name: 'by',
          label: english('Group by'),
          optional: true,
          hint: english('Returns one object per value of this field.'),
          placeholder: 'country',
          entryPath: true,
        }}
      />
    </>
  )
})

function freeName(operations: readonly Operation[]): string {
  const taken = new Set(operations.map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'count' : `result${number}`
    if (!taken.has(name)) return name
  }
}
