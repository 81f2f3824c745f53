/** The calls of the guide "Let an agent build a flow", word for word. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SCOPES } from '../../../src/shared/contract/base/scopes.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { connectMcp } from '../../helpers/mcp-client.ts'

const GUIDE = 'docs/how-to/let-an-agent-build-a-flow.md'

interface Block {
  /** The tool to call; null for the result of the previous call. */
  readonly tool: string | null
  readonly code: string
}

function blocksOf(page: string): Block[] {
  const fences = page.matchAll(/^```json (?:tool: (\w+)|result)\n([\s\S]*?)^```$/gm)
  return [...fences].map(([, tool = null, code = '']) => ({ tool, code }))
}

/** How the guide shows a result: lists have the same length, and objects have at least these members. */
function asShown(shown: unknown): unknown {
  // oxlint-disable-next-line vitest/no-conditional-expect -- a matcher
  if (shown === '…') return expect.any(String)
  if (Array.isArray(shown)) return shown.map(asShown)
  if (typeof shown !== 'object' || shown === null) return shown
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, asShown(value)])),
  )
}

test('an agent that follows the guide builds a flow, which runs once a person has saved it', async () => {
  const page = readFileSync(GUIDE, 'utf8')
  const docs = new Map([['steps', readFileSync('docs/reference/steps.md', 'utf8')]])
  const app = await startFlowApp({ settings: { mcp_server: true }, docs })
  const [, scopes = ''] = /token create --scopes (\S+)/.exec(page) ?? []
  const body = { expiration: null, scopes: scopes.split(','), note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const { callTool } = await connectMcp(app.port, `Bearer ${token}`)

  const known = { FLOW_ID: '', REVISION: '' }
  let value: Record<string, unknown> = {}
  const called: string[] = []
  for (const { tool, code } of blocksOf(page)) {
    if (tool === null) {
      // oxlint-disable-next-line vitest/no-conditional-expect -- each block of the guide is one or the other
      expect(value).toEqual(asShown(JSON.parse(code)))
      continue
    }
    const filled = code.replaceAll('FLOW_ID', known.FLOW_ID).replaceAll('REVISION', known.REVISION)
    const answer = await callTool(tool, JSON.parse(filled) as object)
    expect({ tool, isError: answer.isError, text: answer.isError ? answer.text : '' }).toEqual({
      tool,
      isError: false,
      text: '',
    })
    called.push(tool)
    value = answer.value
    known.FLOW_ID = (value['flow_id'] as string | undefined) ?? known.FLOW_ID
    known.REVISION = (value['revision'] as string | undefined) ?? known.REVISION
  }
  expect(called).toEqual(['search_docs', 'create_flow', 'patch_flow', 'try_step', 'test_flow', 'diff_flow'])

  const path = `/v1/flows/${known.FLOW_ID}`
  expect(((await app.call('GET', path)).json as Flow).steps).toEqual([])
  const { steps } = (await app.call('GET', `${path}/working-copy`)).json as { steps: object[] }
  const saved = (await app.call('PUT', path, { steps, status: 'active' })).json as Flow
  const answer = await app.trigger(
    { path: `/v1/flow-webhook/${saved.id}`, token: saved.webhook?.token ?? '' },
    { body: { amount: 1000 } },
  )
  expect(answer.json).toEqual({ total: 1190, large: true })
})

test('the table of tools and scopes in the guide about AI clients is right', async () => {
  const page = readFileSync('docs/how-to/ai-clients.md', 'utf8')
  const rows = [...page.matchAll(/^\| (`[^|]+) \| [^|]+ \| ([^|]+) \|$/gm)]
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const seen = new Map<string, string[]>()
  for (const scope of SCOPES) {
    const body = { expiration: null, scopes: [scope], note: scope }
    const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
    const { toolNames } = await connectMcp(app.port, `Bearer ${token}`)
    for (const name of await toolNames()) seen.set(name, [...(seen.get(name) ?? []), scope])
  }
  const promised = rows.flatMap(([, tools = '', scopes = '']) =>
    [...tools.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string[]] => [name, scopesIn(scopes)]),
  )
  expect(promised.length).toBeGreaterThan(15)
  expect(Object.fromEntries(promised)).toEqual(Object.fromEntries(seen))
})

/** `any`, `any `automation` scope but …`, or a list. */
function scopesIn(text: string): string[] {
  if (text.trim() === 'any') return [...SCOPES]
  const [first = '', ...more] = [...text.matchAll(/`([\w:]+)`/g)].map(([, scope = '']) => scope)
  const all = [first, `${first}:manage`, `${first}:view`]
  return text.includes('any') ? all : SCOPES.filter((scope) => [first, ...more].includes(scope))
}
