/** Passes messages between an AI client that speaks over stdin and stdout, and the MCP server. */
import type { Readable, Writable } from 'node:stream'
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  ErrorCode,
  InitializeResultSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'

export interface McpBridgeOptions {
  readonly input: Readable
  readonly output: Writable
  readonly token: string
  /** URL of the MCP server; asked for again after a connection was lost. Rejects if no Millrace runs. */
  readonly findUrl: () => Promise<string>
}

/**
 * Resolves when the input ends. A client knows nothing of sessions over HTTP: after a restart of Millrace, it is
 * introduced again.
 */
export async function bridgeMcp({ input, output, token, findUrl }: McpBridgeOptions): Promise<void> {
  const client = new StdioServerTransport(input, output)
  let introduction: JSONRPCRequest | null = null
  let connection = null as Promise<StreamableHTTPClientTransport> | null

  async function connect(first: JSONRPCMessage): Promise<StreamableHTTPClientTransport> {
    const introduced = Promise.withResolvers<void>()
    const isAgain = introduction !== null && first !== introduction
    const server = new StreamableHTTPClientTransport(new URL(await findUrl()), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    })
    const pass = (message: JSONRPCMessage) => {
      if (isJSONRPCResultResponse(message) && message.id === introduction?.id) {
        server.setProtocolVersion(InitializeResultSchema.parse(message.result).protocolVersion)
        introduced.resolve()
        if (isAgain) return
      }
      void client.send(message)
    }
    // A failure is reported when a message is sent.
    Object.assign(server, { onmessage: pass, onerror: () => undefined })
    await server.start()
    if (introduction !== null && isAgain) {
      await server.send(introduction)
      await introduced.promise
      await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    }
    return server
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    connection ??= connect(message)
    try {
      await (await connection).send(message)
    } catch (error) {
      connection = null
      throw error
    }
  }

  async function forward(message: JSONRPCMessage): Promise<void> {
    if (isInitializeRequest(message)) introduction = message as JSONRPCRequest
    try {
      await send(message).catch((error: unknown) => {
        if (isRefusal(error)) throw error
        return send(message)
      })
    } catch (error) {
      if (!isJSONRPCRequest(message)) return
      const { id } = message
      const failure = { code: ErrorCode.InternalError, message: sentenceOf(error) }
      await client.send({ jsonrpc: '2.0', id, error: failure })
    }
  }

  const ended = new Promise<void>((resolve) => input.once('end', resolve))
  Object.assign(client, { onmessage: (message: JSONRPCMessage) => void forward(message) })
  await client.start()
  await ended
  const server = await connection?.catch(() => null)
  await server?.terminateSession().catch(() => undefined) // It also ends by itself.
  await server?.close()
  await client.close()
}

/** Sending it again wouldn't help, unlike after a restart, when the session is unknown. */
function isRefusal(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code !== 404
}

/** The sentence of the response, if there was one. */
function sentenceOf(error: unknown): string {
  const { message } = error as Error
  try {
    return (JSON.parse(message.slice(message.indexOf('{'))) as { message: string }).message
  } catch {
    return message
  }
}
