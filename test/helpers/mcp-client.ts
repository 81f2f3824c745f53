import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'

export interface ToolAnswer {
  readonly isError: boolean
  /** The first text. */
  readonly text: string
  readonly value: Record<string, unknown>
}

export interface McpClient {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  readonly toolNames: () => Promise<string[]>
  readonly callTool: (
    name: string,
    input?: object,
    options?: Parameters<Client['callTool']>[2],
  ) => Promise<ToolAnswer>
}

/** The client of the MCP package itself, connected over real HTTP and closed when the test ends. */
export async function connectMcp(port: number, authorization: string): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/v1/mcp`), {
    requestInit: { headers: { authorization } },
  })
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return {
    client,
    transport,
    async toolNames() {
      return (await client.listTools()).tools.map(({ name }) => name)
    },
    async callTool(name, input = {}, options) {
      const answer = await client.callTool({ name, arguments: { ...input } }, CallToolResultSchema, options)
      const { isError = false, content, structuredContent = {} } = CallToolResultSchema.parse(answer)
      const [first] = content
      return { isError, text: first?.type === 'text' ? first.text : '', value: structuredContent }
    },
  }
}
