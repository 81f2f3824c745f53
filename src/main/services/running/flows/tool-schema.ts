/** The input schema of a flow that is offered to AI clients; loaded when somebody first saves or calls one. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { McpTool } from '../../../../shared/contract/reach/mcp.ts'

/** @throws AppError `validation` if it isn't a JSON Schema, or has parts that can't be checked */
export function requireToolSchema(schema: NonNullable<McpTool['input_schema']>): void {
  const { properties = {}, required = [] } = schema as { properties?: unknown; required?: unknown }
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw refused('properties', say('must be an object that maps field names to their schemas'))
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    throw refused('required', say('must be a list of field names'))
  try {
    readToolSchema({ ...schema, type: 'object' })
  } catch (error) {
    throw refused(
      '',
      say("isn't a JSON Schema that Millrace can check: {{reason}}", { reason: (error as Error).message }),
    )
  }
}

/**
 * Patterns are matched in linear time, because JavaScript can take years to match 30 characters.
 *
 * @throws Error if it isn't a JSON Schema, or has a pattern that can't be matched that way
 */
export function readToolSchema(schema: object): z.ZodType {
  const read = z.fromJSONSchema(schema as never)
  makeLinear(read, new Set())
  return read
}

interface Part {
  readonly _zod: { readonly def: object }
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && '_zod' in value

/** Replaces the patterns of a schema and of all schemas within it. */
function makeLinear(part: Part, seen: Set<Part>): void {
  if (seen.has(part)) return
  seen.add(part)
  const def = part._zod.def as Record<string, unknown>
  if (def['pattern'] instanceof RegExp) def['pattern'] = linear(def['pattern'].source)
  for (const value of Object.values(def)) {
    const within = isPart(value)
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value)
        : []
    for (const each of within) if (isPart(each)) makeLinear(each, seen)
  }
}

/** The part of a regular expression that zod uses. */
function linear(source: string) {
  if (source.length > LONGEST_PATTERN)
    throw new Error(`a pattern has more than ${LONGEST_PATTERN} characters`)
  try {
    const pattern = RE2JS.compile(source)
    return { source, lastIndex: 0, test: (text: string) => pattern.matcher(text).find() }
  } catch (error) {
    throw new Error(
      `the pattern ${source.slice(0, 60)} can't be matched in linear time: ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  }
}

const LONGEST_PATTERN = 1_000

function refused(field: string, message: Said) {
  const path = 'settings.mcp_tool.input_schema'
  return fieldErrors({ [field === '' ? path : `${path}.${field}`]: [message] })
}
