import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { expect, test } from 'vitest'
import { bridgeMcp } from '../../../src/main/headless/support/mcp-bridge.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { EarlierClient, ToolListChangedNotificationSchema } from '../../helpers/earlier-mcp.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'

interface Bridge {
  /** The client's transport; the transports of server and client differ only in which one starts the other. */
  readonly transport: StdioServerTransport
  end(): Promise<void>
}

const TOTAL = { name: 'Total', settings: { mcp_tool: { input_schema: null } } }
const ABOUT = { name: 'test', version: '1' }

async function startBridge(app: FlowApp, isRunning = () => true): Promise<Bridge> {
  await app.call('PUT', '/v1/settings', { mcp_server: true })
  const body = { expiration: null, scopes: ['automation'], note: 'AI client' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const [toBridge, fromBridge] = [new PassThrough(), new PassThrough()]
  const bridged = bridgeMcp({
    input: toBridge,
    output: fromBridge,
    token,
    async findUrl() {
      if (!isRunning()) throw new Error('No Millrace runs here')
      return `http://127.0.0.1:${app.port}/v1/mcp`
    },
  })
  return {
    transport: new StdioServerTransport(fromBridge, toBridge),
    async end() {
      toBridge.end()
      await bridged
    },
  }
}

test('a client over stdin and stdout uses the tools, also after Millrace was off and stopped', async () => {
  const app = await startFlowApp()
  await app.addFlow([{ ref_id: 'sum', type: 'set', config: { values: { total: 3 } } }], TOTAL)
  let isRunning = true
  const bridge = await startBridge(app, () => isRunning)
  const client = new Client(ABOUT, { versionNegotiation: { mode: 'auto' } })
  await client.connect(bridge.transport)
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const before = await names()
  const { structuredContent } = await client.callTool({ name: 'total' })
  const none = await client.callTool({ name: 'nothing_like_it' }).catch(String)
  await app.call('PUT', '/v1/settings', { mcp_server: false })
  const off = await client.listTools().catch(String)
  isRunning = false
  const stopped = await client.listTools().catch(String)
  isRunning = true
  await app.call('PUT', '/v1/settings', { mcp_server: true })
  const after = await names()
  await bridge.end()
  expect({
    protocol: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    output: (structuredContent as { output: object }).output,
    none,
    off,
    stopped,
    after,
  }).toEqual({
    protocol: '2026-07-28',
    instructions: expect.stringContaining('Millrace runs automations'),
    output: { total: 3 },
    none: expect.stringContaining('There is no tool "nothing_like_it"'),
    off: expect.stringContaining('The MCP server is off'),
    stopped: expect.stringContaining('No Millrace runs here'),
    after: before,
  })
  expect(before).toContain('total')
})

test('a client of the earlier protocol hears of changes, follows a run and cancels it', async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([{ ref_id: 'wait', type: 'delay', config: { seconds: 50 } }])
  const bridge = await startBridge(app)
  const client = new EarlierClient(ABOUT)
  const changed = Promise.withResolvers<void>()
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve())
  await client.connect(bridge.transport)
  const listed = await client.listTools()
  await app.call('POST', '/v1/flows', TOTAL)
  await changed.promise
  const stop = new AbortController()
  const messages: (string | undefined)[] = []
  const params = { name: 'run_flow', arguments: { flow_id: flow.id } }
  const stopped = await client
    .callTool(params, undefined, {
      signal: stop.signal,
      onprogress({ message }) {
        messages.push(message)
        stop.abort('The user pressed stop')
      },
    })
    .catch(String)
  await app.until((run) => run.status === 'cancelled')
  await bridge.end()
  expect({ listed: listed.tools.length > 5, messages, stopped }).toEqual({
    listed: true,
    messages: [expect.stringContaining('steps so far')],
    stopped: expect.stringContaining('The user pressed stop'),
  })
})
