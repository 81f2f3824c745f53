import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import type { IssuedToken } from '../../src/shared/contract/tokens.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { EarlierClient, EarlierStdio } from '../helpers/earlier-mcp.ts'
import { createHome } from '../helpers/program.ts'

const COMMAND = join(import.meta.dirname, '../../out/main/headless.js')

test('millrace mcp connects a client that starts it with the tools of the running Millrace', async () => {
  const home = createHome()
  try {
    const { url, bearer } = await home.serve()
    const call = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      return (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).json()
    }
    await call('PUT', '/v1/settings', { mcp_server: true })
    const wanted = { expiration: null, scopes: ['automation'], note: 'Desktop client' }
    const { token } = (await call('POST', '/v1/personal-access-tokens', wanted)) as IssuedToken
    const env = Object.fromEntries(
      Object.entries(home.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const program = {
      command: process.execPath,
      args: [...FLAGS, COMMAND, 'mcp'],
      env: { ...env, MILLRACE_TOKEN: token },
    }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport(program))
    const protocol = client.getNegotiatedProtocolVersion()
    const earlierClient = new EarlierClient({ name: 'test', version: '1' })
    await earlierClient.connect(new EarlierStdio(program))
    const { structuredContent: earlier } = await earlierClient.callTool({ name: 'list_flows' })
    await earlierClient.close()
    const { structuredContent: flows } = await client.callTool({ name: 'list_flows' })
    const { structuredContent: docs } = await client.callTool({
      name: 'search_docs',
      arguments: { query: 'pagination' },
    })
    await client.close()
    const noToken = await home.run(['mcp'])
    expect({ protocol, flows, earlier, noToken: [noToken.code, noToken.stdout, noToken.stderr] }).toEqual({
      protocol: '2026-07-28',
      earlier: flows,
      flows: {
        flows: [expect.objectContaining({ name: 'Receive an order' })],
        total: 1,
        page: 1,
      },
      noToken: [2, '', expect.stringContaining('MILLRACE_TOKEN is missing')],
    })
    expect((docs as { found: number }).found).toBeGreaterThan(5)
  } finally {
    await home.remove()
  }
})
