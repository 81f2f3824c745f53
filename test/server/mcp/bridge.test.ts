import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { expect, test } from 'vitest'
import { bridgeMcp } from '../../../src/main/headless/support/mcp-bridge.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'

test('a client over stdin and stdout uses the tools, also after Millrace has forgotten it', async () => {
  const app = await startFlowApp()
  await app.call('PUT', '/v1/settings', { mcp_server: true })
  await app.addFlow([{ ref_id: 'sum', type: 'set', config: { values: { total: 3 } } }], {
    name: 'Total',
    settings: { mcp_tool: { input_schema: null } },
  })
  const body = { expiration: null, scopes: ['automation'], note: 'AI client' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const [toBridge, fromBridge] = [new PassThrough(), new PassThrough()]
  let isRunning = true
  const bridged = bridgeMcp({
    input: toBridge,
    output: fromBridge,
    token,
    async findUrl() {
      if (!isRunning) throw new Error('No Millrace runs here')
      return `http://127.0.0.1:${app.port}/v1/mcp`
    },
  })
  const client = new Client({ name: 'test', version: '1' })
  // The transports of server and client differ only in which one starts the other.
  await client.connect(new StdioServerTransport(fromBridge, toBridge))
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const before = await names()
  const { structuredContent } = await client.callTool({ name: 'total' })
  // Every session ends, as with a restart.
  await app.call('PUT', '/v1/settings', { mcp_server: false })
  const off = await client.listTools().catch(String)
  isRunning = false
  const stopped = await client.listTools().catch(String)
  isRunning = true
  await app.call('PUT', '/v1/settings', { mcp_server: true })
  const after = await names()
  toBridge.end()
  await bridged
  expect({ output: (structuredContent as { output: object }).output, off, stopped, after }).toEqual({
    output: { total: 3 },
    off: expect.stringContaining('The MCP server is off'),
    stopped: expect.stringContaining('No Millrace runs here'),
    after: before,
  })
  expect(before).toContain('total')
})
