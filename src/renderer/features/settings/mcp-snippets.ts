/** The configuration that AI clients need to reach the MCP server. */
import type { English } from '../../lib/i18n.ts'
import { english } from '../../lib/i18n.ts'

export const MCP_CLIENTS = ['claude_code', 'claude_desktop', 'vs_code', 'cursor', 'other'] as const
export type McpClient = (typeof MCP_CLIENTS)[number]

interface McpSnippet {
  readonly name: string | English
  readonly hint: English
  /** @param url of the MCP server */
  readonly text: (url: string) => string
}

/** The prefix of tokens; the full value is only shown when one is created. */
const TOKEN = 'mr_pat_…'

const written = (value: unknown) => JSON.stringify(value, null, 2)

export const MCP_SNIPPETS: { readonly [C in McpClient]: McpSnippet } = {
  claude_code: {
    name: 'Claude Code',
    hint: english('Run this in a terminal, with your token.'),
    text: (url) =>
      `claude mcp add --transport http millrace ${url} --header "Authorization: Bearer ${TOKEN}"`,
  },
  claude_desktop: {
    name: 'Claude Desktop',
    hint: english(
      'Add this to claude_desktop_config.json (Settings, Developer, Edit Config). Claude Desktop starts the millrace command, which must be installed.',
    ),
    text: () =>
      written({
        mcpServers: { millrace: { command: 'millrace', args: ['mcp'], env: { MILLRACE_TOKEN: TOKEN } } },
      }),
  },
  vs_code: {
    name: 'VS Code',
    hint: english('Add this to .vscode/mcp.json. VS Code asks for the token and stores it.'),
    text: (url) =>
      written({
        servers: {
          millrace: { type: 'http', url, headers: { Authorization: 'Bearer ${input:millrace-token}' } },
        },
        inputs: [
          {
            type: 'promptString',
            id: 'millrace-token',
            description: 'Access token of Millrace',
            password: true,
          },
        ],
      }),
  },
  cursor: {
    name: 'Cursor',
    hint: english(
      'Add this to .cursor/mcp.json, or to ~/.cursor/mcp.json for all projects. The token comes from the environment variable MILLRACE_TOKEN.',
    ),
    text: (url) =>
      written({
        mcpServers: { millrace: { url, headers: { Authorization: 'Bearer ${env:MILLRACE_TOKEN}' } } },
      }),
  },
  other: {
    name: english('Another client'),
    hint: english('Most clients accept this format. The transport is called streamable HTTP.'),
    text: (url) =>
      written({
        mcpServers: { millrace: { type: 'http', url, headers: { Authorization: `Bearer ${TOKEN}` } } },
      }),
  },
}
