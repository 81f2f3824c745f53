/** The findings of a flow's check, with their places and fixes. */
import { z } from 'zod'
import { doc } from './doc.ts'
import { stepEdit } from './step-edits.ts'

const problemFix = z.object({
  title: z.string().meta(doc('What the fix does.', 'Change "ordr" to "order"')),
  safe: z
    .boolean()
    .describe(
      'True if nothing else can have been meant, and nothing that works changes. Look at any other fix before you apply it.',
    ),
  edits: z
    .array(stepEdit)
    .describe('Edits of the steps, in their order, as the MCP tool `patch_flow` takes them.')
    .meta({
      examples: [
        [{ op: 'set', ref_id: 'call', path: '/config/url', value: 'https://example.com/{{ order.id }}' }],
      ],
    }),
})
export type ProblemFix = z.output<typeof problemFix>

/** Something in a flow that prevents saving it, or that is probably unintended. */
export const flowProblem = z.object({
  severity: z
    .enum(['error', 'warning'])
    .describe('`error` prevents saving; `warning` is probably not intended.'),
  ref_id: z
    .string()
    .nullable()
    .describe('Reference name of the step. Null if the problem is about the flow as a whole.'),
  path: z.string().describe('Path of the field: `steps[1].then[0].config.url`.'),
  field: z
    .string()
    .describe('Path of the field inside the step: `config.url`. Empty if it is about the step itself.'),
  line: z
    .int()
    .nullable()
    .describe("Line of the problem in the field's text, counted from 1. Null if it isn't at one place."),
  column: z
    .int()
    .nullable()
    .describe("Column of the problem in that line, counted from 1. Null if it isn't at one place."),
  message: z.string().describe('What is wrong, as the end of a sentence that begins with the field.'),
  fix: problemFix
    .nullable()
    .meta(
      doc('What removes the problem. It was tried: no other problem takes its place. Null if unknown.', null),
    ),
})
export type FlowProblem = z.output<typeof flowProblem>
