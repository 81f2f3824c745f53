import { doc } from './base/doc.ts'
import { z } from 'zod'
import { iteration, json, namedValues, text } from './base/common.ts'
import { defineRoute } from './base/route.ts'
import { step } from './steps.ts'

export const renderTemplateRoute = defineRoute({
  method: 'POST',
  path: '/v1/templates/render',
  summary: 'Render a template with a context, or with the results of a flow run',
  access: 'any-token',
  chosen: 'own',
  status: 200,
  rateLimited: true,
  body: z
    .strictObject({
      template: text(5_242_880).describe('The template to render, up to 5 MiB.'),
      context: namedValues
        .optional()
        .describe("Values that the template can read, by name. Can't be combined with `flow_run_id`."),
      flow_run_id: text(200).optional().describe('ID of the run whose step results the template can read.'),
      native: z
        .boolean()
        .default(false)
        .describe(
          'True returns the value of a template that is one `{{ expression }}` with its type. False returns text.',
        ),
    })
    .refine(({ context, flow_run_id: id }) => context === undefined || id === undefined, {
      error: "can't be combined with flow_run_id; send only one of them",
      path: ['context'],
    }),
  bodyLimit: 'large',
  result: z.object({
    output: json.meta(doc('The rendered text, or the value if `native` is true.', 'Hello ANN')),
  }),
})

export const COMPLETION_KINDS = ['filter', 'test', 'global', 'method', 'tag'] as const

/** A suggestion for any template, built from the tables that implement what it suggests. */
const completionEntry = z.object({
  kind: z.enum(COMPLETION_KINDS).describe('What it is: a filter, test, global, method or tag.'),
  name: z.string().meta(doc('Name to write in the template.', 'truncate')),
  aliases: z.array(z.string()).describe('Other names with the same meaning.'),
  signature: z
    .string()
    .describe("Parameters with their defaults: `length=255, end='...'`. Empty if there are none.")
    .meta({ examples: ["length=255, end='...'"] }),
  help: z.string().meta(doc('What it does, in one line.', 'Shortens a string to a length.')),
  types: z.array(z.string()).describe('Python types that have the method. Empty for everything else.'),
})
export type CompletionEntry = z.output<typeof completionEntry>

/** A name, or a path below one, that a template can read at a position. */
const scopeName = z.object({
  path: z.string().meta(doc('What to write in the template: `web1.order.items[0].sku`.', 'order.id')),
  from: z
    .enum(['step', 'loop', 'env'])
    .describe('Where the name comes from: a step result, a loop or a variable.'),
  type: z
    .string()
    .nullable()
    .describe("Python name of the value's type: `str`, `int`, `list`, `dict`. Null if no value is known.")
    .meta({ examples: ['int'] }),
  sample: z.string().nullable().meta(doc('The value as text, shortened. Null if none is known.', '4711')),
})
export type ScopeName = z.output<typeof scopeName>

/** The position of a template: its flow as it is in the editor, the step, and the field, such as `config.collect`. */
const place = {
  flow_id: text(200)
    .optional()
    .describe('ID of the flow that contains the template. Its draft changes are used.'),
  ref_id: text(100).optional().describe('Reference name of the step that contains the template.'),
  field: text(200).optional().describe('Path of the field inside the step: `config.url`.'),
  flow_run_id: text(200)
    .optional()
    .describe('ID of the run whose results are the values. Defaults to the newest run that kept any.'),
  iteration: iteration
    .optional()
    .describe("Which iteration's values to use: `2.0`, outermost loop first, from 0."),
}

export const completionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/templates/completions',
  name: 'list_template_completions',
  summary:
    'List completions for templates: filters, tests, methods, globals, and the names that a step can read',
  access: 'any-token',
  chosen: 'own',
  status: 200,
  refusals: [404],
  query: z.strictObject(place),
  result: z.object({
    entries: z
      .array(completionEntry)
      .describe('Filters, tests, globals, methods and tags of the template language.'),
    names: z.array(scopeName).describe('Names that the template can read at this place.'),
  }),
})

export const PREVIEW_KINDS = ['value', 'text', 'condition', 'dictionary', 'body', 'xml'] as const
export type PreviewKind = (typeof PREVIEW_KINDS)[number]

const templateProblem = z.object({
  severity: z
    .enum(['error', 'warning'])
    .describe('`error` prevents rendering; `warning` is probably not intended.'),
  message: z.string().describe('What is wrong, with the value.'),
  line: z.int().describe('Line of the problem, counted from 1.'),
  column: z.int().describe('Column of the problem, counted from 1.'),
  token: z.string().describe('The part of the template with the problem. Empty at the end of the template.'),
  hint: z.string().nullable().describe('What to write instead. Null if there is no suggestion.'),
})
export type TemplateProblem = z.output<typeof templateProblem>

/** The maximum number of items that a step is tried on while it is edited. */
export const MOST_LOOKED_AT = 1_000

/** The result of a step for the available values. */
const stepOutcome = z.object({
  count: z
    .int()
    .nullable()
    .describe(
      'Number of items in the list. Null if there is no list, or if it is written in the step itself.',
    ),
  looked_at: z.int().nullable().describe('Number of items that were tried, from the first, at most 1,000.'),
  result_count: z.int().nullable().describe('Number of items or results. Null for a condition or switch.'),
  results: z.array(json).nullable().describe('The first results. Null if they are too large to show.'),
  branch: z
    .enum(['then', 'else', 'case', 'default'])
    .nullable()
    .describe('The branch that a condition or switch takes.'),
  label: z.string().nullable().meta(doc('Label of the case.', 'DE')),
  error: z.string().nullable().meta(doc('Why there is no result.', null)),
})
export type StepOutcome = z.output<typeof stepOutcome>

export const previewTemplateRoute = defineRoute({
  method: 'POST',
  path: '/v1/templates/preview',
  summary: 'Check a template of a flow, and render it with the results of a run, with given values, or both',
  access: 'any-token',
  chosen: 'own',
  status: 200,
  rateLimited: true,
  body: z.strictObject({
    template: text(65_536).describe('The template to check and render, up to 65,536 characters.'),
    kind: z
      .enum(PREVIEW_KINDS)
      .default('value')
      .describe(
        'How the field uses the result: a value with its type, text, a condition, a dictionary or a JSON body.',
      ),
    ...place,
    context: namedValues
      .optional()
      .describe('Values by name that override those of the run, such as a pinned result.'),
    step: step
      .optional()
      .describe(
        'A filter, sort, aggregate, merge, condition or switch to try on the values. The steps inside it do not run.',
      ),
    continue: z.boolean().default(false).describe('Whether to list what may follow the value.'),
  }),
  bodyLimit: 'large',
  result: z.object({
    problems: z
      .array(templateProblem)
      .meta(doc('Errors and warnings in the template. Empty if it is fine.', [])),
    missing: z
      .array(z.string())
      .describe('Names that the template reads without a known value. If there are any, nothing is rendered.')
      .meta({ examples: [[]] }),
    loops: z
      .array(
        z.object({
          ref_id: z.string().describe('Reference name of the loop.'),
          index: z.int().describe('Index of the item that was used, from 0.'),
          count: z.int().describe("How many items the loop's list has."),
        }),
      )
      .meta(doc('The loops around the template, outermost first, with the item that was used.', [])),
    rendered: z
      .object({
        text: z.string().meta(doc('The result as text.', '4711')),
        value: json.meta(doc('The result with its type.', 4711)),
        type: z.string().meta(doc("Python name of the result's type, such as `str` or `list`.", 'int')),
        truncated: z.boolean().meta(doc('True if the result was too long to be returned in full.', false)),
      })
      .nullable()
      .describe('The rendered template. Null if nothing was rendered.'),
    outcome: stepOutcome
      .nullable()
      .describe('The effect of the step on the values. Null without a step, or if a value is unknown.'),
    continuations: z
      .array(
        z.object({
          kind: z.enum(['filter', 'method']).describe('A filter or a method.'),
          name: z.string().describe('Name of the filter or method.'),
          insert: z
            .string()
            .meta(doc('How it is written after the expression, such as ` | upper`.', ' | upper')),
          help: z.string().meta(doc('One line of help.', 'Converts a string to upper case.')),
          result: z
            .string()
            .nullable()
            .meta(doc('The resulting text, shortened. Null if the value is too large to try.', 'ANN')),
        }),
      )
      .describe('With `continue`: the filters and methods that fit the value.'),
  }),
})
export type TemplatePreview = z.output<typeof previewTemplateRoute.result>

export const templateRoutes = {
  renderTemplateRoute,
  completionsRoute,
  previewTemplateRoute,
}
