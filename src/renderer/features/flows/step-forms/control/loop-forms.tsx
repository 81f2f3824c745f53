import { Field } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import { asTemplate, orAbsent, type StepFormProps } from '../../fields/form-props.ts'
import { TemplateField } from '../../fields/template-field.tsx'

export function LoopForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <>
      <TemplateField
        refId={step.ref_id}
        label={t('List')}
        hint={t(
          'A list. Steps in the loop read the current item as item and its position, starting at 0, as index.',
        )}
        error={errorOf('over')}
        placeholder="{{ contacts }}"
        value={asTemplate(config.over)}
        onChange={(over) => onChange({ over: orAbsent(over) })}
      />
      <Field
        label={t('Start')}
        error={errorOf('start')}
        hint={t(
          'Requires a loop directly after a paginated step, over exactly its list. The next page is requested when the iterations of the current one are done. If a later page fails, both steps fail after those iterations.',
        )}
        className="max-w-96"
      >
        <Select
          value={config.start === 'first_page' ? 'first_page' : 'whole_list'}
          onChange={(start) => onChange({ start: start === 'first_page' ? start : undefined })}
          options={[
            {
              value: 'whole_list',
              label: t('After all pages are fetched'),
              hint: t('No iterations until the last page has arrived'),
            },
            {
              value: 'first_page',
              label: t('As soon as the first page arrives'),
              hint: t('Fetching pages and looping alternate'),
            },
          ]}
        />
      </Field>
      <TemplateField
        refId={step.ref_id}
        label={t('Collect')}
        field="config.collect"
        optional
        hint={t('Value to collect from each iteration. Default: the result of its last step.')}
        error={errorOf('collect')}
        placeholder="{{ item.email }}"
        value={asTemplate(config.collect)}
        onChange={(collect) => onChange({ collect: orAbsent(collect) })}
      />
    </>
  )
}

export const LoopWhileForm = formOf([
  {
    kind: 'template',
    name: 'when',
    label: english('Continue while'),
    expression: true,
    rows: 2,
    hint: english(
      'Evaluated after each iteration. Steps in the loop read the previous iteration’s result as item and the iteration number, starting at 0, as index.',
    ),
    placeholder: 'page.body.has_more',
  },
  {
    kind: 'number',
    name: 'max_iterations',
    label: english('Max iterations'),
    optional: true,
    hint: english('The step fails if it exceeds this.'),
    placeholder: '1000',
  },
  {
    kind: 'template',
    name: 'collect',
    label: english('Collect'),
    optional: true,
    hint: english('Value to collect from each iteration. Default: the result of its last step.'),
    placeholder: '{{ page.body.orders }}',
  },
])
