import { z } from 'zod'
import { iteration, json, jsonObject, text } from './base/common.ts'
import { defineRoute } from './base/route.ts'

export const renderTemplateRoute = defineRoute({
  method: 'POST',
  path: '/v1/templates/render',
  summary: 'Render a template with a context, or with the results of a flow run',
  access: 'any-token',
  status: 200,
  body: z
    .strictObject({
      template: text(5_242_880),
      context: jsonObject.optional(),
      flow_run_id: text(200).optional(),
      native: z.boolean().default(false),
    })
    .refine(({ context, flow_run_id: id }) => context === undefined || id === undefined, {
      error: 'is given beside flow_run_id; send one of them',
      path: ['context'],
    }),
  bodyLimit: 'large',
  result: z.object({ output: json }),
})

export const COMPLETION_KINDS = ['filter', 'test', 'global', 'method', 'tag'] as const

/** What can be written in any template, from the tables that implement it. */
const completionEntry = z.object({
  kind: z.enum(COMPLETION_KINDS),
  name: z.string(),
  aliases: z.array(z.string()),
  /** `length=255, end='...'`; empty where it takes nothing. */
  signature: z.string(),
  /** One line. */
  help: z.string(),
  /** For a method: the types that have it. */
  types: z.array(z.string()),
})
export type CompletionEntry = z.output<typeof completionEntry>

/** A name that a template can read at one place, or a path below one. */
const scopeName = z.object({
  /** `web1.order.items[0].sku` */
  path: z.string(),
  from: z.enum(['step', 'loop', 'env']),
  /** Python's name of its type: `str`, `int`, `list`, `dict` …; null where no value is known. */
  type: z.string().nullable(),
  /** The value's text, shortened; null where none is known. */
  sample: z.string().nullable(),
})
export type ScopeName = z.output<typeof scopeName>

/** Where a template stands: its flow as the editor holds it, the step, and the field in it (`config.collect`). */
const place = {
  flow_id: text(200).optional(),
  ref_id: text(100).optional(),
  field: text(200).optional(),
  /** Whose results are the values. */
  flow_run_id: text(200).optional(),
  iteration: iteration.optional(),
}

export const completionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/templates/completions',
  name: 'list_template_completions',
  summary: 'What an editor can offer: filters, tests, methods, globals, and the names that a step can read',
  access: 'any-token',
  status: 200,
  query: z.strictObject(place),
  result: z.object({ entries: z.array(completionEntry), names: z.array(scopeName) }),
})

export const PREVIEW_KINDS = ['value', 'text', 'condition', 'dictionary', 'body'] as const
export type PreviewKind = (typeof PREVIEW_KINDS)[number]

const templateProblem = z.object({
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  /** As written; empty at the end of the template. */
  token: z.string(),
  hint: z.string().nullable(),
})
export type TemplateProblem = z.output<typeof templateProblem>

export const previewTemplateRoute = defineRoute({
  method: 'POST',
  path: '/v1/templates/preview',
  summary: 'Check a template where it stands, and render it with a run, with given values, or both',
  access: 'any-token',
  status: 200,
  body: z.strictObject({
    template: text(65_536),
    /** What the field makes of it: a value that keeps its type, text, yes or no, a dictionary, a JSON body. */
    kind: z.enum(PREVIEW_KINDS).default('value'),
    ...place,
    /** Goes before what the run has: a pinned value, a captured request, what was typed. */
    context: jsonObject.optional(),
  }),
  bodyLimit: 'large',
  result: z.object({
    problems: z.array(templateProblem),
    /** Names that it reads and that no value is known of; nothing is rendered then. */
    missing: z.array(z.string()),
    /** The loops whose item the template can read, outermost first, with the item that is used. */
    loops: z.array(
      z.object({
        ref_id: z.string(),
        index: z.number().int(),
        /** How many items its list has. */
        count: z.number().int(),
      }),
    ),
    /** Null where nothing was rendered. */
    rendered: z
      .object({ text: z.string(), value: json, type: z.string(), truncated: z.boolean() })
      .nullable(),
  }),
})
export type TemplatePreview = z.output<typeof previewTemplateRoute.result>
