import { expect, it } from 'vitest'
import type { Plugin } from '../../../src/shared/contract/plugins/plugins.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { connectMcp } from '../../helpers/mcp-client.ts'
import { aPlugin, part } from '../../helpers/plugins.ts'
import { session } from '../../helpers/test-server.ts'

it('the documentation search of MCP finds what a plug-in adds, while it is confirmed', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connectMcp(app.port, session.authorization)
  const search = async () => {
    const { value } = await callTool('search_docs', { query: 'zebra' })
    return (value['sections'] as { document: string; heading: string; text: string }[]).map(
      ({ document, heading, text }) => [document, heading, text.includes('"plugin": "tools"')],
    )
  }
  const fields = [{ name: 'word', label: 'Word' }]
  const manifest = {
    steps: [part('paint', { fields, words: 'zebra' })],
    filters: [{ name: 'stripes', description: 'Zebra stripes.' }],
  }
  const path = aPlugin(manifest, 'export const steps = { paint: () => 1 }')
  const { json } = await app.call('POST', '/v1/plugins', { path })
  const before = await search()
  await app.call('POST', '/v1/plugins/tools/confirm', { hash: (json as Plugin).hash })
  const after = await search()
  await app.call('DELETE', '/v1/plugins/tools')
  expect([before, after, await search()]).toEqual([
    [],
    [
      ['plugin-tools', 'paint', true],
      ['plugin-tools', 'Filter tools_stripes', false],
    ],
    [],
  ])
})
