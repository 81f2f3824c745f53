/** Steps that read and write strings and files. */
import { z } from 'zod'
import { json } from '../base/common.ts'
import { flag, template } from './fields.ts'

/** A string, or a file that was uploaded or came with a request. */
const textOrFile = {
  text: template.optional().describe('The text to parse. Either this or `file_id`.'),
  file_id: template
    .nullable()
    .optional()
    .describe('ID of a file to parse, uploaded or received with a request. Either this or `text`.'),
}

export const csvParse = z
  .strictObject({
    ...textOrFile,
    delimiter: template
      .default(',')
      .describe('Character between the values. `auto` finds it in the first line.'),
    header: flag
      .default(true)
      .describe(
        'True: the first row contains the keys, and each row becomes an object. False: each row becomes a list.',
      ),
    encoding: template
      .default('utf-8')
      .describe('Character encoding of the file, such as `utf-8` or `latin1`.'),
  })
  .meta({
    description: 'Parses CSV from a string or a file.',
    result: 'The list of rows.',
    examples: [{ text: 'name,total\nAnn,5' }],
  })

export const csvWrite = z
  .strictObject({
    rows: json.describe('The rows to write: a list of objects or of lists.'),
    delimiter: template.default(',').describe('Character between the values.'),
    columns: z
      .union([z.array(template).max(1_000), template])
      .nullable()
      .optional()
      .describe('Keys to write and their order. Null or absent: all keys that occur.'),
    header: flag.default(true).describe('True writes the keys as the first row.'),
  })
  .meta({
    description: 'Writes rows as CSV.',
    result: 'The CSV as a string.',
    examples: [{ rows: [{ name: 'Ann', total: 5 }], delimiter: ';' }],
  })

export const xmlParse = z.strictObject({ ...textOrFile }).meta({
  description: 'Parses XML from a string or a file.',
  result: 'An object with the root element as its key.',
  examples: [{ text: '<order number="7"><line>tea</line></order>' }],
})

export const xmlWrite = z
  .strictObject({
    value: json.describe(
      'An object with one key, the root element. `@name` is an attribute, `#text` the text next to attributes.',
    ),
    indent: z
      .number()
      .int()
      .min(0)
      .max(8)
      .default(2)
      .describe('Spaces per level, 0 to 8. 0 writes everything on one line.'),
    declaration: flag.default(true).describe('True begins with `<?xml version="1.0" encoding="UTF-8"?>`.'),
  })
  .meta({
    description: 'Writes an object as XML.',
    result: 'The XML as a string.',
    examples: [{ value: { order: { '@number': 7, line: 'tea' } } }],
  })

export const FILE_ENCODINGS = ['utf-8', 'utf-16le', 'latin1', 'base64', 'hex'] as const

/** Inside one of the folders that the settings allow; relative paths are resolved against the first one. */
const path = template

export const fileRead = z
  .strictObject({
    path: path.describe(
      'File to read, inside a folder that the settings allow. A relative path starts in the first of them.',
    ),
    encoding: z
      .enum(FILE_ENCODINGS)
      .default('utf-8')
      .describe("How to read the bytes. `base64` and `hex` are for files that aren't text."),
  })
  .meta({
    description: 'Reads a file in one of the folders that the settings allow.',
    result: 'The content as a string.',
    examples: [{ path: 'orders/today.csv' }],
  })

export const fileWrite = z
  .strictObject({
    path: path.describe(
      'File to write, inside a folder that the settings allow. A relative path starts in the first of them.',
    ),
    content: json.describe("What to write. Anything that isn't a string is written as JSON."),
    encoding: z
      .enum(FILE_ENCODINGS)
      .default('utf-8')
      .describe("How the content is turned into bytes. `base64` and `hex` are for files that aren't text."),
    append: flag.default(false).describe('True adds to an existing file. False replaces it.'),
  })
  .meta({
    description: 'Writes a file in one of the folders that the settings allow.',
    result: 'An object with the `path` and the `size` in bytes.',
    examples: [{ path: 'orders/today.json', content: '{{ web1 }}' }],
  })
