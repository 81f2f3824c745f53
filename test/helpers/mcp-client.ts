import {
  type CallToolRequestOptions,
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { EarlierClient, EarlierHttp } from './earlier-mcp.ts'

export interface ToolAnswer {
  readonly isError: boolean
  /** The first text. */
  readonly text: string
  readonly value: Record<string, unknown>
}

type Options = Pick<CallToolRequestOptions, 'signal' | 'onprogress'>

export interface McpClient<C = Client> {
  readonly client: C
  readonly toolNames: () => Promise<string[]>
  readonly callTool: (name: string, input?: object, options?: Options) => Promise<ToolAnswer>
}

const ABOUT = { name: 'test', version: '1' }

/** A client of the current protocol over real HTTP, which is closed when the test ends. */
export async function connectMcp(port: number, authorization: string): Promise<McpClient> {
  const client = new Client(ABOUT, { versionNegotiation: { mode: 'auto' } })
  onTestFinished(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(urlOf(port), { requestInit: { headers: { authorization } } }),
  )
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, input = {}, options) =>
      toAnswer(await client.callTool({ name, arguments: { ...input } }, options)),
  }
}

/** A client of the previous protocol, which begins with the message `initialize`. */
export async function connectEarlierMcp(
  port: number,
  authorization: string,
): Promise<McpClient<EarlierClient>> {
  const client = new EarlierClient(ABOUT)
  onTestFinished(() => client.close())
  await client.connect(new EarlierHttp(urlOf(port), { requestInit: { headers: { authorization } } }))
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, input = {}, options) =>
      toAnswer(await client.callTool({ name, arguments: { ...input } }, undefined, options)),
  }
}

const urlOf = (port: number) => new URL(`http://127.0.0.1:${port}/v1/mcp`)

function toAnswer({
  isError = false,
  content,
  structuredContent = {},
}: Pick<CallToolResult, 'isError' | 'content'> & { structuredContent?: unknown }): ToolAnswer {
  const [first] = content
  const value = structuredContent as Record<string, unknown>
  return { isError, text: first?.type === 'text' ? first.text : '', value }
}
