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
          hint: english('What its first step hands on, as the body of a webhook would be.'),
        }}
      />
      <FormControl
        {...props}
        field={{
          kind: 'switch',
          name: 'wait',
          label: english('Wait for its end'),
          hint: english(
            'The result is what it answers, else that of its last step. Otherwise the id of its run.',
          ),
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
        hint={t('A template that gives the id of a flow. Empty it to choose one by name.')}
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
