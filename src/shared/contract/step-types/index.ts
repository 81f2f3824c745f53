/** All step types in display order, and facts derived from their definitions. */
import type { z } from 'zod'
import { webhook } from './triggers/webhook.ts'
import { schedule } from './triggers/schedule.ts'
import { listTrigger } from './triggers/list-trigger.ts'
import { folderTrigger } from './triggers/folder-trigger.ts'
import { sqlTrigger } from './triggers/sql-trigger.ts'
import { formTrigger } from './triggers/form-trigger.ts'
import { imapTrigger } from './triggers/imap-trigger.ts'
import { pluginTrigger } from './triggers/plugin-trigger.ts'
import { connectorAction } from './calls/connector-action.ts'
import { rest } from './calls/rest.ts'
import { exportJob } from './calls/export-job.ts'
import { runFlow } from './calls/run-flow.ts'
import { sendEmail } from './calls/send-email.ts'
import { sql } from './calls/sql.ts'
import { runProgram } from './calls/run-program.ts'
import { pluginStep } from './calls/plugin.ts'
import { condition } from './control/condition.ts'
import { switchStep } from './control/switch.ts'
import { loop } from './control/loop.ts'
import { loopWhile } from './control/loop-while.ts'
import { tryStep } from './control/try.ts'
import { parallel } from './control/parallel.ts'
import { delay } from './control/delay.ts'
import { waitForCallback } from './control/wait-for-callback.ts'
import { askPerson } from './control/ask-person.ts'
import { respond } from './control/respond.ts'
import { stop } from './control/stop.ts'
import { set } from './values/set.ts'
import { code } from './values/code.ts'
import { keyValue } from './values/key-value.ts'
import { filter } from './values/filter.ts'
import { sort } from './values/sort.ts'
import { aggregate } from './values/aggregate.ts'
import { merge } from './values/merge.ts'
import { csvParse } from './files/csv-parse.ts'
import { csvWrite } from './files/csv-write.ts'
import { xmlParse } from './files/xml-parse.ts'
import { xmlWrite } from './files/xml-write.ts'
import { htmlExtract } from './files/html-extract.ts'
import { markdown } from './files/markdown.ts'
import { fileRead } from './files/file-read.ts'
import { fileWrite } from './files/file-write.ts'
import { writeRecords } from './files/write-records.ts'
import { readCursor } from './files/read-cursor.ts'
import { dataTable } from './values/data-table.ts'
import type { ChildListName, FieldFace, StepDefinition } from './parts/step-type.ts'

export const STEP_DEFINITIONS = {
  webhook,
  schedule,
  list_trigger: listTrigger,
  folder_trigger: folderTrigger,
  sql_trigger: sqlTrigger,
  form_trigger: formTrigger,
  imap_trigger: imapTrigger,
  plugin_trigger: pluginTrigger,
  connector_action: connectorAction,
  rest,
  export_job: exportJob,
  run_flow: runFlow,
  send_email: sendEmail,
  sql,
  run_program: runProgram,
  plugin: pluginStep,
  condition,
  switch: switchStep,
  loop,
  loop_while: loopWhile,
  try: tryStep,
  parallel,
  delay,
  wait_for_callback: waitForCallback,
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
} as const

export type StepType = keyof typeof STEP_DEFINITIONS
export const STEP_TYPES = Object.keys(STEP_DEFINITIONS) as readonly StepType[]

export const STEP_CONFIGS = Object.fromEntries(
  STEP_TYPES.map((type) => [type, STEP_DEFINITIONS[type].config]),
) as unknown as { readonly [T in StepType]: (typeof STEP_DEFINITIONS)[T]['config'] }
export type StepConfig<T extends StepType> = z.output<(typeof STEP_CONFIGS)[T]>

export function isStepType(type: string): type is StepType {
  return Object.hasOwn(STEP_DEFINITIONS, type)
}

/** Undefined if there is no such type. */
export function definitionOf(type: string): StepDefinition | undefined {
  return isStepType(type) ? STEP_DEFINITIONS[type] : undefined
}

/** The faces of a config's field, of which a form shows one at a time. Empty if the type has no such field. */
export function facesOf(type: string, field: string): readonly FieldFace[] {
  return [definitionOf(type)?.fields[field] ?? []].flat()
}

/** The child lists that a type has in addition to its config. */
export function childListsOf(type: string): readonly ChildListName[] {
  return definitionOf(type)?.lists ?? []
}

const typesWhere = (has: (definition: StepDefinition) => boolean): readonly string[] =>
  STEP_TYPES.filter((type) => has(STEP_DEFINITIONS[type]))

/** Types that start a flow, which are only allowed as its first steps. */
export const TRIGGER_TYPES = typesWhere(({ trigger }) => trigger !== undefined)

/** A flow's triggers, which are the steps before its first step of another type. Each of them can start a run. */
export function triggersOf<S extends { readonly type: string }>(steps: readonly S[]): readonly S[] {
  const end = steps.findIndex(({ type }) => !TRIGGER_TYPES.includes(type))
  return end === -1 ? steps : steps.slice(0, end)
}

/** The trigger that starts a run unless another is named: the first that isn't disabled. */
export function usualTrigger<S extends { readonly type: string; readonly disabled: boolean }>(
  steps: readonly S[],
): S | undefined {
  return triggersOf(steps).find(({ disabled }) => !disabled)
}

/** Triggers at the flow's webhook URL. */
export const HTTP_TRIGGER_TYPES = typesWhere(({ trigger }) => trigger?.http === true)

/** Whether steps of the type have a URL that earlier steps can send to others. */
export const hasCallback = (type: string): boolean => definitionOf(type)?.callback !== undefined

/** Types that repeat their steps; templates inside read `item` and `index`. */
export const LOOP_TYPES = typesWhere(({ loops }) => loops === true)
