import { Plus, X } from '../../../lib/icons.tsx'
import type { DataTable } from '../../../../shared/contract/data/data-tables.ts'
import { facesOf } from '../../../../shared/contract/step-types/index.ts'
import type { FilterOperator } from '../../../../shared/contract/base/common.ts'
import { DATA_TABLES } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asTemplate, orAbsent, type StepFormProps } from '../fields/form-props.ts'
import { TemplateField } from '../fields/template-field.tsx'
import { TemplateInput } from '../fields/template-input.tsx'

interface Filter {
  readonly column: string
  readonly comparison?: FilterOperator
  readonly value?: unknown
}

export function DataTableForm(props: StepFormProps) {
  // Without the list, the name can still be typed.
  const tables = useResource(DATA_TABLES).data ?? []
  const filters = facesOf(props.step.type, 'filter').some(({ when }) => when?.(props.config) !== false)
  return (
    <>
      <TableField tables={tables} {...props} />
      <FormFields {...props} only={['operation', 'rows', 'key', 'values', 'ignore_unknown']} />
      {filters ? <FilterField tables={tables} {...props} /> : null}
      <FormFields {...props} only={['sort', 'limit']} />
    </>
  )
}

type TableProps = StepFormProps & { readonly tables: readonly DataTable[] }

/** A table chosen by its name, or a template. */
function TableField({ tables, ...props }: TableProps) {
  const { step, config, onChange } = props
  const name = asTemplate(config.table)
  if (name.includes('{{')) {
    return (
      <TemplateField
        refId={step.ref_id}
        {...frameOf(props, 'table')}
        hint={t('A template that returns the name of a table. Clear it to select one.')}
        value={name}
        onChange={(text) => onChange({ table: orAbsent(text) })}
      />
    )
  }
  const known = tables.map((table) => ({
    value: table.name,
    label: table.name,
    hint: table.description || table.columns.map((column) => column.name).join(', '),
  }))
  const isKnown = name === '' || tables.some((table) => table.name === name)
  return (
    <Field
      {...frameOf(props, 'table')}
      hint={t('Create tables under Tables in the sidebar.')}
      className="max-w-xl"
    >
      <Combo
        value={name}
        placeholder={t('Choose a table')}
        onChange={(table) => onChange({ table })}
        options={isKnown ? known : [{ value: name, label: name, hint: '' }, ...known]}
      />
    </Field>
  )
}

const COMPARISON_WORDS: { readonly [C in FilterOperator]: English } = {
  eq: english('is'),
  ne: english('is not'),
  gt: english('is greater than'),
  ge: english('is at least'),
  lt: english('is less than'),
  le: english('is at most'),
  in: english('is one of (list)'),
  like: english('is like (% for any characters)'),
}

/** Rows must match all conditions. */
function FilterField({ tables, ...props }: TableProps) {
  const { step, config, onChange } = props
  const filters = Array.isArray(config.filter) ? (config.filter as readonly Filter[]) : []
  const replace = (at: number, patch: Partial<Filter>) =>
    onChange({ filter: filters.map((one, index) => (index === at ? { ...one, ...patch } : one)) })
  const columns = [
    ...(tables.find(({ name }) => name === config.table)?.columns.map(({ name }) => name) ?? []),
    '_id',
    '_created_at',
    '_updated_at',
  ]
  const first = columns[0] ?? '_id'
  return (
    <Field
      {...frameOf(props, 'filter')}
      aside={
        <Button
          look="quiet"
          icon={Plus}
          className="h-6"
          onClick={() => onChange({ filter: [...filters, { column: first, comparison: 'eq', value: '' }] })}
        >
          {t('Add condition')}
        </Button>
      }
    >
      <div role="group" aria-label={t('Filter')} className="flex flex-col gap-1">
        {filters.map((one, index) => (
          // Conditions are identified only by their position while they are typed.
          <div key={index} className="flex items-start gap-1">
            {tables.length > 0 && columns.includes(one.column) ? (
              <Select
                label={t('Column of condition {{index}}', { index: index + 1 })}
                value={one.column}
                className="w-40 shrink-0"
                onChange={(column) => replace(index, { column })}
                options={columns.map((value) => ({ value, label: value }))}
              />
            ) : (
              <TextInput
                mono
                id={undefined}
                className="w-40 shrink-0"
                value={one.column}
                aria-label={t('Column of condition {{index}}', { index: index + 1 })}
                onChange={(column) => replace(index, { column })}
              />
            )}
            <Select
              label={t('Comparison of condition {{index}}', { index: index + 1 })}
              value={one.comparison ?? 'eq'}
              className="w-44 shrink-0"
              onChange={(comparison) => replace(index, { comparison })}
              options={Object.entries(COMPARISON_WORDS).map(([value, words]) => ({
                value: value as FilterOperator,
                label: t(words),
              }))}
            />
            <div className="flex w-full min-w-0">
              <TemplateInput
                refId={step.ref_id}
                field={`config.filter[${index}].value`}
                value={asTemplate(one.value)}
                placeholder="{{ web1.email }}"
                label={t('Value of condition {{index}}', { index: index + 1 })}
                onChange={(value) => replace(index, { value })}
              />
            </div>
            <IconButton
              label={t('Remove condition {{index}}', { index: index + 1 })}
              icon={X}
              onClick={() => onChange({ filter: filters.filter((_one, at) => at !== index) })}
            />
          </div>
        ))}
        {filters.length === 0 ? <p className="text-faint">{t('None')}</p> : null}
      </div>
    </Field>
  )
}
