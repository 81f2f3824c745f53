/** Checks a value against a schema of the contract and describes each invalid field in a sentence. */
import type { z } from 'zod'
import { fieldErrors } from './errors.ts'
import {
  englishOf,
  type Message,
  namesItsValue,
  nearest,
  quoted,
  say,
  saidInSchema,
  type Said,
} from './message.ts'
import { parseLossless } from './parse-lossless.ts'

/** A longer list wouldn't help, and this keeps every response short. */
const MAX_FIELDS = 50
const MAX_PATH_LENGTH = 200

/**
 * The parsed value, with defaults.
 *
 * @param whole the name of the value itself, for faults that aren't in a single field: `body`, `query`
 * @throws AppError `validation`, with data = `{"steps[1].config.url": ["is required"]}`
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, whole = 'body'): z.output<S> {
  // Messages by their text, because the schema library keeps only that.
  const described = new Map<string, Message>()
  const result = parseLossless(schema, value, (issue) => {
    const message = describeIssue(issue)
    described.set(String(message), message)
    return String(message)
  })
  if (result.success) return result.data
  const sentenceOf = ({ path, message }: Finding) =>
    described.get(message) ?? completed(message, valueAt(value, path))
  throw fieldErrors(sentencesByField(result.error.issues, whole, sentenceOf))
}

function sentencesByField(
  issues: readonly z.core.$ZodIssue[],
  whole: string,
  sentenceOf: (finding: Finding) => Said,
): Record<string, Said[]> {
  const fields = new Map<string, Said[]>()
  for (const finding of issues.flatMap(flattenIssue)) {
    const field = fieldPath(finding.path) || whole
    const sentences = fields.get(field)
    if (sentences) sentences.push(sentenceOf(finding))
    else if (fields.size < MAX_FIELDS) fields.set(field, [sentenceOf(finding)])
  }
  return Object.fromEntries(fields)
}

/** A schema's own message, with the value or its length if the message requires it. */
function completed(sentence: string, value: unknown): Said {
  const said = saidInSchema(sentence)
  const { limit = '' } = said.params
  if (said.key === 'must have at most {{limit}} characters' && typeof value === 'string')
    return say('has {{count}} characters, but at most {{limit}} are allowed', {
      count: [...value].length,
      limit,
    })
  return namesItsValue(sentence) ? got(said, value) : said
}

/** Adds the invalid value to a requirement: `must be a UUID, got "7"`. Not for secrets. */
export const got = (rest: Said, value: unknown): Said =>
  value === undefined ? rest : say('{{rest}}, got {{value}}', { rest, value: shown(value) })

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((owner, key) => {
    if (owner instanceof Map) return (owner as Map<PropertyKey, unknown>).get(key)
    if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, key)) return undefined
    return (owner as Record<PropertyKey, unknown>)[key]
  }, value)
}

/** In UTF-16 code units, as the schema library counts. */
const lengthOf = (value: unknown) => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)

const LONGEST_SHOWN = 60

/** A value for a message: a string as truncated JSON, a number as it is, anything else only by its type. */
function shown(value: unknown): Said {
  if (typeof value === 'string') {
    const text = value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value
    return quoted(JSON.stringify(text))
  }
  return typeof value === 'number' || isWrittenNumber(value) ? quoted(String(value)) : kindOf(value)
}

/** Whether the value is an integer beyond 2^53 or a number such as `1.0`, which are parsed without loss. */
const isWrittenNumber = (value: unknown): value is bigint | { toString(): string } =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null && 'toJSON' in value)

interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Returns one finding for each thing to fix. A union is represented by the branch that was probably intended, and
 * unknown keys are listed by name.
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
 * The branch that matches the type of the value. Of several, the one that knows the value's keys wins, then the one
 * with the fewest faults. Null if none matches.
 */
function meantBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const ofTheKind = branches.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  return ofTheKind.toSorted((a, b) => unknownKeysIn(a) - unknownKeysIn(b) || a.length - b.length)[0] ?? null
}

const unknownKeysIn = (issues: readonly z.core.$ZodIssue[]) =>
  issues.filter(({ code, path }) => code === 'unrecognized_keys' && path.length === 0).length

function fieldPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`
    return before === '' ? String(key) : `${before}.${String(key)}`
  }, '')
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text
}

/**
 * The message after a field's name, as in `"note" must be a string, not a number`. A schema's own message takes
 * precedence.
 */
function describeIssue(issue: z.core.$ZodRawIssue): Message {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? describeAbsent(issue.inst)
        : describeType(issue.expected, issue.input)
    case 'too_small':
      return describeMinimum(issue)
    case 'too_big':
      return describeMaximum(issue)
    case 'invalid_value':
      return issue.input === undefined ? requiredAs(issue.values) : mustBe(issue.values, issue.input)
    case 'unrecognized_keys':
      return describeUnknown(issue)
    case 'invalid_union':
      return describeUnion(issue)
    case 'not_multiple_of':
      return say('is {{value}}, but must be a multiple of {{divisor}}', {
        value: shown(issue.input),
        divisor: String(issue.divisor),
      })
    case 'invalid_format':
      return issue.format === 'regex'
        ? say('has an invalid format')
        : say("isn't a valid {{format}}", { format: issue.format })
    default:
      return say('is not valid')
  }
}

/** A longer list is less helpful than the description of the route. */
const MOST_KEYS = 30

function describeUnknown({
  inst,
  keys: unknown,
}: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): Message {
  const keys = Object.keys((inst?._zod.def as Definition | undefined)?.shape ?? {})
  const [near, other] = unknown.length === 1 ? nearest(unknown[0] ?? '', keys) : []
  if (near !== undefined)
    return other === undefined
      ? say('is unknown; did you mean "{{near}}"?', { near })
      : say('is unknown; did you mean "{{near}}" or "{{other}}"?', { near, other })
  return keys.length > 0 && keys.length <= MOST_KEYS
    ? say('is unknown; remove it or use one of {{keys}}', { keys: keys.join(', ') })
    : say('is unknown; remove it or check its spelling')
}

const TYPE_NAMES: Readonly<Record<string, Message | undefined>> = {
  string: say('a string'),
  number: say('a number'),
  int: say('a whole number'),
  boolean: say('true or false'),
  bigint: say('a number'),
  object: say('an object'),
  record: say('an object'),
  array: say('a list'),
}

const typeName = (type: string): Said => TYPE_NAMES[type] ?? quoted(type)

/** Lists the allowed values if they are few; the schema of a required choice is nested in wrappers. */
function describeAbsent(schema: Schema): Message {
  const { innerType, entries } = (schema?._zod.def ?? {}) as Definition
  if (innerType) return describeAbsent(innerType)
  return entries ? requiredAs(Object.values(entries)) : say('is required')
}

type Schema = z.core.$ZodRawIssue['inst']
interface Definition {
  readonly innerType?: NonNullable<Schema>
  readonly entries?: object
  readonly shape?: object
}

function describeType(expected: string, input: unknown): Message {
  // Integers beyond 2^53 are read losslessly as bigints, but no field accepts such large values.
  if (typeof input === 'bigint' && (expected === 'number' || expected === 'int'))
    return say('is too large a number')
  if (expected === 'int' && typeof input === 'number')
    return say('is {{value}}, but must be a whole number', { value: String(input) })
  return mustBeA(typeName(expected), input)
}

const mustBeA = (expected: Said, input: unknown) =>
  say('must be {{expected}}, not {{given}}', { expected, given: kindOf(input) })

function kindOf(value: unknown): Said {
  if (Array.isArray(value)) return say('a list')
  if (value === null || typeof value === 'boolean') return quoted(String(value))
  return typeName(typeof value)
}

interface Bound {
  readonly input?: unknown
  readonly origin?: string
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly inclusive?: boolean
}

const isText = ({ origin }: Bound) => origin === 'string'
const isCounted = ({ origin }: Bound) => origin === 'array' || origin === 'set'

function describeMinimum(issue: Bound): Message {
  const limit = String(issue.minimum)
  if ((isText(issue) || isCounted(issue)) && issue.minimum === 1) return say('must not be empty')
  const count = lengthOf(issue.input)
  if (isText(issue))
    return say('has {{count}} characters, but at least {{limit}} are required', { count, limit })
  if (isCounted(issue))
    return say('has {{count}} items, but at least {{limit}} are required', { count, limit })
  const value = String(issue.input)
  return issue.inclusive === false
    ? say('is {{value}}, but must be more than {{limit}}', { value, limit })
    : say('is {{value}}, but must be at least {{limit}}', { value, limit })
}

function describeMaximum(issue: Bound): Message {
  const limit = String(issue.maximum)
  const count = lengthOf(issue.input)
  if (isText(issue))
    return say('has {{count}} characters, but at most {{limit}} are allowed', { count, limit })
  if (isCounted(issue)) return say('has {{count}} items, but at most {{limit}} are allowed', { count, limit })
  const value = String(issue.input)
  return issue.inclusive === false
    ? say('is {{value}}, but must be less than {{limit}}', { value, limit })
    : say('is {{value}}, but must be at most {{limit}}', { value, limit })
}

interface UnionIssue {
  readonly errors?: readonly (readonly { readonly code?: string; readonly expected?: string }[])[]
  readonly options?: readonly unknown[]
  readonly input?: unknown
}

function describeUnion({ errors = [], options, input }: UnionIssue): Message {
  if (options && options.length > 0) return mustBe(options, input)
  if (input === undefined) return say('is required')
  const kinds = errors.flatMap(([first]) => (first?.expected ? [typeName(first.expected)] : []))
  const [one, ...others] = new Map(kinds.map((kind) => [englishOf(kind), kind])).values()
  if (one === undefined) return say('is not valid')
  const expected = others.reduce<Said>(
    (first, second) => say('{{first}} or {{second}}', { first, second }),
    one,
  )
  return mustBeA(expected, input)
}

/** The message for a value that isn't one of the allowed ones. */
export function mustBe(values: readonly unknown[], input: unknown): Message {
  const texts = values.filter((value) => typeof value === 'string')
  const [near, other] = typeof input === 'string' ? nearest(input, texts) : []
  if (near !== undefined) {
    const value = String(input).slice(0, LONGEST_SHOWN)
    return other === undefined
      ? say('is "{{value}}"; did you mean "{{near}}"?', { value, near })
      : say('is "{{value}}"; did you mean "{{near}}" or "{{other}}"?', { value, near, other })
  }
  const names = namesOf(values)
  const value = shown(input)
  return values.length === 1
    ? say('is {{value}}, but must be {{wanted}}', { value, wanted: names })
    : say('is {{value}}, but must be one of {{names}}', { value, names })
}

function requiredAs(values: readonly unknown[]): Message {
  const names = namesOf(values)
  return values.length === 1
    ? say('is required: {{value}}', { value: names })
    : say('is required: one of {{names}}', { names })
}

function namesOf(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ')
}
