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
    label: text(1_000).optional().describe('The text to show. Absent: the value.'),
  }),
])

/** Unknown keys are kept for other programs that display the form. */
const formField = z.looseObject({
  name: nonEmptyText(200).describe('Name by which templates read the value: `{{ input.name }}`.'),
  type: z
    .enum(FORM_FIELD_TYPES)
    .optional()
    .describe(
      'The kind of form control. `boolean`, `object` and `json` are aliases of `switch`, `nested_object` and `textarea`.',
    ),
  label: text(1_000).optional().describe('Label of the control. Absent: the name.'),
  help: text(4_000).optional().describe('Help shown below the control.'),
  placeholder: text(1_000).optional().describe('Text shown while the control is empty.'),
  required: z.boolean().optional().describe('True if a value must be entered.'),
  secret: z.boolean().optional().describe('True hides the value and stores it encrypted.'),
  options: z.array(option).max(5_000).optional().describe('Choices of a `select`.'),
  multiple: z.boolean().optional().describe('True allows several choices.'),
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
        ? fault('is nested more than {{most}} deep', { most: MOST_NESTED })
        : 'must be a list'
      context.addIssue({ code: 'custom', path: [...place, 'fields'], message })
    } else checkFields(below as Json[], [...place, 'fields'], context)
  }
}
