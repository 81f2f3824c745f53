import { t } from '../../../lib/i18n.ts'
import { TemplateField } from '../template-field.tsx'
import { asTemplate, orAbsent } from './form-props.ts'
import type { StepFormProps } from './form-props.ts'

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
