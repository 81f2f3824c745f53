/** Serves an AI client over stdin and stdout with the tools of the running Millrace. */
import type { Readable, Writable } from 'node:stream'
import {
  Client,
  type Progress,
  type RequestOptions,
  type SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'

export interface McpBridgeOptions {
  readonly input: Readable
  readonly output: Writable
  readonly token: string
  /** URL of the MCP server, called for each request. Rejects if Millrace isn't running. */
  readonly findUrl: () => Promise<string>
}

/**
 * The version of the protocol between this command and Millrace. The client chooses its own; `serveStdio` supports the
 * earlier ones too.
 */
const PROTOCOL = '2026-07-28'

/** The client decides how long it waits. */
const UNLIMITED_MS = 2 ** 31 - 1

/** Resolves when the input ends. Requests don't depend on each other, so Millrace may restart between two of them. */
export async function bridgeMcp({ input, output, token, findUrl }: McpBridgeOptions): Promise<void> {
  let connection = null as Promise<Client> | null
  let server = null as Server | null
  let isListening = false

  async function connect(): Promise<Client> {
    const client = new Client(
      { name: 'millrace-mcp', version: '1' },
      { versionNegotiation: { mode: { pin: PROTOCOL } } },
    )
    client.setNotificationHandler('notifications/tools/list_changed', () => server?.sendToolListChanged())
    await client.connect(
      new StreamableHTTPClientTransport(new URL(await findUrl()), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
        fetch: async (_url, init) => fetch(await findUrl(), init),
      }),
    )
    return client
  }

  async function connected(): Promise<Client> {
    connection ??= connect()
    try {
      const client = await connection
      if (!isListening) await listen(client)
      return client
    } catch (error) {
      connection = null
      throw error
    }
  }

  /** Listens for changed tools until Millrace ends; the next request then starts it again. */
  async function listen(client: Client): Promise<void> {
    isListening = true
    const stopped = () => void (isListening = false)
    const { closed } = await client
      .listen({ toolsListChanged: true })
      .catch(() => ({ closed: Promise.resolve() }))
    void closed.then(stopped)
  }

  async function createServer(): Promise<Server> {
    const about = await connected().catch(() => null)
    server = new Server(about?.getServerVersion() ?? { name: 'millrace', version: '' }, {
      capabilities: { tools: { listChanged: true } },
      instructions: about?.getInstructions() ?? '',
    })
    server.setRequestHandler('tools/list', ({ method, params = {} }, { mcpReq: { signal } }) =>
      forward((client) => client.request({ method, params }, { signal, timeout: UNLIMITED_MS })),
    )
    server.setRequestHandler('tools/call', ({ method, params }, { mcpReq }) => {
      const { _meta: meta, ...rest } = params
      const progressToken = meta?.progressToken
      const onprogress = (progress: Progress) => {
        const notification = { method: 'notifications/progress', params: { ...progress, progressToken } }
        mcpReq.notify(notification).catch(() => undefined)
      }
      const options: RequestOptions = {
        signal: mcpReq.signal,
        timeout: UNLIMITED_MS,
        ...(progressToken === undefined ? {} : { onprogress }),
      }
      return forward((client) => client.request({ method, params: rest }, options))
    })
    return server
  }

  async function forward<T>(send: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await send(await connected())
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      throw new ProtocolError(ProtocolErrorCode.InternalError, sentenceOf(error))
    }
  }

  const ended = new Promise<void>((resolve) => input.once('end', resolve))
  const serving = serveStdio(createServer, { transport: new StdioServerTransport(input, output) })
  await ended
  const client = await connection?.catch(() => null)
  await client?.close()
  await serving.close()
}

/** The message in the response, if there was one. */
function sentenceOf(error: unknown): string {
  try {
    return (JSON.parse(String((error as SdkHttpError).data.text)) as { message: string }).message
  } catch {
    return (error as Error).message
  }
}
