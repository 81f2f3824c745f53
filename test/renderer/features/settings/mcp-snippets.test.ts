import { expect, test } from 'vitest'
import { MCP_CLIENTS, MCP_SNIPPETS } from '../../../../src/renderer/features/settings/mcp-snippets.ts'

const URL = 'http://127.0.0.1:4747/v1/mcp'

test('the configuration of each client is JSON or one command, and points to Millrace', () => {
  const [command = '', ...files] = MCP_CLIENTS.map((client) => MCP_SNIPPETS[client].text(URL))
  const parsed = files.map(
    (text) => JSON.parse(text) as Record<string, Record<string, { url?: string; args?: string[] }>>,
  )
  expect({
    lines: command.split('\n').length,
    leads: command.includes(` ${URL} `),
    files: parsed.map((file) => (file['mcpServers'] ?? file['servers'])?.['millrace']),
  }).toEqual({
    lines: 1,
    leads: true,
    files: [
      expect.objectContaining({ command: 'millrace', args: ['mcp'] }),
      expect.objectContaining({ type: 'http', url: URL }),
      expect.objectContaining({ url: URL }),
      expect.objectContaining({ type: 'http', url: URL }),
    ],
  })
})
