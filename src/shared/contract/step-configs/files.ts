/** Steps that read and write texts and files. */
import { z } from 'zod'
import { json } from '../base/common.ts'
import { flag, template } from './fields.ts'

/** A text, or a file that was uploaded or came with a request. */
const textOrFile = { text: template.optional(), file_id: template.nullable().optional() }

export const csvParse = z.strictObject({
  ...textOrFile,
  /** One character; `auto` finds it in the first line. */
  delimiter: template.default(','),
  /** The first row names the keys of the others; otherwise each row is a list. */
  header: flag.default(true),
  /** Of a file. */
  encoding: template.default('utf-8'),
})

export const csvWrite = z.strictObject({
  /** A list of dictionaries, or of lists. */
  rows: json,
  delimiter: template.default(','),
  /** Names the keys and their order; absent, all that occur. */
  columns: z
    .union([z.array(template).max(1_000), template])
    .nullable()
    .optional(),
  header: flag.default(true),
})

export const xmlParse = z.strictObject({ ...textOrFile })

export const xmlWrite = z.strictObject({
  /** A dictionary with one key, the root; `@name` is an attribute, `#text` the text beside them. */
  value: json,
  indent: z.number().int().min(0).max(8).default(2),
  declaration: flag.default(true),
})

export const FILE_ENCODINGS = ['utf-8', 'utf-16le', 'latin1', 'base64', 'hex'] as const

/** Inside one of the folders that the settings allow; a relative path begins in the first of them. */
const path = template

export const fileRead = z.strictObject({
  path,
  /** How the bytes are read; `base64` and `hex` are for files that are no text. */
  encoding: z.enum(FILE_ENCODINGS).default('utf-8'),
})

export const fileWrite = z.strictObject({
  path,
  /** A text; what is none is written as JSON. */
  content: json,
  encoding: z.enum(FILE_ENCODINGS).default('utf-8'),
  /** Adds to the file where it is there; otherwise it is replaced. */
  append: flag.default(false),
})
