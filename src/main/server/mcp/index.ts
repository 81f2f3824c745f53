/** The MCP server: AI clients use Millrace and the flows that are offered to them. Loaded with the first request. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  StreamableHTTPServerTransport,
  type EventId,
  type EventStore,
  type StreamId,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { Caller } from '../../services/kit/caller.ts'
import type { Log } from '../../services/kit/ports.ts'
import type { McpServices } from './tool.ts'
import { createTools } from './tools.ts'

export type McpEndpoint = ReturnType<typeof createMcpEndpoint>

export interface McpSession {
  /** @param message the body, parsed; undefined for a request without one */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    call: { readonly caller: Caller; readonly message: unknown },
  ): Promise<void>
}

interface Session extends McpSession {
  readonly owner: string
  readonly tokenId: string | null
  readonly endsAt: number
  readonly server: Server
  /** Responses that are not complete, streams among them. */
  open: number
  usedAt: number
  isEnding: boolean
}

const SWEEP_EVERY_MS = 60_000
const IDLE_MS = 3_600_000
/** Saving a flow changes it several times in a row. */
const ANNOUNCE_AFTER_MS = 100

const INSTRUCTIONS = `Millrace runs automations ("flows") on this computer. Tools named after a flow run that flow. Others list, check and run flows, read runs, try pagination and search the documentation. Outputs have secrets replaced by ***. A long run continues after its tool has returned: read its result with read_run.`

export function createMcpEndpoint(services: McpServices, log: Log) {
  const sessions = new Map<string, Session>()
  const tools = createTools(services, log, announceSoon)
  let sweeping: NodeJS.Timeout | null = null
  let announcing: NodeJS.Timeout | null = null

  services.events.listen(({ noun, type, id, ...more }) => {
    if (noun === 'settings' && !services.settings.current().mcp_server) endAll()
    if (noun === 'token' && type !== 'created' && !('last_used' in more))
      endWhere(({ tokenId }) => tokenId === id)
  })

  function announceSoon(): void {
    announcing ??= setTimeout(() => {
      announcing = null
      for (const { server } of sessions.values()) server.sendToolListChanged().catch(() => undefined)
    }, ANNOUNCE_AFTER_MS).unref()
  }

  function endWhere(matches: (session: Session) => boolean): void {
    for (const [id, session] of sessions) {
      if (!matches(session)) continue
      session.isEnding = true
      sessions.delete(id)
      session.server.close().catch(() => undefined) // Nobody is listening any more.
    }
  }
  const endAll = () => endWhere(() => true)

  function sweep(): void {
    const now = Date.now()
    endWhere(({ open, usedAt, endsAt }) => endsAt <= now || (open === 0 && now - usedAt > IDLE_MS))
    if (sessions.size > 0 || sweeping === null) return
    clearInterval(sweeping)
    sweeping = null
  }

  /** Of the owner with the most sessions the one unused for longest ends, so that nobody ends another's by opening many. */
  function makeRoom(): void {
    sweep()
    if (sessions.size < LIMITS.mcpSessions) return
    const all = [...sessions.values()]
    const countOf = (session: Session) => all.filter(({ owner }) => owner === session.owner).length
    const [first] = all.toSorted((a, b) => countOf(b) - countOf(a) || a.usedAt - b.usedAt)
    endWhere((session) => session === first)
  }

  /** Opens a session for a client that introduces itself. */
  async function open(caller: Caller): Promise<McpSession> {
    makeRoom()
    const server = new Server(
      { name: 'millrace', title: 'Millrace', version: services.host.meta().version },
      {
        capabilities: { tools: { listChanged: true } },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: UNUSED,
      },
    )
    const session: Session = {
      owner: ownerOf(caller),
      tokenId: caller.tokenId,
      endsAt: caller.endsAt ?? Infinity,
      server,
      open: 0,
      usedAt: Date.now(),
      isEnding: false,
      async handle(request, response, { caller: current, message }) {
        session.open++
        session.usedAt = Date.now()
        response.once('close', () => {
          session.open--
          session.usedAt = Date.now()
        })
        await transport.handleRequest(Object.assign(request, { auth: toAuth(current) }), response, message)
      },
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventStore(),
      onsessioninitialized(id) {
        sessions.set(id, session)
        sweeping ??= setInterval(sweep, SWEEP_EVERY_MS).unref()
      },
      onsessionclosed(id) {
        session.isEnding = true
        sessions.delete(id)
      },
    })
    server.setRequestHandler(ListToolsRequestSchema, (_request, { authInfo }) => ({
      tools: tools.list(callerIn(authInfo)),
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
      tools.call(params.name, params.arguments ?? {}, {
        caller: callerIn(extra.authInfo),
        signal: extra.signal,
        isCancelled: () => extra.signal.aborted && !session.isEnding,
        progress: progressOf(extra),
      }),
    )
    await server.connect(transport)
    return session
  }

  return {
    /** Null if there is no such session of this caller. */
    find(id: string, caller: Caller): McpSession | null {
      const session = sessions.get(id)
      return session === undefined || session.owner !== ownerOf(caller) ? null : session
    },
    open,
    /** Ends all sessions; their runs continue. */
    close: endAll,
  }
}

/** A session belongs to the token that opened it. */
function ownerOf({ kind, tokenId, userId }: Caller): string {
  return `${kind} ${tokenId ?? userId}`
}

/** The package passes this to the handlers of a request's messages. */
function toAuth(caller: Caller): AuthInfo {
  return { token: '', clientId: ownerOf(caller), scopes: [...caller.scopes], extra: { caller } }
}

function callerIn(auth: AuthInfo | undefined): Caller {
  return auth?.extra?.['caller'] as Caller
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

function progressOf({ _meta: meta, sendNotification }: Extra): ((message: string) => void) | null {
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return null
  let progress = 0
  return (message) => {
    const params = { progressToken, progress: ++progress, message }
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

/**
 * Only used for forms that a server shows in its client. The default validator generates code from strings, which is
 * turned off.
 */
const UNUSED = {
  getValidator: () => {
    throw new Error('Nothing is asked of the client')
  },
}

const MOST_EVENTS = 200
const MOST_CHARACTERS = 4_000_000

/** The latest messages of a session, for a client whose connection broke: it gets what it missed. */
function createEventStore(): EventStore {
  const events: { id: EventId; stream: StreamId; message: JSONRPCMessage; size: number }[] = []
  let stored = 0
  let size = 0
  return {
    async storeEvent(stream, message) {
      const event = { id: String(++stored), stream, message, size: JSON.stringify(message).length }
      events.push(event)
      size += event.size
      while (events.length > 1 && (events.length > MOST_EVENTS || size > MOST_CHARACTERS))
        size -= events.shift()?.size ?? 0
      return event.id
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.stream,
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex(({ id }) => id === last)
      const stream = events[at]?.stream ?? ''
      for (const event of events.slice(at + 1)) {
        // The first event of a stream is empty and only carries its ID.
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message)
      }
      return stream
    },
  }
}
