import { z } from 'zod'
import { fault } from './message.ts'
import { type Json, jsonObject, nonEmptyText, text } from './common.ts'

export const FORM_FIELD_TYPES = [
  'text',
  'textarea',
  'number',
  'email',
  'password',
  'select',
  'switch',
  'date',
  'datetime',
  'daterange',
  'nested_object',
  'lookup',
  // Synonyms for `switch`, `nested_object` and `textarea`.
  'boolean',
  'object',
  'json',
] as const

const MOST_FIELDS = 500
const MOST_NESTED = 5

const choice = z.union([text(1_000), z.number()])
const option = z.union([
  choice,
  z.looseObject({
    value: choice.describe('The value to store if this option is chosen.'),
    label: text(1_000).optional().describe('The text to show. Defaults to the value.'),
  }),
])

/**
 * The source of the choices in a `lookup`. Without an action or an endpoint, the connector's `search_config` applies.
 */
export const lookup = z.strictObject({
  action: text(100)
    .optional()
    .describe(
      "Name of the connector's action that lists the records. Its required fields are filled with those of the same name.",
    ),
  input: jsonObject
    .optional()
    .describe(
      'Further values for that action: templates over `input`, the form so far, and `q`, the text to search for.',
    ),
  endpoint: text(4_000)
    .optional()
    .describe('Instead of an action: the path of a GET request. A template over `input`, `auth` and `q`.'),
  query: jsonObject.optional().describe('Query parameters of that request; their strings are templates too.'),
  paginated: z
    .boolean()
    .optional()
    .describe(
      "True reads the response page by page with the connector's `pagination_config`. If absent, it is as the action says.",
    ),
  type: z
    .enum(['list', 'search'])
    .optional()
    .describe('`search` if the API searches for `q`; `list` (default) if Millrace searches the list.'),
  response_jsonpath: text(1_000)
    .optional()
    .describe("JSONPath of the records in a response that isn't paginated. Defaults to the only list in it."),
  response_fields: z
    .strictObject({
      id: text(1_000).optional().describe("JSONPath of a record's ID."),
      match: text(1_000).optional().describe("JSONPath of a record's name, which is shown and searched."),
    })
    .optional()
    .describe("JSONPaths of a record's ID and name. Defaults to the members that APIs usually have them in."),
  read: text(100)
    .optional()
    .describe('Name of the action that reads one record by its ID, to check a stored one.'),
  url: z
    .union([text(2_000), z.array(text(2_000)).max(20)])
    .optional()
    .describe(
      'URLs of a record, with `{id}` for its ID and `*` for any other segment: `https://airtable.com/*/{id}`. The ID is read from one that is pasted.',
    ),
})
export type Lookup = z.output<typeof lookup>

/** Unknown keys are kept for other programs that display the form. */
const formField = z.looseObject({
  name: nonEmptyText(200).describe('Name that templates use for the value: `{{ input.name }}`.'),
  type: z
    .enum(FORM_FIELD_TYPES)
    .optional()
    .describe(
      'The kind of form control. `boolean`, `object` and `json` are aliases of `switch`, `nested_object` and `textarea`.',
    ),
  label: text(1_000).optional().describe('Label of the control. Defaults to the name.'),
  help: text(4_000).optional().describe('Help shown below the control.'),
  placeholder: text(1_000).optional().describe('Text shown while the control is empty.'),
  required: z.boolean().optional().describe('True if a value must be entered.'),
  secret: z.boolean().optional().describe('True hides the value and stores it encrypted.'),
  options: z.array(option).max(5_000).optional().describe('Choices of a `select`.'),
  lookup: lookup.optional().describe('Where the choices of a `lookup` come from.'),
  multiple: z.boolean().optional().describe('True allows several choices, of a `select` or a `lookup`.'),
  allowCreate: z.boolean().optional().describe("True allows values that aren't among the choices."),
})

/** The fields of a form: an action's input, or a connector's credentials. */
export const formSchema = z
  .array(jsonObject)
  .max(MOST_FIELDS)
  .superRefine((fields, context) => checkFields(fields, [], context))

function checkFields(fields: readonly Json[], path: readonly PropertyKey[], context: z.RefinementCtx): void {
  for (const [at, field] of fields.entries()) {
    const place = [...path, at]
    const result = formField.safeParse(field)
    for (const issue of result.error?.issues ?? [])
      context.addIssue({ ...issue, path: [...place, ...issue.path] })
    if (!result.success) continue
    const below = result.data['fields']
    if (below === undefined) continue
    if (!Array.isArray(below) || place.length >= MOST_NESTED) {
      const message = Array.isArray(below)
        ? fault('is nested more than {{most}} levels deep', { most: MOST_NESTED })
        : 'must be a list'
      context.addIssue({ code: 'custom', path: [...place, 'fields'], message })
    } else checkFields(below as Json[], [...place, 'fields'], context)
  }
}
