import { useFlowsByName } from '../../../api/lists.ts'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { t } from '../../../lib/i18n.ts'
import { TemplateField } from '../fields/template-field.tsx'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asTemplate, orAbsent } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'

export function RunFlowForm(props: StepFormProps) {
  return (
    <>
      <FlowField {...props} />
      <FormFields {...props} only={['input', 'wait']} />
    </>
  )
}

/** A flow chosen by its name, or a template that returns the ID of one. */
function FlowField(props: StepFormProps) {
  const { step, config, onChange } = props
  const flows = useFlowsByName()
  const id = asTemplate(config.flow_id)
  if (id.includes('{{')) {
    return (
      <TemplateField
        refId={step.ref_id}
        {...frameOf(props, 'flow_id')}
        hint={t('A template that returns a flow ID. Clear it to select a flow by name.')}
        value={id}
        onChange={(text) => onChange({ flow_id: orAbsent(text) })}
      />
    )
  }
  return (
    <Field {...frameOf(props, 'flow_id')} className="max-w-xl">
      <Combo
        value={id}
        placeholder={t('Choose a flow')}
        onChange={(flow_id) => onChange({ flow_id })}
        options={flows.map(({ id: value, name, description: hint }) => ({
          value,
          label: name,
          hint,
        }))}
      />
    </Field>
  )
}
