import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { MCP_PATH } from '../../../shared/contract/reach/mcp.ts'
import type { Caller } from '../../services/kit/caller.ts'
import {
  exceededHeaders,
  rateLimitHeaders,
  type RateLimitState,
} from '../../services/kit/rate-limit-headers.ts'
import { sendJson } from '../answer/send.ts'
import { readBytes } from '../body/read-bytes.ts'
import type { Heading } from '../gates/heading.ts'
import { pathOf } from '../gates/paths.ts'
import type { McpEndpoint } from '../mcp/index.ts'
import type { McpServices } from '../mcp/tool.ts'
import type { App } from '../mount/app.ts'
import { mountRaw } from '../mount/mount-raw.ts'
import { requestCaller } from '../mount/receive.ts'

/** The MCP server is loaded with its first request, and no request reaches it while the setting is off. */
export function mountMcp(app: App, services: McpServices): void {
  let endpoint: Promise<McpEndpoint> | null = null
  const open = () => (endpoint ??= load(app, services))
  const count = createCounter()

  mountRaw(app, MCP_PATH, async (request, response, heading) => {
    const begun = performance.now()
    let caller: Caller | null = null
    let isTool = false
    response.once('close', () => {
      // Tool calls are listed separately, by the tool's name and with their own status.
      if (isTool && response.statusCode === 200) return
      const { method = '' } = request
      const durationMs = performance.now() - begun
      services.calls.note({ method, route: MCP_PATH, status: response.statusCode, durationMs, caller })
    })
    requireMethod(request)
    requireOn(services)
    caller = requestCaller(app, request)
    let own = { ...heading, ...count(caller) }
    const message = await readMessage(services, request, response)
    if (message === INVALID) return refuse(request, response, own, NOT_JSON)
    if (isTooLarge(message)) return refuse(request, response, own, TOO_LARGE)
    // Each message of a batch counts as a request.
    if (Array.isArray(message) && message.length > 1)
      own = { ...heading, ...count(caller, message.length - 1) }
    const server = await open()
    const isSubscription = calls(message, 'subscriptions/listen')
    if (isSubscription && !server.mayListen(caller)) return refuse(request, response, own, TOO_MANY)
    isTool = calls(message, 'tools/call')
    for (const [name, value] of Object.entries(own)) response.setHeader(name, value)
    await server.handle(request, response, { caller, message, isSubscription })
  })
}

async function load(app: App, services: McpServices): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('../mcp/index.ts')
  const endpoint = createMcpEndpoint(services, app.log)
  app.stopping.addEventListener('abort', () => void endpoint.close(), { once: true })
  return endpoint
}

function requireMethod({ method = '', url = '' }: IncomingMessage): void {
  const path = pathOf(url)
  if (path !== MCP_PATH && path !== `${MCP_PATH}/`)
    throw new AppError('not_found', say('Not found: {{path}}', { path: path.slice(0, 200) }))
  if (method !== 'POST') {
    throw new AppError(
      'method_not_allowed',
      say("Method {{method}} isn't allowed at this URL; use {{methods}}", { method, methods: 'POST' }),
      { headers: { Allow: 'POST' } },
    )
  }
}

function requireOn({ settings }: McpServices): void {
  if (settings.current().mcp_server) return
  throw new AppError('forbidden', say('The MCP server is off; switch it on in Settings, under AI clients'))
}

const INVALID = Symbol('not JSON')

async function readMessage(
  { settings }: McpServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  const maxBytes = Math.max(settings.current().body_limit_bytes, LIMITS.largeBodyBytes)
  const bytes = await readBytes(request, response, { maxBytes })
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return INVALID
  }
}

function calls(message: unknown, method: string): boolean {
  return [message].flat().some((one) => (one as { readonly method?: unknown } | null)?.method === method)
}

/** Whether a message has more values, or is nested more deeply, than any tool needs. */
function isTooLarge(message: unknown): boolean {
  let left: number = LIMITS.mcpValues
  const exceeds = (value: unknown, depth: number): boolean => {
    if (--left < 0 || depth > LIMITS.jsonDepth) return true
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((one) => exceeds(one, depth + 1))
    )
  }
  return exceeds(message, 0)
}

interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
}

/** The codes are those of JSON-RPC and of the package, which clients know. */
const NOT_JSON: Refusal = { status: 400, code: -32_700, message: "The body isn't JSON" }
const TOO_LARGE: Refusal = {
  status: 413,
  code: -32_600,
  message: `The body has more than ${LIMITS.mcpValues} values, or is nested more than ${LIMITS.jsonDepth} deep`,
}
const TOO_MANY: Refusal = {
  status: 400,
  code: -32_000,
  message: `This token has ${LIMITS.mcpSubscriptions} open subscriptions; close one first`,
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  heading: Heading,
  { status, code, message }: Refusal,
): void {
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  sendJson(request, response, { status, headers: {}, text }, heading)
}

/** Counts each caller's requests in time windows, in memory, because the counts aren't worth storing. */
function createCounter(): (caller: Caller, requests?: number) => Readonly<Record<string, string>> {
  const windows = new Map<string, { count: number; endsAt: number }>()
  const windowMs = LIMITS.mcpWindowSeconds * 1_000
  return ({ tokenId, userId }, requests = 1) => {
    const now = performance.now()
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key)
    const key = tokenId ?? userId
    const window = windows.get(key) ?? { count: 0, endsAt: now + windowMs }
    windows.set(key, window)
    window.count += requests
    const state: RateLimitState = {
      policy: 'mcp',
      requests: LIMITS.mcpRequests,
      seconds: LIMITS.mcpWindowSeconds,
      remaining: Math.max(0, LIMITS.mcpRequests - window.count),
      resetMs: window.endsAt - now,
    }
    if (window.count <= LIMITS.mcpRequests) return rateLimitHeaders(state)
    throw new AppError(
      'rate_limit',
      say(
        'More than {{most}} requests in {{seconds}} seconds with this token; wait as many seconds as Retry-After says',
        { most: LIMITS.mcpRequests, seconds: LIMITS.mcpWindowSeconds },
      ),
      { headers: exceededHeaders(state) },
    )
  }
}
