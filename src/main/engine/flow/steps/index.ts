import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import type { StepRunner } from '../model/compiled-step.ts'
import { askPerson } from './control/ask-person.ts'
import { aggregate } from './values/aggregate.ts'
import { code } from './values/code.ts'
import { condition } from './control/condition.ts'
import { connectorAction } from './calls/connector-action.ts'
import { csvParse } from './files/csv-parse.ts'
import { csvWrite } from './files/csv-write.ts'
import { dataTable } from './values/data-table.ts'
import { delay } from './control/delay.ts'
import { htmlExtract, markdown } from './files/documents.ts'
import { fileRead } from './files/file-read.ts'
import { fileWrite } from './files/file-write.ts'
import { folderTrigger } from './triggers/folder-trigger.ts'
import { formTrigger } from './triggers/form-trigger.ts'
import { filter } from './values/filter.ts'
import { keyValue } from './values/key-value.ts'
import { imapTrigger } from './triggers/imap-trigger.ts'
import { listTrigger } from './triggers/list-trigger.ts'
import { loopWhile } from './control/loop-while.ts'
import { loop } from './control/loop.ts'
import { merge } from './values/merge.ts'
import { respond } from './control/respond.ts'
import { rest } from './calls/rest.ts'
import { readCursor } from './files/read-cursor.ts'
import { runFlowStep } from './calls/run-flow.ts'
import { runProgram } from './calls/run-program.ts'
import { schedule } from './triggers/schedule.ts'
import { sendEmail } from './calls/send-email.ts'
import { set } from './values/set.ts'
import { sort } from './values/sort.ts'
import { sql } from './calls/sql.ts'
import { stop } from './control/stop.ts'
import { switchStep } from './control/switch.ts'
import { sqlTrigger } from './triggers/sql-trigger.ts'
import { webhook } from './triggers/webhook.ts'
import { writeRecords } from './files/write-records.ts'
import { xmlParse } from './files/xml-parse.ts'
import { xmlWrite } from './files/xml-write.ts'

/** One runner per step type: a type added to the contract does not compile until it has one. */
export const STEP_RUNNERS: { readonly [T in StepType]: StepRunner<T> } = {
  webhook,
  schedule,
  list_trigger: listTrigger,
  folder_trigger: folderTrigger,
  sql_trigger: sqlTrigger,
  form_trigger: formTrigger,
  imap_trigger: imapTrigger,
  connector_action: connectorAction,
  rest,
  run_flow: runFlowStep,
  send_email: sendEmail,
  sql,
  run_program: runProgram,
  condition,
  switch: switchStep,
  loop,
  loop_while: loopWhile,
  delay,
  ask_person: askPerson,
  respond,
  stop,
  set,
  code,
  key_value: keyValue,
  filter,
  sort,
  aggregate,
  merge,
  csv_parse: csvParse,
  csv_write: csvWrite,
  xml_parse: xmlParse,
  xml_write: xmlWrite,
  html_extract: htmlExtract,
  markdown,
  file_read: fileRead,
  file_write: fileWrite,
  write_records: writeRecords,
  read_cursor: readCursor,
  data_table: dataTable,
}
