/** Small edits of a flow's steps, which agents send and which fix problems. */
import { withValue } from './message.ts'
import { z } from 'zod'
import { json, jsonObject, text } from './common.ts'
import { CHILD_LISTS } from './step-lists.ts'

const refId = text(100).describe('Reference name of the step.')
const path = text(500)
  .regex(/^\/./, withValue('must begin with /'))
  .describe('JSON Pointer of the field in the step: `/config/url`, `/config/headers/0`, `/on_error`.')

export const stepEdit = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('set').describe('Sets a field.'),
    ref_id: refId,
    path,
    value: json.describe('The new value.'),
  }),
  z.strictObject({ op: z.literal('unset').describe('Removes a field.'), ref_id: refId, path }),
  z.strictObject({
    op: z.literal('insert').describe('Adds a step.'),
    step: jsonObject.describe('The step, in the form in which read_flow returns steps.'),
    before: text(100).optional().describe('Reference name of the step that it is put before.'),
    after: text(100).optional().describe('Reference name of the step that it is put after.'),
    into: text(100).optional().describe('Reference name of the step that it is put into, at the end.'),
    list: z.enum(CHILD_LISTS).default('steps').describe('With `into`: the list of that step.'),
  }),
  z.strictObject({ op: z.literal('delete').describe('Removes a step.'), ref_id: refId }),
])
export type StepEdit = z.output<typeof stepEdit>
