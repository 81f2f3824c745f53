/** A step of a flow, whatever its type. */
import { withValue } from './base/message.ts'
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { jsonObject, text } from './base/common.ts'
import type { ChildSteps } from './base/step-lists.ts'

/** Names that steps can't have. Template globals are rejected as well. */
export const RESERVED_REFS: readonly string[] = [
  'webhook',
  'item',
  'index',
  'input',
  'auth',
  'now',
  'page',
  'env',
  'loop',
]

export const ON_ERROR = ['stop', 'continue', 'skip_iteration', 'break_loop'] as const

/**
 * The shape of a step. Its type can be any string and its config any object: imported steps of unknown types are
 * kept, and the rules of known types are checked with the flow, so that messages can name the step.
 */
export interface Step extends StepChildren {
  ref_id: string
  type: string
  title: string
  description: string
  disabled: boolean
  on_error: (typeof ON_ERROR)[number]
  retry: { attempts: number; wait_seconds: number } | null
  config: Record<string, unknown>
}

/** A step as callers send it: everything except `ref_id` and `type` is optional. */
export interface StepInput
  extends
    Pick<Step, 'ref_id' | 'type'>,
    Optional<Omit<Step, 'ref_id' | 'type' | keyof ChildSteps<unknown>>>,
    StepInputChildren {}

type Optional<T> = { [K in keyof T]?: T[K] | undefined }

interface StepChildren extends ChildSteps<Step> {}
interface StepInputChildren extends ChildSteps<StepInput> {}

export const step: z.ZodType<Step, StepInput> = z.lazy(() =>
  z.strictObject({
    ref_id: z
      .string()
      .max(100)
      .regex(
        /^[A-Za-z_][A-Za-z0-9_]*$/,
        withValue('must begin with a letter or _, then letters, digits and _'),
      )
      .describe(
        'Reference name: later steps read the result as `{{ ref_id }}`. Letters, digits and `_`, unique in the flow.',
      )
      .meta({ examples: ['price'] }),
    type: text(60)
      .describe('What the step does. Unknown types are kept on import, but a run fails there.')
      .meta({ examples: ['set'] }),
    title: text(200)
      .default('')
      .meta(
        doc('Label shown in the editor instead of the type. Leave empty for the type.', 'Work out the price'),
      ),
    description: text(4_000).default('').meta(doc('Notes about the step.', 'Rounded to cents')),
    disabled: z.boolean().default(false).describe('True skips the step, which then has no result.'),
    on_error: z
      .enum(ON_ERROR)
      .default('stop')
      .describe(
        'After an error: `stop` fails the run, `continue` goes to the next step, `skip_iteration` to the next iteration, `break_loop` ends the loop.',
      ),
    retry: z
      .strictObject({
        attempts: z.int().min(1).max(20).describe('Attempts in total, including the first: 1 to 20.'),
        wait_seconds: z
          .number()
          .min(0)
          .max(86_400)
          .describe('Pause before each further attempt, in seconds, up to a day.'),
      })
      .nullable()
      .default(null)
      .describe('Repeats the step if it fails. If null, it runs once.'),
    config: jsonObject
      .default({})
      .describe('Configuration of the step, as its type requires. Strings are templates.')
      .meta({ examples: [{ values: { total: '{{ order.amount * order.price }}' } }] }),
    steps: z.array(step).optional().describe('Steps that a loop repeats.'),
    then: z.array(step).optional().describe('Steps that run if the condition is true.'),
    else: z.array(step).optional().describe('Steps that run if the condition is false.'),
    try: z.array(step).optional().describe('Steps whose failure is handled by those in `catch`.'),
    catch: z
      .array(step)
      .optional()
      .describe('Steps that run if one in `try` fails. If empty, the failure is passed on.'),
    finally: z
      .array(step)
      .optional()
      .describe('Steps that run after those in `try` and `catch`, even if the run fails or is cancelled.'),
    cases: z
      .array(
        z.strictObject({
          label: text(200).describe('The value that selects this case.'),
          steps: z.array(step).describe('Steps that run if the case is selected.'),
        }),
      )
      .optional()
      .describe(
        'The cases of a `switch`, checked from top to bottom, the buttons of an `ask_person`, or the branches of a `parallel`.',
      ),
    default: z.array(step).optional().describe('Steps that run if no case matches, or nobody answers.'),
  }),
)
