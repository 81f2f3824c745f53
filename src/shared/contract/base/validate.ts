/** Checks a value against a schema of the contract and describes each invalid field in a sentence. */
import type { z } from 'zod'
import { fieldErrors } from './errors.ts'
import { parseLossless } from './parse-lossless.ts'

/** A longer list wouldn't help, and the response stays short whatever was sent. */
const MAX_FIELDS = 50
const MAX_PATH_LENGTH = 200

/**
 * The parsed value, with defaults.
 *
 * @param whole the name of the value itself, for faults that aren't in a single field: `body`, `query`
 * @throws AppError `validation`, with data = `{"steps[1].config.url": ["is required"]}`
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, whole = 'body'): z.output<S> {
  const result = parseLossless(schema, value, describeIssue)
  if (result.success) return result.data
  throw fieldErrors(sentencesByField(result.error.issues, whole))
}

function sentencesByField(issues: readonly z.core.$ZodIssue[], whole: string): Record<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const { path, message } of issues.flatMap(flattenIssue)) {
    const field = fieldPath(path) || whole
    const sentences = fields.get(field)
    if (sentences) sentences.push(message)
    else if (fields.size < MAX_FIELDS) fields.set(field, [message])
  }
  return Object.fromEntries(fields)
}

interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * One finding for each thing to fix: a union is represented by the branch that was meant, unknown keys are listed by
 * name.
 */
function flattenIssue(issue: z.core.$ZodIssue): Finding[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }))
  }
  if (issue.code === 'invalid_union') {
    const branch = meantBranch(issue.errors)
    if (branch) {
      return branch.flatMap(flattenIssue).map((found) => ({ ...found, path: [...path, ...found.path] }))
    }
  }
  return [{ path, message: issue.message }]
}

/**
 * The branch that matches the type of the value, or of several the one with the fewest faults; null if none matches.
 */
function meantBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const ofTheKind = branches.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  return ofTheKind.toSorted((a, b) => a.length - b.length)[0] ?? null
}

function fieldPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`
    return before === '' ? String(key) : `${before}.${String(key)}`
  }, '')
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text
}

/**
 * The sentence after a field's name: `"note" must be a text, not a number`. A schema's own sentence takes precedence.
 */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? describeAbsent(issue.inst)
        : describeType(issue.expected, issue.input)
    case 'too_small':
      return describeBound('at least', issue)
    case 'too_big':
      return describeBound('at most', issue)
    case 'invalid_value':
      return issue.input === undefined
        ? `is required: ${oneOf(issue.values)}`
        : `must be ${oneOf(issue.values)}`
    case 'unrecognized_keys':
      return describeUnknown(issue.inst)
    case 'invalid_union':
      return describeUnion(issue)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format === 'regex' ? 'has an invalid format' : `is no ${issue.format}`
    default:
      return 'is not valid'
  }
}

/** A longer list is less helpful than the description of the route. */
const MOST_KEYS = 30

function describeUnknown(schema: Schema): string {
  const keys = Object.keys((schema?._zod.def as Definition | undefined)?.shape ?? {})
  const known = keys.length > 0 && keys.length <= MOST_KEYS ? `; known are ${keys.join(', ')}` : ''
  return `is unknown; remove it or check its spelling${known}`
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

/** Lists the allowed values if they are few; the schema of a required choice is nested in wrappers. */
function describeAbsent(schema: Schema): string {
  const { innerType, entries } = (schema?._zod.def ?? {}) as Definition
  if (innerType) return describeAbsent(innerType)
  return entries ? `is required: ${oneOf(Object.values(entries))}` : 'is required'
}

type Schema = z.core.$ZodRawIssue['inst']
interface Definition {
  readonly innerType?: NonNullable<Schema>
  readonly entries?: object
  readonly shape?: object
}

function describeType(expected: string, input: unknown): string {
  // Integers beyond 2^53 are read losslessly as bigint; no field has such large values.
  if (typeof input === 'bigint' && (expected === 'number' || expected === 'int'))
    return 'is too large a number'
  if (expected === 'int' && typeof input === 'number') return 'must be a whole number'
  return `must be ${TYPE_NAMES[expected] ?? expected}, not ${kindOf(input)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'bigint') return 'a number'
  return typeof value === 'boolean' ? String(value) : (TYPE_NAMES[typeof value] ?? typeof value)
}

interface Bound {
  readonly origin?: string
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly inclusive?: boolean
}

const COUNTED: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items' }

function describeBound(words: 'at least' | 'at most', issue: Bound): string {
  const limit = String(issue.minimum ?? issue.maximum)
  const counted = COUNTED[issue.origin ?? '']
  if (counted && issue.minimum === 1) return 'must not be empty'
  if (counted) return `must have ${words} ${limit} ${counted}`
  if (issue.inclusive === false) return `must be ${words === 'at least' ? 'more' : 'less'} than ${limit}`
  return `must be ${words} ${limit}`
}

interface UnionIssue {
  readonly errors?: readonly (readonly { readonly code?: string; readonly expected?: string }[])[]
  readonly options?: readonly unknown[]
  readonly input?: unknown
}

function describeUnion({ errors = [], options, input }: UnionIssue): string {
  if (options && options.length > 0) return `must be ${oneOf(options)}`
  if (input === undefined) return 'is required'
  const kinds = errors.flatMap(([first]) =>
    first?.expected ? [TYPE_NAMES[first.expected] ?? first.expected] : [],
  )
  return kinds.length > 0
    ? `must be ${[...new Set(kinds)].join(' or ')}, not ${kindOf(input)}`
    : 'is not valid'
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)))
  return names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`
}
