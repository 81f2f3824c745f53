import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  PAGINATION_ERROR_CODES,
  paginationLimits,
  STOP_REASONS,
} from '../../src/shared/contract/pagination.ts'
import { paginationConfigEntry } from '../../src/shared/contract/base/pagination-config.ts'
import { readText } from '../../scripts/lib/read-text.ts'
import { PAGE_VARIABLES } from '../../src/main/engine/pagination/model/page-config.ts'
import { eventsOf } from '../helpers/pagination-test-events.ts'
import { catalogueFiles } from '../helpers/store.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../helpers/third-party-api.ts'
import { type ImitationServer, startImitationServer } from '../resources/imitation-server.ts'
import { IMITATIONS } from '../resources/imitations.ts'

const PAGE = readText('docs/reference/pagination.md')

/** Blocks whose fence begins with three words: ```json playground list_contacts */
const EXAMPLES = [...PAGE.matchAll(/^```json(?: (\w+) ([\w-]+)(?: (\w+))?)?\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', subject = '', action = '', code = ''], index) => ({
    title: `${index + 1}: ${[kind, subject, action].join(' ').trim()}`,
    kind,
    subject,
    action,
    config: code,
  }),
)

test('every block of JSON names the API that it is run with', () => {
  expect(EXAMPLES.filter(({ kind }) => !['playground', 'imitation', 'server'].includes(kind))).toEqual([])
  expect(EXAMPLES.length).toBeGreaterThan(30)
})

test.for(of('playground'))('playground, $title', async ({ subject: action, config }) => {
  const app = await startTestApp({ playground: true })
  const playground = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
  const read = await resultOf(app, {
    connector_id: playground,
    action,
    pagination_config: JSON.parse(config) as unknown,
  })
  expect(read).toEqual({ ...WHOLE, records: 64 })
})

describe('other APIs', () => {
  let server: ImitationServer
  beforeAll(async () => {
    server = await startImitationServer()
  })
  afterAll(() => server.close())

  test.for(of('imitation'))('$title', async ({ subject, action, config }) => {
    const imitation = IMITATIONS.find((each) => each.connector === subject && each.action === action)
    if (imitation === undefined) throw new Error(`there is no imitation ${subject} ${action}`)
    server.imitate(imitation)
    const app = await startTestApp()
    const connector = files.find((file) => file.connector.name.toLowerCase() === subject.replaceAll('-', ' '))
    const auth = await app.call('POST', '/v1/connector-auths', {
      connector_id: connector?.connector.id,
      name: 'test',
      api_endpoint: server.base,
      ...imitation.auth,
    })
    const read = await resultOf(app, {
      connector_id: connector?.connector.id,
      action,
      auth_id: (auth.json as { id: string }).id,
      ...(imitation.input ? { input: imitation.input } : {}),
      pagination_config: JSON.parse(config) as unknown,
    })
    expect(read).toEqual({ ...WHOLE, records: 250 })
  })
})

test.for(of('server'))('with its own server, $title', async ({ subject, config }) => {
  const app = await startTestApp()
  const { answer, expected, other } = serverNamed(subject, config)
  const second =
    other === undefined ? null : await startThirdPartyApi((_, response) => send(response, other()))
  const api = await startThirdPartyApi((request, response, count) =>
    send(response, answer(request, count, second?.url ?? '')),
  )
  const read = await resultOf(app, {
    request: { base_url: api.url, endpoint: 'items', ...(subject === 'post-without-body' ? POST : {}) },
    pagination_config: JSON.parse(
      config.replaceAll('https://files.example.com', second?.url ?? ''),
    ) as unknown,
    limits: { backoff_base_ms: 1 },
  })
  expect(read).toEqual({ ...WHOLE, ...expected })
})

test('the page has all keys, variables, limits, ends and errors, and no others', () => {
  expect({
    keys: rowsOf('Keys'),
    variables: rowsOf('Variables'),
    ends: rowsOf('Why a list ended'),
    errors: rowsOf('Errors'),
  }).toEqual({
    keys: Object.keys(paginationConfigEntry.shape).toSorted(),
    variables: [...PAGE_VARIABLES].toSorted(),
    ends: [...STOP_REASONS].toSorted(),
    errors: [...PAGINATION_ERROR_CODES].toSorted(),
  })
  const limits = Object.keys(paginationLimits.shape)
  expect(limits.filter((name) => !PAGE.includes(`| \`${name}\``))).toEqual([])
})

const WHOLE = { last: 'done', warnings: [] as string[], distinct: true }
const POST = { method: 'POST' }
const files = catalogueFiles() as readonly { connector: { id: string; name: string } }[]

function of(wanted: string) {
  return EXAMPLES.filter(({ kind }) => kind === wanted)
}

/** The names in the first column of a section's tables, up to the next section of its level. */
function rowsOf(heading: string): string[] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name).toSorted()
}

async function resultOf(app: TestApp, body: object) {
  const events = await eventsOf(app, body)
  const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
  const last = events.at(-1)
  return {
    last: last?.type === 'failed' ? last.error : last?.type,
    warnings: last?.type === 'done' ? last.warnings : [],
    records: records.length,
    distinct: new Set(records.map((record) => JSON.stringify(record))).size === records.length,
  }
}

interface TinyServer {
  /** Returns the body of the response; undefined sends a 400. */
  readonly answer: (request: ReceivedRequest, count: number, other: string) => unknown
  /** A second host of the API. */
  readonly other?: () => unknown
  readonly expected: { readonly records: number; readonly warnings?: string[] }
}

function serverNamed(name: string, config: string): TinyServer {
  const server = SERVERS[name]
  if (server === undefined) throw new Error(`there is no server "${name}"`)
  return name === 'newest-first' && config.includes('max_pages')
    ? { ...server, expected: { records: 4, warnings: ['cut_by_max_pages'] } }
    : server
}

const records = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ id: from + index }))
const parameter = ({ target }: ReceivedRequest, name: string) =>
  new URL(target, 'http://api.invalid').searchParams.get(name)
const pageOf = (request: ReceivedRequest) => Number(parameter(request, 'page') ?? 1)

const SERVERS: Record<string, TinyServer> = {
  'newest-first': {
    // Two records per page, the newest from December 2026, each a month older than the one before, without an end.
    answer: (request) =>
      [0, 1].map((index) => {
        const month = (pageOf(request) - 1) * 2 + index
        return { id: month, created_at: new Date(Date.UTC(2026, 11 - month, 15)).toISOString() }
      }),
    expected: { records: 14 },
  },
  'busy-with-200': {
    answer: (request, count) =>
      count % 2 === 1
        ? { status: 'busy' }
        : { items: pageOf(request) < 4 ? records(pageOf(request) * 2 - 1, pageOf(request) * 2) : [] },
    expected: { records: 6 },
  },
  'post-without-body': {
    answer: (request) => {
      if (request.method !== 'POST' || request.body.length > 0) return undefined
      const at = Number(parameter(request, 'cursor') ?? 0)
      return { items: records(at + 1, at + 3), ...(at < 6 ? { next: String(at + 3) } : {}) }
    },
    expected: { records: 9 },
  },
  'needs-a-page': {
    answer: (request) => {
      if (parameter(request, 'per_page') !== '4' || parameter(request, 'page') === null) return undefined
      return records(pageOf(request) * 4 - 3, Math.min(10, pageOf(request) * 4))
    },
    expected: { records: 10 },
  },
  overlapping: {
    answer: (request) =>
      pageOf(request) < 4 ? records(pageOf(request) * 2 - 1, pageOf(request) * 2 + 1) : [],
    expected: { records: 7 },
  },
  'two-hosts': {
    answer: (_request, _count, other) => ({ items: records(1, 3), next: `${other}/items?part=2` }),
    other: () => ({ items: records(4, 5), next: null }),
    expected: { records: 5 },
  },
  'soap-pages': {
    answer: (request) => {
      const page = Number(/<page>(\d)<\/page>/.exec(request.body.toString())?.[1] ?? 1)
      const items = page < 4 ? `<item><id>${page}</id></item>` : ''
      return new Text('text/xml', `<listResponse><page>${page}</page><items>${items}</items></listResponse>`)
    },
    expected: { records: 3 },
  },
  semicolons: {
    answer: (request) =>
      new Text('text/plain', `id;name\n${pageOf(request) < 3 ? `${pageOf(request)};"a;b"\n` : ''}`),
    expected: { records: 2 },
  },
  'after-an-id': {
    answer: (request) => {
      const after = parameter(request, 'after')
      if (after !== parameter(request, 'seen')) return undefined
      return records(Number(after ?? 0) + 1, Math.min(7, Number(after ?? 0) + 3))
    },
    expected: { records: 7 },
  },
}

/** A response that isn't JSON. */
class Text {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

function send(response: ServerResponse, body: unknown): void {
  if (body instanceof Text) {
    response.writeHead(200, { 'Content-Type': body.type }).end(body.text)
    return
  }
  response
    .writeHead(body === undefined ? 400 : 200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(body ?? { error: 'not as the example promises' }))
}
