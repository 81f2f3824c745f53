import { useEffect } from 'react'
import { Combo } from '../../../../components/controls/combo.tsx'
import { Field } from '../../../../components/controls/field.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { useFlows } from '../../state/flows-store.ts'
import { TemplateField } from '../../fields/template-field.tsx'
import { FormControl } from '../../fields/form-of.tsx'
import { asTemplate, orAbsent } from '../../fields/form-props.ts'
import type { StepFormProps } from '../../fields/form-props.ts'

export function RunFlowForm(props: StepFormProps) {
  return (
    <>
      <FlowField {...props} />
      <FormControl
        {...props}
        field={{
          kind: 'dictionary',
          name: 'input',
          label: english('Input'),
          noun: english('value'),
          hint: english('Input, available in the flow’s first step like a webhook body.'),
        }}
      />
      <FormControl
        {...props}
        field={{
          kind: 'switch',
          name: 'wait',
          label: english('Wait for completion'),
          hint: english('Result: the flow’s response or its last step’s result. If off, the run ID.'),
          initial: true,
        }}
      />
    </>
  )
}

/** A flow chosen by its name, or a template that returns the ID of one. */
function FlowField({ step, config, onChange, errorOf }: StepFormProps) {
  const opened = useFlows((state) => state.opened)
  const flows = useFlows((state) => state.flows)
  useEffect(() => opened(), [opened])
  const id = asTemplate(config.flow_id)
  if (id.includes('{{')) {
    return (
      <TemplateField
        refId={step.ref_id}
        label={t('Flow')}
        hint={t('A template that returns a flow ID. Clear it to select a flow by name.')}
        error={errorOf('flow_id')}
        value={id}
        onChange={(text) => onChange({ flow_id: orAbsent(text) })}
      />
    )
  }
  return (
    <Field label={t('Flow')} error={errorOf('flow_id')} className="max-w-xl">
      <Combo
        value={id}
        placeholder={t('Choose a flow')}
        onChange={(flow_id) => onChange({ flow_id })}
        options={(flows ?? []).map(({ id: value, name, description: hint }) => ({
          value,
          label: name,
          hint,
        }))}
      />
    </Field>
  )
}
