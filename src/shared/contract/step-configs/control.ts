/** Steps that decide what runs, how often and when, and what the caller receives. */
import { z } from 'zod'
import { json } from '../base/common.ts'
import { numeric, template } from './fields.ts'

export const COMPARISONS = [
  'greater',
  'smaller',
  'equal',
  'greater_equal',
  'string_is',
  'string_begins',
  'string_ends',
  'string_includes',
] as const

export const condition = z
  .strictObject({
    when: template
      .optional()
      .describe('Condition as an expression: `web1.total > 100`. Either this, or `a`, `comparison` and `b`.'),
    a: json.optional().describe('Left side of the comparison.'),
    comparison: z
      .enum(COMPARISONS)
      .optional()
      .describe(
        'How `a` and `b` are compared: by amount (`greater`, `smaller`, `equal`, `greater_equal`; strings that spell numbers count as numbers) or as text (`string_is`, `string_begins`, `string_ends`, `string_includes`).',
      ),
    b: json.optional().describe('Right side of the comparison.'),
  })
  .meta({
    description: 'Runs the steps in `then` or those in `else`.',
    result: 'An object with the decision: `{{ large.result }}` is true or false.',
    examples: [{ a: '{{ web1.total }}', comparison: 'greater', b: 100 }],
  })

/** Runs the case whose label equals the value; the labels are in `cases`, next to the steps. */
export const switchConfig = z
  .strictObject({
    value: json.describe('The value to compare with the labels of `cases`.'),
  })
  .meta({
    description:
      'Runs the steps of the first case in `cases` whose label equals the value, else those in `default`.',
    result: 'An object with the `label` of the case. Null if none matched.',
    examples: [{ value: '{{ web1.country }}' }],
  })

/**
 * `start` only matters for a loop directly after a paginated step, over its list: `whole_list` waits until it is
 * complete, `first_page` begins its iterations while pages arrive. Otherwise the list exists before the loop begins.
 */
export const loop = z
  .strictObject({
    over: json.describe('The list to go through: a template such as `{{ orders }}`, or a JSON list.'),
    collect: json
      .optional()
      .describe(
        "What each iteration adds to the loop's result. Absent: the result of the iteration's last step.",
      ),
    start: z
      .enum(['whole_list', 'first_page'])
      .optional()
      .describe(
        '`first_page` begins while a paginated step directly above is still reading; `whole_list` waits for all pages. Default: `whole_list`.',
      ),
  })
  .meta({
    description: 'Runs its `steps` once for each item of a list. Templates inside read `item` and `index`.',
    result: 'A list with the result of each iteration.',
    examples: [{ over: [1, 2, 3], collect: '{{ item * 2 }}' }],
  })

/** Evaluated at the end of each iteration: `item` is the result of the previous iteration, null in the first. */
export const loopWhile = z
  .strictObject({
    when: template.describe(
      'Condition checked at the end of each iteration: while it is true, the steps run again. `item` is the previous result, null at first.',
    ),
    max_iterations: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(1_000)
      .describe('Iterations after which the loop fails, 1 to 100000.'),
    collect: json
      .optional()
      .describe(
        "What each iteration adds to the loop's result. Absent: the result of the iteration's last step.",
      ),
  })
  .meta({
    description: 'Runs its `steps`, and again as long as a condition is true.',
    result: 'A list with the result of each iteration.',
    examples: [{ when: 'index < 2', collect: '{{ index }}' }],
  })

export const delay = z
  .strictObject({
    seconds: numeric.optional().describe('Seconds to wait, up to 366 days. Either this or `until`.'),
    until: template
      .optional()
      .describe('Time to wait for, in ISO 8601: `2027-01-31T09:00:00Z`. Either this or `seconds`.'),
  })
  .meta({
    description: 'Waits for some time, or until a point in time.',
    result: 'An object with `waited_seconds`.',
    examples: [{ seconds: 0.1 }],
  })

export const respond = z
  .strictObject({
    status_code: z
      .union([z.number().int(), template])
      .default(200)
      .describe('HTTP status of the response, 200 to 999.'),
    body: template
      .default('')
      .describe("Response body. One that begins with `{` or `[` is JSON whose values can't break it."),
    headers: z.record(z.string(), template).default({}).describe('Response headers by name.'),
  })
  .meta({
    description: 'Responds to the waiting caller now. The flow continues.',
    result: 'An object: `{{ reply.answered }}` is true if a caller was waiting.',
    examples: [{ status_code: 202, body: '{"accepted": true}' }],
  })

export const stop = z
  .strictObject({
    status: z
      .enum(['success', 'error'])
      .default('success')
      .describe('How the run ends: `success` or `error`.'),
    message: template
      .default('')
      .describe('Message shown with the run; the error message if `status` is `error`.'),
  })
  .meta({
    description: 'Ends the run here, with success or an error.',
    result: 'None: no step runs after it.',
    examples: [{ status: 'success', message: 'Nothing to do' }],
  })
