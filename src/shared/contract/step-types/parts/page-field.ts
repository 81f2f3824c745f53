/** The fields of a page that a person fills in. */
import { z } from 'zod'
import { text } from '../../base/common.ts'
import { flag } from './fields.ts'

export const FORM_FIELD_KINDS = ['text', 'textarea', 'number', 'email', 'date', 'select', 'switch'] as const

/** A field of a page, written like those of an action's form. */
const formField = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must begin with a letter, then letters, digits and _')
    .describe('Name by which templates read the value: `{{ form.name }}`.'),
  type: z
    .enum(FORM_FIELD_KINDS)
    .default('text')
    .describe(
      'The kind of field: `text`, `textarea` (several lines), `number`, `email`, `date`, `select` (one of `options`) or `switch` (true or false).',
    ),
  label: text(300).default('').describe('Label of the field. Empty: its name.'),
  help: text(1_000).default('').describe('Help shown below the label.'),
  required: flag
    .default(false)
    .describe('True if a value must be entered; a `switch` must then be turned on.'),
  options: z
    .array(text(200).min(1, 'must not be empty'))
    .max(200)
    .default([])
    .describe('Choices of a `select`, at most 200.'),
})
export type FormField = z.output<typeof formField>

const MOST_FIELDS = 50

export const formFields = z
  .array(formField)
  .max(MOST_FIELDS)
  .superRefine((fields, context) => {
    for (const [at, { name, type, options }] of fields.entries()) {
      if (fields.findIndex((field) => field.name === name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'is there twice' })
      if (type === 'select' && options.length === 0)
        context.addIssue({ code: 'custom', path: [at, 'options'], message: 'needs at least one choice' })
    }
  })
