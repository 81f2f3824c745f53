/** The fields of a page that a person fills in. */
import { withValue } from '../../base/message.ts'
import { z } from 'zod'
import { text } from '../../base/common.ts'
import { flag } from './fields.ts'
import type { Config } from './step-type.ts'

export const FORM_FIELD_KINDS = [
  'text',
  'textarea',
  'number',
  'email',
  'date',
  'select',
  'switch',
  'file',
] as const

/** A field of a page, written like those of an action's form. */
const formField = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/, withValue('must begin with a letter, then letters, digits and _'))
    .describe('Name that templates use for the value: `{{ form.name }}`.'),
  type: z
    .enum(FORM_FIELD_KINDS)
    .default('text')
    .describe(
      'The kind of field: `text`, `textarea` (several lines), `number`, `email`, `date`, `select` (one of `options`), `switch` (true or false) or `file`.',
    ),
  label: text(300).default('').describe('Label of the field. Leave empty for its name.'),
  help: text(1_000).default('').describe('Help shown below the label.'),
  required: flag
    .default(false)
    .describe('True if a value must be entered; a `switch` must then be turned on.'),
  options: z
    .array(text(200).min(1, 'must not be empty'))
    .max(200)
    .default([])
    .describe('Choices of a `select`, at most 200.'),
  accept: z
    .array(z.string().regex(/^\.[A-Za-z0-9]{1,10}$/, withValue('must be an extension, such as .pdf')))
    .max(30)
    .default([])
    .describe('For a `file`: the extensions that are accepted, such as `.pdf`. Leave empty for any file.'),
  max_mb: z
    .number()
    .positive()
    .max(100)
    .nullable()
    .default(null)
    .describe(
      'For a `file`: how large each can be, in megabytes. All files together can have the setting `webhook_body_limit_bytes`. Null means only that.',
    ),
  multiple: flag.default(false).describe('For a `file`: true accepts several, at most 20.'),
})
export type FormField = z.output<typeof formField>

const MOST_FIELDS = 50

export const formFields = z
  .array(formField)
  .max(MOST_FIELDS)
  .superRefine((fields, context) => {
    for (const [at, { name, type, options }] of fields.entries()) {
      if (fields.findIndex((field) => field.name === name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'appears twice' })
      if (type === 'select' && options.length === 0)
        context.addIssue({ code: 'custom', path: [at, 'options'], message: 'needs at least one choice' })
    }
  })

/** The image above the heading of a page. */
export const pageLogo = {
  logo_file_id: text(60)
    .default('')
    .describe(
      'ID of an uploaded image that is shown above the heading: PNG, JPEG, GIF or WebP, at most 256 kB. Leave empty for none.',
    ),
  logo_alt: text(200)
    .default('')
    .describe("What the logo says, for people who don't see it: the name of the company, for example."),
}

export const pageLogoFaces = {
  logo_file_id: { label: 'Logo', optional: true, hint: 'PNG, JPEG, GIF or WebP, at most 256 kB.' },
  logo_alt: {
    label: 'Text of the logo',
    optional: true,
    hint: 'Read aloud to people who can’t see the logo.',
    example: 'Northwind',
    when: ({ logo_file_id: logo }: Config) => typeof logo === 'string' && logo !== '',
  },
} as const
