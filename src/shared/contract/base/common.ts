/** Schemas that several parts of the API use. */
import { fault, withValue } from './message.ts'
import { z } from 'zod'
import { LIMITS } from './limits.ts'

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, withValue('must be a UUID'))
export const idParams = z.object({ id: z.string().max(200).describe('ID of the record.') })

/** ISO 8601 UTC with `Z`. */
export const timestamp = z.string()

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, withValue(fault('must be a whole number from {{min}} to {{max}}', { min, max })))
    .transform(Number)
    .refine(
      (value) => value >= min && value <= max,
      withValue(fault('must be a whole number from {{min}} to {{max}}', { min, max })),
    )
    .describe(`A whole number from ${min} to ${max}`)
    // Query values are always strings, so the API description states the type that they represent.
    .meta({ type: 'integer', minimum: min, maximum: max })

export const repeatable = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())

const FILTER =
  '`field,operator,value` with eq, ne, gt, ge, lt, le, in or like (`%` matches any characters). Repeatable; all filters must match.'

export const FILTER_OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'like'] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]
export type FilterValue = string | number | boolean | null

/** A condition on the field of a list's records. */
export interface Filter {
  readonly field: string
  readonly operator: FilterOperator
  /** A list for `in`, a single value for other operators. */
  readonly value: FilterValue | readonly FilterValue[]
}

/** The query of lists: `page`, `per_page`, `sort=-created_at`, `filter=name,like,%25ft%25` (repeatable). */
export const listQuery = z.strictObject({
  page: wholeNumber(1, 1_000_000).optional().describe('Number of the page, from 1. Default: 1.'),
  per_page: wholeNumber(1, 200).optional().describe('Records per page, 1 to 200. Default: 50.'),
  sort: z
    .string()
    .max(100)
    .optional()
    .describe('Field to sort by. A leading `-` sorts in descending order: `-created_at`.'),
  filter: repeatable.optional().describe(FILTER),
})
export type ListQuery = z.output<typeof listQuery>

/**
 * The query of lists that grow while they are read. `after` is the ID of the last record seen, which `Link` uses.
 * `page` works as in other lists, but only within the first 10,000 records.
 */
export const keyedListQuery = z.strictObject({
  page: wholeNumber(1, 1_000_000)
    .optional()
    .describe('Number of the page, from 1, within the first 10,000 records. Default: 1.'),
  after: z
    .string()
    .max(200)
    .optional()
    .describe('ID of the last record of the previous page, instead of `page`. Defaults to the first page.'),
  per_page: wholeNumber(1, 200).optional().describe('Records per page, 1 to 200. Default: 50.'),
  filter: repeatable.optional().describe(FILTER),
})

/** The search term of a full-text search. */
export const searchText = (description: string) =>
  z
    .string()
    .max(500)
    .optional()
    .describe(`${description} \`"…"\` is a phrase, \`inv*\` the beginning of a word.`)

/** The iterations of the loops around a step. */
export const iteration = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,9}){0,30}$/, withValue('must be the iterations of the loops, such as 0 or 2.0'))
  .describe(
    'Iterations of the loops around the step, outermost first, from 0: `2.0`. Defaults to the last iteration of each loop.',
  )

/**
 * Any JSON value; integers beyond 2^53 arrive as bigint if the body is read losslessly. Callers can send any value that
 * can be serialized as JSON.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export const json: z.ZodType<Json> = z
  .unknown()
  .refine((value): value is Json => value !== undefined, 'is required')
export const jsonObject = z.record(z.string(), json)

/** Variables of templates. Every render gets all of them, so their number is limited. */
export const namedValues = jsonObject.refine((values) => Object.keys(values).length <= LIMITS.contextNames, {
  error: fault('has more than {{most}} names; put the values in an object under one name', {
    most: LIMITS.contextNames,
  }),
})

/** For stored values, which can't contain lone surrogates, not even in keys. */
export const wholeCharacters = z.refine(isWellFormed, 'contains half a character (a lone surrogate)')
export const storedObject = jsonObject.check(wholeCharacters)

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
  return entries.every(([key, item]) => key.isWellFormed() && isWellFormed(item))
}

/** Longer strings are templates, documents or secrets, in which invisible characters may be intended. */
const LONGEST_LABEL = 20_000
/** All control characters except tabs and line breaks. */
const CONTROL = /[^\P{Cc}\t\n\r]/u

/**
 * A string without lone surrogates or NUL, whose length is counted in code points. A short string can't contain any
 * control characters.
 */
export function text(max: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), 'contains half a character (a lone surrogate)')
    .refine((value) => !value.includes('\0'), { error: 'contains a NUL character', abort: true })
    .refine((value) => max > LONGEST_LABEL || !CONTROL.test(value), 'contains a control character')
    .refine(
      (value) => value.length <= max || [...value].length <= max,
      fault('must have at most {{limit}} characters', { limit: max }),
    )
    .meta({ maxLength: max })
}

export const nonEmptyText = (max: number) =>
  text(max)
    .refine((value) => value.trim() !== '', { error: 'must not be empty', abort: true })
    .refine((value) => VISIBLE.test(value), "can't be blank")
    .meta({ minLength: 1, maxLength: max })

/**
 * Matches a character that is neither whitespace nor invisible, such as a joiner, direction mark, filler or
 * the empty braille cell.
 */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u

/** Labels without duplicates: a label that is sent twice is stored once. */
export const labels = z
  .array(nonEmptyText(100))
  .max(50)
  .overwrite((all) => [...new Set(all)])

/** Scheme, host and port. Only these are compared, so anything after them would be ignored. */
export const origin = text(300)
  .trim()
  .refine(
    isOrigin,
    withValue('must be an origin such as https://files.example.com, with nothing after the host'),
  )

export function isOrigin(address: string): boolean {
  return /^https?:\/\/[^/?#@\\]+\/?$/i.test(address) && WEB_ADDRESS.safeParse(address).success
}

const WEB_ADDRESS = z.url({ protocol: /^https?$/i })
