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
        label={t('Over')}
        hint={t('A list. Its steps read the entry as item and its place, from 0, as index.')}
        error={errorOf('over')}
        placeholder="{{ contacts }}"
        value={asTemplate(config.over)}
        onChange={(over) => onChange({ over: orAbsent(over) })}
      />
      <Field
        label={t('When it begins')}
        error={errorOf('start')}
        hint={t(
          'The first page: right behind a paginated step, over its list alone. The next page is asked for when the turns of the one before are over; a page that fails later stops both, after those turns.',
        )}
        className="max-w-96"
      >
        <Select
          value={config.start === 'first_page' ? 'first_page' : 'whole_list'}
          onChange={(start) => onChange({ start: start === 'first_page' ? start : undefined })}
          options={[
            {
              value: 'whole_list',
              label: t('With the whole list'),
              hint: t('No turn before the last page is there'),
            },
            {
              value: 'first_page',
              label: t('With the first page'),
              hint: t('Turns run while the pages come'),
            },
          ]}
        />
      </Field>
      <TemplateField
        refId={step.ref_id}
        label={t('Collect')}
        field="config.collect"
        optional
        hint={t("What each turn adds to the loop's list. Without it, the result of the turn's last step.")}
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
    label: english('Go on while'),
    expression: true,
    rows: 2,
    hint: english(
      'Asked at the end of each turn. Its steps read the result of the turn before as item, and the turn, from 0, as index.',
    ),
    placeholder: 'page.body.has_more',
  },
  {
    kind: 'number',
    name: 'max_iterations',
    label: english('Turns at most'),
    optional: true,
    hint: english('More are an error, so that nothing turns for ever.'),
    placeholder: '1000',
  },
  {
    kind: 'template',
    name: 'collect',
    label: english('Collect'),
    optional: true,
    hint: english('What each turn adds to the loop’s list. Without it, the result of the turn’s last step.'),
    placeholder: '{{ page.body.orders }}',
  },
])
