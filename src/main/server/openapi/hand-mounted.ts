/** Paths that aren't routes of the contract, because they take raw requests and respond in their own format. */
import { headers, refusal } from './components.ts'

const RAW = { type: 'string', contentMediaType: 'application/octet-stream' } as const
const anyBody = {
  'application/json': { schema: {} },
  'text/plain': { schema: { type: 'string' }, example: 'Thank you' },
}

/** MCP has its own error format; requests that are rejected before they are read get the API's. */
const mcpRefusal = (description: string) => ({
  description,
  headers: headers(),
  content: {
    'application/json': {
      schema: {
        anyOf: [
          { $ref: '#/components/schemas/Error' },
          {
            type: 'object',
            required: ['jsonrpc', 'error', 'id'],
            additionalProperties: false,
            properties: {
              jsonrpc: { const: '2.0', description: 'Version of JSON-RPC, the format of the messages.' },
              error: {
                type: 'object',
                description: 'What went wrong.',
                required: ['code', 'message'],
                properties: {
                  code: { type: 'integer', description: 'Number that JSON-RPC and MCP define.' },
                  message: { type: 'string', description: 'What went wrong, in words.' },
                  data: { description: 'More about the error, if there is more.' },
                },
              },
              id: {
                type: ['string', 'integer', 'null'],
                description: 'ID of the message. Null if it could not be read.',
              },
            },
          },
        ],
      },
      example: { jsonrpc: '2.0', error: { code: -32_600, message: 'Invalid request' }, id: null },
    },
  },
})

export const HAND_MOUNTED = {
  '/v1/flow-webhook/{flow_id}': {
    post: {
      operationId: 'trigger_flow',
      summary: "Start a flow by its webhook, and get the flow's response",
      description: [
        "The flow's webhook token, or a personal access token with automation, automation:manage or automation:webhook_run;",
        "none if the flow doesn't require one. The keys of the body and of the query together are the input of the flow. A query key",
        'overrides a key of the body.',
      ].join('\n'),
      tags: ['Flow webhook'],
      security: [{ webhookToken: [] }, { token: [] }, {}],
      parameters: [
        {
          name: 'flow_id',
          in: 'path',
          required: true,
          description: 'ID of the flow to start.',
          schema: { type: 'string', format: 'uuid' },
        },
      ],
      requestBody: {
        required: false,
        content: {
          'application/json': { schema: {}, example: { order: 4711, items: [{ sku: 'A-1', amount: 2 }] } },
          'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: { order: '4711' } },
          'multipart/form-data': { schema: { type: 'object' }, example: { order: '4711' } },
          'application/xml': { schema: { type: 'string' }, example: '<order><id>4711</id></order>' },
          '*/*': { schema: RAW },
        },
      },
      responses: {
        default: {
          description: 'Status, headers and body as configured in the webhook step',
          headers: headers('RateLimit-Policy', 'RateLimit'),
          content: anyBody,
        },
        200: {
          description:
            "The flow's response; null for an asynchronous flow, once its run is safely queued; `biz_logic` for a paused one",
          headers: headers('RateLimit-Policy', 'RateLimit'),
          content: anyBody,
        },
        400: refusal(400),
        401: refusal(401),
        403: refusal(403),
        404: refusal(404),
        408: {
          description: 'The flow is still running after 30 seconds',
          headers: headers('RateLimit-Policy', 'RateLimit'),
          content: anyBody,
        },
        413: refusal(413),
        415: refusal(415),
        429: refusal(429),
        500: { description: 'The flow failed (`flow_error`)', headers: headers(), content: anyBody },
        502: refusal(502),
        503: refusal(503),
        504: refusal(504),
      },
    },
  },
  '/v1/mcp': {
    post: {
      operationId: 'send_mcp_message',
      summary: 'Send a message of the Model Context Protocol, as AI clients do',
      description: [
        'Streamable HTTP of the version 2026-07-28: each message says what it needs in `_meta` and in its headers, and there are no sessions. Messages of',
        'earlier versions, from `initialize` on, get their responses too. Needs the setting `mcp_server`; the scopes of the token decide which tools it',
        'lists.',
      ].join('\n'),
      tags: ['MCP'],
      security: [{ token: [] }],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: {}, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
        },
      },
      responses: {
        200: {
          description: 'The responses, as a stream of events',
          headers: headers('RateLimit-Policy', 'RateLimit'),
          content: {
            'text/event-stream': {
              schema: { type: 'string' },
              example: 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}',
            },
          },
        },
        202: { description: 'The message needs no response', headers: headers() },
        400: mcpRefusal('The message or its headers are not valid'),
        401: refusal(401),
        403: refusal(403),
        404: mcpRefusal('There is no such method'),
        406: mcpRefusal('The header Accept must have application/json and text/event-stream'),
        413: mcpRefusal('The message is too large'),
        415: mcpRefusal('The message must be application/json'),
        429: refusal(429),
        500: refusal(500),
        503: refusal(503),
      },
    },
  },
} as const
