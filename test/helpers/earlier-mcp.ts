/** The client of the earlier MCP packages, which are installed only for these tests. */
import type { CallToolRequestOptions, CallToolResult, Client } from '@modelcontextprotocol/client'
import { importTool } from '../../scripts/lib/tools.ts'

type Transport = Parameters<Client['connect']>[0]
type Answer = Pick<CallToolResult, 'isError' | 'content' | 'structuredContent'>

export interface EarlierClient extends Pick<
  Client,
  'close' | 'getInstructions' | 'getServerCapabilities' | 'getServerVersion' | 'listTools'
> {
  connect(transport: Transport): Promise<void>
  callTool(
    params: { name: string; arguments?: object },
    schema?: undefined,
    options?: Pick<CallToolRequestOptions, 'signal' | 'onprogress'>,
  ): Promise<Answer>
  setNotificationHandler(schema: unknown, handle: () => void): void
}

const part = (name: string) => importTool('tools/conformance', `@modelcontextprotocol/sdk/${name}.js`)

export const { Client: EarlierClient } = (await part('client/index')) as {
  Client: new (about: { name: string; version: string }) => EarlierClient
}
export const { StreamableHTTPClientTransport: EarlierHttp } = (await part('client/streamableHttp')) as {
  StreamableHTTPClientTransport: new (
    url: URL,
    options: { requestInit: { headers: Record<string, string> } },
  ) => Transport
}
export const { StdioClientTransport: EarlierStdio } = (await part('client/stdio')) as {
  StdioClientTransport: new (program: {
    command: string
    args: string[]
    env: Record<string, string>
  }) => Transport
}
export const { ToolListChangedNotificationSchema } = (await part('types')) as {
  ToolListChangedNotificationSchema: unknown
}
