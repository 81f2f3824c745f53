import type { ComponentType } from 'react'
import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import type { StepFormProps } from '../fields/form-props.ts'
import { AggregateForm } from './aggregate-form.tsx'
import { AskPersonForm } from './ask-person-form.tsx'
import { ConditionForm } from './condition-form.tsx'
import { ConnectorActionForm } from './connector-action-form.tsx'
import { HtmlExtractForm } from './html-extract-form.tsx'
import { DelayForm } from './delay-form.tsx'
import { FormTriggerForm } from './form-trigger-form.tsx'
import { ListTriggerForm } from './list-trigger-form.tsx'
import { PluginForm } from './plugin-form.tsx'
import { RestForm } from './rest-form.tsx'
import { RunFlowForm } from './run-flow-form.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ParallelForm, SwitchForm } from './switch-form.tsx'
import { DataTableForm } from './data-table-form.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Forms that are more than a list of fields; the forms of all other types are drawn from their definitions. */
export const OWN_FORMS: { readonly [T in StepType]?: ComponentType<StepFormProps> } = {
  webhook: WebhookForm,
  schedule: ScheduleForm,
  list_trigger: ListTriggerForm,
  form_trigger: FormTriggerForm,
  connector_action: ConnectorActionForm,
  plugin: PluginForm,
  plugin_trigger: PluginForm,
  rest: RestForm,
  run_flow: RunFlowForm,
  condition: ConditionForm,
  switch: SwitchForm,
  parallel: ParallelForm,
  delay: DelayForm,
  ask_person: AskPersonForm,
  aggregate: AggregateForm,
  html_extract: HtmlExtractForm,
  data_table: DataTableForm,
}
