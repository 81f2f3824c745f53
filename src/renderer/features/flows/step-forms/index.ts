import type { ComponentType } from 'react'
import type { StepType } from '../../../../shared/contract/steps.ts'
import type { StepFormProps } from '../fields/form-props.ts'
import { AggregateForm } from './aggregate-form.tsx'
import { ConditionForm } from './condition-form.tsx'
import { ConnectorActionForm } from './connector-action-form.tsx'
import { DelayForm } from './delay-form.tsx'
import { RespondForm, StopForm } from './end-forms.tsx'
import { FileReadForm, FileWriteForm } from './file-forms.ts'
import { KeyValueForm } from './key-value-form.ts'
import { FilterForm, MergeForm, SortForm } from './list-forms.ts'
import { LoopForm, LoopWhileForm } from './loop-forms.tsx'
import { RestForm } from './rest-form.tsx'
import { RunFlowForm } from './run-flow-form.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { SendEmailForm } from './send-email-form.ts'
import { SwitchForm } from './switch-form.tsx'
import { CsvParseForm, CsvWriteForm, XmlParseForm, XmlWriteForm } from './text-forms.ts'
import { CodeForm, SetForm } from './value-forms.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** One form a step type: a type added to the contract does not compile until it has one. */
export const STEP_FORMS: { readonly [T in StepType]: ComponentType<StepFormProps> } = {
  webhook: WebhookForm,
  schedule: ScheduleForm,
  connector_action: ConnectorActionForm,
  rest: RestForm,
  condition: ConditionForm,
  switch: SwitchForm,
  loop: LoopForm,
  loop_while: LoopWhileForm,
  set: SetForm,
  delay: DelayForm,
  respond: RespondForm,
  stop: StopForm,
  code: CodeForm,
  key_value: KeyValueForm,
  run_flow: RunFlowForm,
  send_email: SendEmailForm,
  file_read: FileReadForm,
  file_write: FileWriteForm,
  filter: FilterForm,
  sort: SortForm,
  aggregate: AggregateForm,
  merge: MergeForm,
  csv_parse: CsvParseForm,
  csv_write: CsvWriteForm,
  xml_parse: XmlParseForm,
  xml_write: XmlWriteForm,
}
