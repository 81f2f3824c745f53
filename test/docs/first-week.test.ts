import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { anchorOf } from '../../src/renderer/features/shell/help/docs.ts'
import { readText } from '../../scripts/lib/read-text.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { callHttp } from '../helpers/http.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the flow in docs/reference/webhooks.md responds as the page says', async () => {
  const page = readText('docs/reference/webhooks.md')
  const [, flow = ''] = /^```json flow\n([\s\S]*?)^```$/m.exec(page) ?? []
  const [, body = ''] = /-d '(.*?)'/.exec(page) ?? []
  const [, status, answer = ''] = /The response is `(\d+)` with `(.*?)`/.exec(page) ?? []
  const app = await startFlowApp()
  const made = (await app.call('POST', '/v1/flows', JSON.parse(flow) as object)).json as Flow
  const answered = await callHttp(app.port, {
    method: 'POST',
    path: `/v1/flow-webhook/${made.id}`,
    headers: { authorization: `Bearer ${made.webhook?.token}`, 'content-type': 'application/json' },
    body,
  })
  expect({ status: answered.status, json: answered.json }).toEqual({
    status: Number(status),
    json: JSON.parse(answer),
  })
})

test('the filter in docs/reference/webhooks.md responds as the page says', async () => {
  const [, section = ''] =
    /^## Filter requests\n([\s\S]*?)^## /m.exec(readText('docs/reference/webhooks.md')) ?? []
  const [, flow = ''] = /^```json flow\n([\s\S]*?)^```$/m.exec(section) ?? []
  const rows = [...section.matchAll(/^\| `(.*?)` \| `(.*?)` \| (yes|no) \|$/gm)]
  const app = await startFlowApp()
  const made = (await app.call('POST', '/v1/flows', JSON.parse(flow) as object)).json as Flow
  const found: string[][] = []
  for (const [, body = ''] of rows) {
    const before = app.runs().length
    const { text } = await callHttp(app.port, {
      method: 'POST',
      path: `/v1/flow-webhook/${made.id}`,
      headers: { 'content-type': 'application/json' },
      body,
    })
    found.push([body, text, app.runs().length > before ? 'yes' : 'no'])
  }
  expect(found).toEqual(rows.map((row) => row.slice(1)))
  expect(found.map(([, , ran]) => ran)).toEqual(['yes', 'no'])
})

test('a flow reads bodies as docs/reference/webhooks.md describes', async () => {
  const app = await startFlowApp()
  const steps = [{ ref_id: 'web1', type: 'webhook', config: { response_body: '{{ web1 | tojson }}' } }]
  const made = (await app.call('POST', '/v1/flows', { name: 'Read', steps })).json as Flow
  const ask = async (type: string, body: string, query = '') => {
    const { text } = await callHttp(app.port, {
      method: 'POST',
      path: `/v1/flow-webhook/${made.id}${query}`,
      headers: { authorization: `Bearer ${made.webhook?.token}`, 'content-type': type },
      body,
    })
    return JSON.parse(text) as unknown
  }
  expect([
    await ask('application/json', '{"a": 1, "b": 2}', '?a=9'),
    await ask('application/json', '[1, 2]'),
    await ask('application/x-www-form-urlencoded', 'name=Ann&topic=tea&topic=cake'),
    await ask('application/xml', '<order number="7"><line/></order>'),
    await ask('text/plain', 'hello'),
  ]).toEqual([
    { a: '9', b: 2 },
    { body: [1, 2] },
    { name: 'Ann', topic: ['tea', 'cake'] },
    { order: { '@number': '7', line: null } },
    { body: 'hello' },
  ])
})

test('the schedule in docs/reference/steps.md runs on the last day of every month', async () => {
  const [, step = ''] = /^```json schedule\n([\s\S]*?)^```$/m.exec(readText('docs/reference/steps.md')) ?? []
  const app = await startFlowApp()
  const made = (await app.call('POST', '/v1/flows', { name: 'Month', steps: [JSON.parse(step) as object] }))
    .json as Flow
  const { next } = (await app.call('GET', `/v1/flows/${made.id}/schedule`)).json as { next: string[] }
  const after = next.map((time) => new Date(Date.parse(time) + 86_400_000).getUTCDate())
  expect({ hasMoreDays: next.length > 2, oneEach: after.every((day) => day === 1) }).toEqual({
    hasMoreDays: true,
    oneEach: true,
  })
})

const PAGES = globSync(['*.md', 'docs/**/*.md', '{src,packages/*/src}/**/README.md'], { cwd: ROOT })

test('bold words in the guides are labels of the app, or begin a paragraph', () => {
  const labels = new Set(
    globSync('src/renderer/locales/de/**/*.json', { cwd: ROOT }).flatMap((file) =>
      Object.keys(JSON.parse(readText(file)) as object),
    ),
  )
  const guides = PAGES.filter((page) => /^docs\/(?:getting-started|faq|how-to\/.*)\.md$/.test(page))
  const bold = guides.flatMap((page) =>
    [
      ...readText(page)
        .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .matchAll(/\*\*([^*]+)\*\*/g),
    ].map(([, words = '']) => [page, words]),
  )
  expect({
    unknown: bold.filter(([, words = '']) => !words.endsWith('.') && !labels.has(words)),
    many: bold.length > 30,
  }).toEqual({ unknown: [], many: true })
})

test('links to a heading lead to an existing heading', () => {
  const anchorsOf = (page: string) =>
    [...readText(page).matchAll(/^#{1,4} (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  const lost = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .map(([, to = '', anchor = '']) => [page, to === '' ? page : join(dirname(page), to), anchor] as const)
      .filter(([, to, anchor]) => existsSync(join(ROOT, to)) && !anchorsOf(to).includes(anchor)),
  )
  expect(lost).toEqual([])
})

test('links and paths in the pages lead to existing files', () => {
  const links = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => [
      page,
      join(dirname(page), to),
    ]),
  )
  const paths = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/`((?:src|test|bench|resources|scripts|docs)\/[\w./-]+)`/g)].map(
      ([, path = '']) => [page, path],
    ),
  )
  const missing = [...links, ...paths].filter(([, path = '']) => !existsSync(join(ROOT, path)))
  expect({ missing, hasLinks: links.length > 5, hasPaths: paths.length > 20 }).toEqual({
    missing: [],
    hasLinks: true,
    hasPaths: true,
  })
})

test('npm commands in the pages are existing scripts', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
  const named = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => [page, script]),
  )
  expect({
    unknown: named.filter(([, script = '']) => !(script in scripts)),
    hasScripts: named.length > 10,
  }).toEqual({ unknown: [], hasScripts: true })
})
