import type { ComponentType } from 'react'
import type { StepType } from '../../../../shared/contract/steps.ts'
import type { StepFormProps } from '../fields/form-props.ts'
import { AggregateForm } from './values/aggregate-form.tsx'
import { AskPersonForm } from './control/ask-person-form.tsx'
import { ConditionForm } from './control/condition-form.tsx'
import { ConnectorActionForm } from './calls/connector-action-form.tsx'
import { HtmlExtractForm, MarkdownForm } from './files/document-forms.tsx'
import { DelayForm } from './control/delay-form.tsx'
import { RespondForm, StopForm } from './control/end-forms.tsx'
import { FileReadForm, FileWriteForm } from './files/file-forms.ts'
import { KeyValueForm } from './values/key-value-form.ts'
import { FolderTriggerForm } from './triggers/folder-trigger-form.tsx'
import { FormTriggerForm } from './triggers/form-trigger-form.tsx'
import { ListTriggerForm } from './triggers/list-trigger-form.tsx'
import { ImapTriggerForm } from './triggers/imap-trigger-form.tsx'
import { FilterForm, MergeForm, SortForm } from './values/list-forms.ts'
import { LoopForm, LoopWhileForm } from './control/loop-forms.tsx'
import { RestForm, RestOptions } from './calls/rest-form.tsx'
import { RunFlowForm } from './calls/run-flow-form.tsx'
import { RunProgramForm } from './calls/run-program-form.ts'
import { ScheduleForm } from './triggers/schedule-form.tsx'
import { SendEmailForm } from './calls/send-email-form.ts'
import { ReadCursorForm, WriteRecordsForm } from './files/sink-forms.ts'
import { SqlForm } from './calls/sql-form.ts'
import { SqlTriggerForm } from './triggers/sql-trigger-form.tsx'
import { SwitchForm } from './control/switch-form.tsx'
import { CsvParseForm, CsvWriteForm, XmlParseForm, XmlWriteForm } from './files/text-forms.ts'
import { DataTableForm } from './values/data-table-form.tsx'
import { CodeForm, SetForm } from './values/value-forms.tsx'
import { WebhookForm } from './triggers/webhook-form.tsx'

/** One form per step type: a type added to the contract doesn't compile without one. */
export const STEP_FORMS: { readonly [T in StepType]: ComponentType<StepFormProps> } = {
  webhook: WebhookForm,
  schedule: ScheduleForm,
  list_trigger: ListTriggerForm,
  folder_trigger: FolderTriggerForm,
  sql_trigger: SqlTriggerForm,
  form_trigger: FormTriggerForm,
  imap_trigger: ImapTriggerForm,
  connector_action: ConnectorActionForm,
  rest: RestForm,
  condition: ConditionForm,
  switch: SwitchForm,
  loop: LoopForm,
  loop_while: LoopWhileForm,
  set: SetForm,
  delay: DelayForm,
  ask_person: AskPersonForm,
  respond: RespondForm,
  stop: StopForm,
  code: CodeForm,
  key_value: KeyValueForm,
  run_flow: RunFlowForm,
  send_email: SendEmailForm,
  sql: SqlForm,
  run_program: RunProgramForm,
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
  html_extract: HtmlExtractForm,
  markdown: MarkdownForm,
  write_records: WriteRecordsForm,
  read_cursor: ReadCursorForm,
  data_table: DataTableForm,
}

/** A step type's own options, below its main fields. */
export const STEP_OPTIONS: { readonly [T in StepType]?: ComponentType<StepFormProps> } = { rest: RestOptions }
