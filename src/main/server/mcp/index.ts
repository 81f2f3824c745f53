/** The MCP server: AI clients use Millrace and the flows that are offered to them. Loaded with the first request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  type AuthInfo,
  createMcpHandler,
  type McpRequestContext,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { MCP_PATH } from '../../../shared/contract/reach/mcp.ts'
import type { Caller } from '../../services/kit/caller.ts'
import type { Log } from '../../services/kit/ports.ts'
import type { McpServices } from './tool.ts'
import { createTools } from './tools.ts'

export type McpEndpoint = ReturnType<typeof createMcpEndpoint>

/** One request and its response, which can be a stream. */
interface Exchange {
  readonly caller: Caller
  readonly response: ServerResponse
  /** Whether it reports changes until one side closes it. */
  readonly isSubscription: boolean
  /** Set if Millrace ends it, so that the abort doesn't count as the client's. */
  isEnding: boolean
}

/** Saving a flow causes several changes in a row. */
const ANNOUNCE_AFTER_MS = 100

const INSTRUCTIONS = `Millrace runs automations ("flows") on this computer. Tools named after a flow run that flow. Others list, check and run flows, read runs, try pagination and search the documentation. To build a flow, use create_flow and patch_flow: they write draft changes, which a person reviews and saves in the editor; search_docs describes the step types. Outputs have secrets replaced by ***. A long run continues after its tool has returned: read its result with read_run.`

/** Keeps no state between requests: each request gets its own server for its version of the protocol. */
export function createMcpEndpoint(services: McpServices, log: Log) {
  const exchanges = new Set<Exchange>()
  const tools = createTools(services, log, announceSoon)
  let announcing: NodeJS.Timeout | null = null

  services.events.listen(({ noun, type, id, ...more }) => {
    if (noun === 'settings' && !services.settings.current().mcp_server) endWhere(() => true)
    if (noun === 'token' && type !== 'created' && !('last_used' in more))
      endWhere(({ caller }) => caller.tokenId === id)
  })

  function announceSoon(): void {
    announcing ??= setTimeout(() => {
      announcing = null
      const now = Date.now()
      endWhere(({ caller, isSubscription }) => isSubscription && (caller.endsAt ?? Infinity) <= now)
      handler.notify.toolsChanged()
    }, ANNOUNCE_AFTER_MS).unref()
  }

  function endWhere(matches: (exchange: Exchange) => boolean): void {
    for (const exchange of exchanges) {
      if (!matches(exchange)) continue
      exchange.isEnding = true
      exchange.response.destroy()
    }
  }

  function createServer({ era, authInfo }: McpRequestContext): Server {
    const exchange = exchangeIn(authInfo)
    const server = new Server(
      { name: 'millrace', title: 'Millrace', version: services.host.meta().version },
      {
        // Clients of the earlier protocol would need a session to be notified of changes.
        capabilities: { tools: era === 'modern' ? { listChanged: true } : {} },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: UNUSED,
      },
    )
    server.setRequestHandler('tools/list', () => ({ tools: tools.list(exchange.caller) }))
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const { signal } = context.mcpReq
      return tools.call(params.name, params.arguments ?? {}, {
        caller: exchange.caller,
        signal,
        // In the earlier protocol, a lost connection doesn't mean that the call was cancelled.
        isCancelled: () => era === 'modern' && signal.aborted && !exchange.isEnding,
        progress: progressOf(context),
      })
    })
    return server
  }

  const handler = createMcpHandler(createServer, { responseMode: 'sse' })
  const serve = toNodeHandler(handler, {
    onerror: (error) => log.error({ err: error }, 'A request to the MCP server failed'),
  })

  return {
    mayListen: ({ tokenId, userId }: Caller): boolean => {
      const own = [...exchanges].filter(
        ({ caller, isSubscription }) =>
          isSubscription && caller.tokenId === tokenId && caller.userId === userId,
      )
      return own.length < LIMITS.mcpSubscriptions
    },
    /** @param message the body, parsed */
    async handle(
      request: IncomingMessage,
      response: ServerResponse,
      { caller, message, isSubscription }: Pick<Exchange, 'caller' | 'isSubscription'> & { message: unknown },
    ): Promise<void> {
      const exchange: Exchange = { caller, response, isSubscription, isEnding: false }
      exchanges.add(exchange)
      response.once('close', () => exchanges.delete(exchange))
      const auth: AuthInfo = { token: '', clientId: '', scopes: [...caller.scopes], extra: { exchange } }
      await serve(Object.assign(request, { auth, method: 'POST', url: MCP_PATH }), response, message)
    },
    /** Ends all open requests; runs continue. */
    async close(): Promise<void> {
      for (const exchange of exchanges) exchange.isEnding = true
      await handler.close()
    },
  }
}

/** The exchange, which the package passes to a request's server. */
function exchangeIn(auth: AuthInfo | undefined): Exchange {
  return auth?.extra?.['exchange'] as Exchange
}

function progressOf({ mcpReq }: ServerContext): ((message: string) => void) | null {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return null
  let progress = 0
  return (message) => {
    const params = { progressToken, progress: ++progress, message }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

/**
 * Millrace doesn't use the validator, which only checks forms that a server shows in its client. The default one
 * generates code from strings, which is turned off.
 */
const UNUSED = {
  getValidator: () => {
    throw new Error('Nothing is asked of the client')
  },
}
