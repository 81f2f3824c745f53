import type { StepType } from '../../../../shared/contract/steps.ts'
import type { StepRunner } from '../model/compiled-step.ts'
import { aggregate } from './aggregate.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { connectorAction } from './connector-action.ts'
import { csvParse } from './csv-parse.ts'
import { csvWrite } from './csv-write.ts'
import { delay } from './delay.ts'
import { fileRead } from './file-read.ts'
import { fileWrite } from './file-write.ts'
import { filter } from './filter.ts'
import { keyValue } from './key-value.ts'
import { loopWhile } from './loop-while.ts'
import { loop } from './loop.ts'
import { merge } from './merge.ts'
import { respond } from './respond.ts'
import { rest } from './rest.ts'
import { runFlow } from './run-flow.ts'
import { schedule } from './schedule.ts'
import { sendEmail } from './send-email.ts'
import { set } from './set.ts'
import { sort } from './sort.ts'
import { stop } from './stop.ts'
import { switchStep } from './switch.ts'
import { webhook } from './webhook.ts'
import { xmlParse } from './xml-parse.ts'
import { xmlWrite } from './xml-write.ts'

/** One runner a step type: a type added to the contract does not compile until it has one. */
export const STEP_RUNNERS: { readonly [T in StepType]: StepRunner<T> } = {
  webhook,
  schedule,
  connector_action: connectorAction,
  rest,
  run_flow: runFlow,
  send_email: sendEmail,
  condition,
  switch: switchStep,
  loop,
  loop_while: loopWhile,
  delay,
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
  file_read: fileRead,
  file_write: fileWrite,
}
