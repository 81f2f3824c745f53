import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import type { StepRunner } from '../model/compiled-step.ts'
import { connectorAction } from './calls/connector-action.ts'
import { exportJob } from './calls/export-job.ts'
import { plugin } from './calls/plugin.ts'
import { rest } from './calls/rest.ts'
import { runFlowStep } from './calls/run-flow.ts'
import { runProgram } from './calls/run-program.ts'
import { sendEmail } from './calls/send-email.ts'
import { sql } from './calls/sql.ts'
import { askPerson } from './control/ask-person.ts'
import { condition } from './control/condition.ts'
import { delay } from './control/delay.ts'
import { loopWhile } from './control/loop-while.ts'
import { loop } from './control/loop.ts'
import { parallel } from './control/parallel.ts'
import { respond } from './control/respond.ts'
import { stop } from './control/stop.ts'
import { switchStep } from './control/switch.ts'
import { tryStep } from './control/try.ts'
import { waitForCallback } from './control/wait-for-callback.ts'
import { csvParse } from './files/csv-parse.ts'
import { csvWrite } from './files/csv-write.ts'
import { htmlExtract, markdown } from './files/documents.ts'
import { fileRead } from './files/file-read.ts'
import { fileWrite } from './files/file-write.ts'
import { readCursor } from './files/read-cursor.ts'
import { writeRecords } from './files/write-records.ts'
import { xmlParse } from './files/xml-parse.ts'
import { xmlWrite } from './files/xml-write.ts'
import { folderTrigger } from './triggers/folder-trigger.ts'
import { formTrigger } from './triggers/form-trigger.ts'
import { imapTrigger } from './triggers/imap-trigger.ts'
import { listTrigger } from './triggers/list-trigger.ts'
import { pluginTrigger } from './triggers/plugin-trigger.ts'
import { schedule } from './triggers/schedule.ts'
import { sqlTrigger } from './triggers/sql-trigger.ts'
import { webhook } from './triggers/webhook.ts'
import { aggregate } from './values/aggregate.ts'
import { code } from './values/code.ts'
import { dataTable } from './values/data-table.ts'
import { filter } from './values/filter.ts'
import { keyValue } from './values/key-value.ts'
import { merge } from './values/merge.ts'
import { set } from './values/set.ts'
import { sort } from './values/sort.ts'

/** Written by `npm run docs`. A type without a runner doesn't compile. */
export const STEP_RUNNERS: { readonly [T in StepType]: StepRunner<T> } = {
  connector_action: connectorAction,
  export_job: exportJob,
  plugin,
  rest,
  run_flow: runFlowStep,
  run_program: runProgram,
  send_email: sendEmail,
  sql,
  ask_person: askPerson,
  condition,
  delay,
  loop_while: loopWhile,
  loop,
  parallel,
  respond,
  stop,
  switch: switchStep,
  try: tryStep,
  wait_for_callback: waitForCallback,
  csv_parse: csvParse,
  csv_write: csvWrite,
  html_extract: htmlExtract,
  markdown,
  file_read: fileRead,
  file_write: fileWrite,
  read_cursor: readCursor,
  write_records: writeRecords,
  xml_parse: xmlParse,
  xml_write: xmlWrite,
  folder_trigger: folderTrigger,
  form_trigger: formTrigger,
  imap_trigger: imapTrigger,
  list_trigger: listTrigger,
  plugin_trigger: pluginTrigger,
  schedule,
  sql_trigger: sqlTrigger,
  webhook,
  aggregate,
  code,
  data_table: dataTable,
  filter,
  key_value: keyValue,
  merge,
  set,
  sort,
}
