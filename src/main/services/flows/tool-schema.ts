/** Checks the input schema of a flow that is offered to AI clients; loaded when somebody first saves one. */
import { z } from 'zod'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import type { McpTool } from '../../../shared/contract/reach/mcp.ts'

/** @throws AppError `validation` if it isn't a JSON Schema, or one whose parts can't be checked */
export function requireToolSchema(schema: NonNullable<McpTool['input_schema']>): void {
  const { properties = {}, required = [] } = schema as { properties?: unknown; required?: unknown }
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw fault('properties', 'must be an object: names of fields and their schemas')
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    throw fault('required', 'must be a list of names of fields')
  try {
    z.fromJSONSchema({ ...schema, type: 'object' } as never)
  } catch (error) {
    throw fault('', `isn't a JSON Schema that Millrace can check: ${(error as Error).message}`)
  }
}

function fault(field: string, message: string) {
  const path = 'settings.mcp_tool.input_schema'
  return fieldErrors({ [field === '' ? path : `${path}.${field}`]: [message] })
}
