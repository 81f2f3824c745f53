/** AI clients use Millrace through the Model Context Protocol (MCP); flows can be offered to them as tools. */
import { fault } from '../base/message.ts'
import { z } from 'zod'
import { jsonObject } from '../base/common.ts'

/** Mounted separately, because MCP has its own messages in both directions. */
export const MCP_PATH = '/v1/mcp'

const MOST_SCHEMA_CHARACTERS = 20_000

export const mcpTool = z.strictObject({
  input_schema: jsonObject
    .refine((schema) => schema['type'] === undefined || schema['type'] === 'object', {
      error: 'must be "object": the input of a flow is an object',
      path: ['type'],
    })
    .refine(
      (schema) => JSON.stringify(schema).length <= MOST_SCHEMA_CHARACTERS,
      fault('is longer than {{max}} characters', { max: MOST_SCHEMA_CHARACTERS }),
    )
    .nullable()
    .describe(
      'JSON Schema of the input, which AI clients fill in and Millrace checks. Null means any object.',
    )
    .meta({
      examples: [{ type: 'object', properties: { order_id: { type: 'integer' } }, required: ['order_id'] }],
    }),
})
export type McpTool = z.output<typeof mcpTool>
