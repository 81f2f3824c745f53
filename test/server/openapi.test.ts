import { expect, test } from 'vitest'
import { readText } from '../../scripts/lib/read-text.ts'
import { docUrlOf, ERROR_STATUS, type ErrorCode } from '../../src/shared/contract/base/errors.ts'
import { operationName, pathTemplate } from '../../src/shared/contract/base/operation-name.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { casesOfAnswer, faultsOf, type ApiDocument, type Case, type Operation } from '../helpers/openapi.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { session } from '../helpers/test-server.ts'
import { aPlugin } from '../helpers/plugins.ts'

const ALL = [...ROUTES, ...STREAM_ROUTES]
const NOBODY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
/** URLs that aren't routes of the contract. */
const BY_HAND = ['POST /v1/flow-webhook/{flow_id}', 'POST /v1/mcp']

async function read(app: TestApp): Promise<ApiDocument> {
  const answer = await app.call('GET', '/v1/openapi.json', undefined, { authorization: '' })
  expect({ status: answer.status, contentType: answer.headers['content-type'] }).toEqual({
    status: 200,
    contentType: 'application/json; charset=utf-8',
  })
  return answer.json as ApiDocument
}

const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )

test('the description contains every route, each under a unique name, and nothing else', async () => {
  const document = await read(await startTestApp())
  const operations = operationsOf(document)
  expect(document.openapi).toBe('3.1.0')
  expect(operations.map(({ name }) => name).toSorted()).toEqual(
    [...ALL.map(({ method, path }) => `${method} ${pathTemplate(path)}`), ...BY_HAND].toSorted(),
  )
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)+$/.test(name))).toEqual([])
  expect(new Set(names)).toEqual(new Set([...ALL.map(operationName), 'trigger_flow', 'send_mcp_message']))
})

test('the server mounts every route of the contract and, apart from them, only the OAuth callback', async () => {
  const mounted: string[] = []
  await startTestApp({
    mountMore({ paths }) {
      for (const [path, { methods }] of paths)
        mounted.push(...[...methods].map((method) => `${method} ${path}`))
    },
  })
  const declared = ALL.map(({ method, path }) => `${method} ${path}`)
  expect(mounted.toSorted()).toEqual([...declared, 'GET /v1/oauth2/callback/:connector'].toSorted())
})

test('each operation describes itself, its scopes, responses and errors, with valid examples', async () => {
  const document = await read(await startTestApp())
  const examples: Case[] = []
  const lacking: string[] = []
  for (const { name, operation } of operationsOf(document)) {
    const { summary, responses, security } = operation
    const media = [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((answer) =>
        'content' in answer ? Object.values(answer.content ?? {}) : [],
      ),
    ]
    for (const { schema, example } of media) {
      if (schema !== undefined && example !== undefined)
        examples.push({ label: name, schema, value: example })
    }
    const isOpen = security?.length === 0
    if (summary.length < 10) lacking.push(`${name}: a summary`)
    if (responses[500] === undefined || responses[503] === undefined) lacking.push(`${name}: defects`)
    // A sign-in needs no token, but rejects an invalid one.
    const isRefused = responses[401] !== undefined
    if (isOpen === isRefused && operation.operationId !== 'sign_in_to_page') lacking.push(`${name}: who may`)
    if (name.includes('{') && responses[404] === undefined) lacking.push(`${name}: what is not there`)
  }
  const envelopes = Object.entries(document.components.responses).map(([name, answer]) => ({
    label: name,
    schema: document.components.schemas['Error']!,
    value: answer.content?.['application/json']?.example,
  }))
  expect(lacking).toEqual([])
  expect(examples.length).toBeGreaterThan(100)
  expect(await faultsOf(document, [...examples, ...envelopes])).toEqual([])
})

/** Every property of every schema of the description, with the path that leads to it. */
function propertiesOf(value: unknown, path: string): readonly (readonly [path: string, schema: object])[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as { readonly properties?: Readonly<Record<string, object>> }
  return [
    ...Object.entries(properties).map(([name, schema]) => [`${path}.${name}`, schema] as const),
    ...Object.entries(value).flatMap(([key, below]) =>
      ['example', 'examples', 'default', 'enum'].includes(key) ? [] : propertiesOf(below, `${path}/${key}`),
    ),
  ]
}

test('every property and parameter is described in words that say more than its name', async () => {
  const document = await read(await startTestApp())
  const parameters = operationsOf(document).flatMap(({ name, operation }) =>
    (operation.parameters ?? [])
      .filter(({ name: own }) => own)
      .map((one) => [`${name} ${one.name}`, one] as const),
  )
  const all = [...propertiesOf(document, ''), ...parameters] as readonly (readonly [
    string,
    { readonly description?: string },
  ])[]
  const lacking = all.filter(([path, { description = '' }]) => {
    const name = path
      .split(/[.\s/]/)
      .at(-1)
      ?.replaceAll('_', ' ')
    return description.split(' ').length < 3 || description.toLowerCase() === `the ${name}.`
  })
  expect({ lacking: lacking.map(([path]) => path), many: all.length > 1_000 }).toEqual({
    lacking: [],
    many: true,
  })
})

/**
 * Meaningless examples that a generator falls back on: empty strings, and 1 for a port, a status, a size or a limit.
 */
function nonsenseIn(value: unknown, path: string): readonly string[] {
  if (value === '') return [path]
  if (value === 1 && /(?:port|status|bytes|seconds|_ms|_mb|requests|limit|runs|days|size)$/.test(path))
    return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, below]) => nonsenseIn(below, `${path}.${key}`))
}

test('examples are realistic values', async () => {
  const document = await read(await startTestApp())
  const nonsense = operationsOf(document).flatMap(({ name, operation }) =>
    [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      part !== undefined && 'content' in part
        ? Object.values(part.content ?? {}).flatMap(({ example }) => nonsenseIn(example, name))
        : [],
    ),
  )
  expect(nonsense).toEqual([])
})

test('rate-limited operations list 429, and a new token has never been used', async () => {
  const { paths } = await read(await startTestApp())
  const tokens = '/v1/personal-access-tokens'
  const counted = Object.entries(paths).filter(([, path]) => path['post']?.responses[429] !== undefined)
  expect(counted.map(([path]) => path).toSorted()).toEqual([
    '/v1/flow-webhook/{flow_id}',
    '/v1/mcp',
    '/v1/page-sessions/sign-in',
    `${tokens}/check`,
    '/v1/templates/preview',
    '/v1/templates/render',
  ])
  const exampleOf = (path: string, status: number) => {
    const answer = paths[path]?.['post']?.responses[status]
    return answer && 'content' in answer ? answer.content?.['application/json']?.example : undefined
  }
  expect({
    created: exampleOf(tokens, 201),
    regenerated: exampleOf(`${tokens}/{id}/regenerate`, 200),
  }).toMatchObject({ created: { last_used: null }, regenerated: { last_used: null } })
})

/** Operations that create records come first, then those that read and change them, and those that delete them last. */
const ORDER = ['create', 'list', 'read', 'update'] as const
function turnOf({ operationId }: Operation): number {
  if (operationId === 'run_flow') return 0 // there is a run to read then
  if (operationId.startsWith('delete')) return OWNERS.has(operationId) ? 99 : 98
  const place = ORDER.findIndex((verb) => operationId.startsWith(`${verb}_`))
  return place === -1 ? ORDER.length : place
}
/** Deleting one of these deletes other records, too. */
const OWNERS = new Set(['delete_connector', 'delete_flow'])
/** Created first, because other records belong to them. */
const CREATE_FIRST = ['/v1/connectors', '/v1/users', '/v1/flows']

/** The part of a path that identifies a run and a step whose output is a list. */
async function aRunWithRecords(app: TestApp): Promise<string> {
  const steps = [{ ref_id: 'sorted', type: 'sort', config: { over: [2, 1] } }]
  const flow = (await app.call('POST', '/v1/flows', { name: 'Sorts', steps })).json as { id: string }
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as { id: string }
  const [step] = (await app.call('GET', `/v1/flow-runs/${run.id}/steps`)).json as { id: string }[]
  return `${run.id}/steps/${step?.id}`
}

test('numbers are numbers, defaults are optional in requests, lists say of what, and tags are described', async () => {
  const document = await read(await startTestApp())
  const bodies = operationsOf(document).map(({ operation }) => operation.requestBody)
  const lists: string[] = []
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, items } = value as { readonly type?: unknown; readonly items?: unknown }
    if (type === 'array' && items === undefined) lists.push(path)
    for (const [key, below] of Object.entries(value))
      if (!['example', 'examples', 'default', 'enum'].includes(key)) look(below, `${path}/${key}`)
  }
  look(document, '')
  const defaults: string[] = []
  const lookForDefaults = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, below] of Object.entries(value)) {
      // A property can have this name, too.
      if (key === 'default' && !path.endsWith('/properties')) defaults.push(path)
      if (!['example', 'examples', 'enum'].includes(key)) lookForDefaults(below, `${path}/${key}`)
    }
  }
  lookForDefaults([bodies, document.components.schemas['Step']], '')
  const parameters = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? [])
  const ofPages = parameters.filter(({ name }) => name === 'page' || name === 'per_page')
  const { tags } = document as unknown as { readonly tags: readonly { readonly description: string }[] }
  const run = document.paths['/v1/flows/{id}/run']?.['post']?.responses ?? {}
  const schemaAt = (status: number) => JSON.stringify((run[status] as { content?: object }).content)
  expect({
    ofPages: new Set(ofPages.map((one) => (one as unknown as { schema: { type: string } }).schema.type)),
    defaults,
    lists,
    tags: tags.filter(({ description }) => description === ''),
    run: [schemaAt(200).includes('#/components/schemas/FlowRun'), schemaAt(202).includes('anyOf')],
  }).toEqual({ ofPages: new Set(['integer']), defaults: [], lists: [], tags: [], run: [true, false] })
})

test('every list takes page and per_page and links to its next page, whose records follow', async () => {
  const app = await startTestApp()
  const flow = (
    await app.call('POST', '/v1/flows', {
      name: 'Listed',
      steps: [1, 2, 3].map((n) => ({ ref_id: `s${n}`, type: 'set', config: { values: { n } } })),
    })
  ).json as { id: string }
  for (const name of ['a', 'b']) {
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
    await app.call('POST', '/v1/connectors', { name, base_domain: 'https://api.example.com' })
    await app.call('POST', '/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7')
  }
  const [run] = (await app.call('GET', '/v1/flow-runs')).json as { id: string }[]
  const table = (
    await app.call('POST', '/v1/data-tables', { name: 'rows', columns: [{ name: 'n', type: 'number' }] })
  ).json as { id: string }
  await app.call('POST', `/v1/data-tables/${table.id}/rows`, { rows: [{ n: 1 }, { n: 2 }, { n: 3 }] })
  const lists = [
    '/v1/flow-runs',
    `/v1/flow-runs/${run?.id}/steps`,
    '/v1/flow-run-steps',
    `/v1/data-tables/${table.id}/rows`,
    '/v1/connectors',
  ]
  const found = await Promise.all(
    lists.map(async (path) => {
      const first = await app.call('GET', `${path}?per_page=1`)
      const [, next = ''] = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? []
      const linked = await app.call('GET', next)
      const numbered = await app.call('GET', `${path}?per_page=1&page=2`)
      const isNext = JSON.stringify(linked.json) === JSON.stringify(numbered.json)
      return [path, isNext, JSON.stringify(first.json) !== JSON.stringify(linked.json)]
    }),
  )
  const far = await app.call('GET', '/v1/flow-runs?page=201')
  const both = await app.call('GET', `/v1/flow-runs?page=2&after=${run?.id}`)
  expect({ found, far: [far.status, far.json], both: both.status }).toEqual({
    found: lists.map((path) => [path, true, true]),
    far: [400, expect.objectContaining({ message: expect.stringContaining('follow the header Link') })],
    both: 400,
  })
})

test('each error code has a place in the documentation, which every error names', async () => {
  const app = await startTestApp()
  const { json } = await app.call('GET', `/v1/flows/${NOBODY}`)
  const page = readText('docs/reference/errors.md')
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[]
  const lacking = codes.filter((code) => !page.includes(`### \`${docUrlOf(code).split('#')[1]}\`\n`))
  expect({ json, lacking }).toMatchObject({
    json: { error: 'not_found', doc_url: 'docs/reference/errors.md#not_found' },
    lacking: [],
  })
})

test("the server's responses match the description, for every operation and with its own examples", async () => {
  const app = await startTestApp({ playground: true })
  const document = await read(app)
  const ids = new Map<string, string>()
  const faults: string[] = []
  const cases: Case[] = []
  const answered: Record<string, number> = {}

  const withIds = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((part) => withIds(part, key))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withIds(part, name)]))
    }
    if (value !== NOBODY) return value
    if (key === 'flow') return ids.get('/v1/flows')
    return key === 'user_ids' ? ids.get('/v1/users') : ids.get(`/v1/${key.replace(/_id$/, 's')}`)
  }
  const records = await aRunWithRecords(app)
  await app.call('POST', '/v1/plugins', { path: aPlugin({}, 'export const steps = {}') })
  ids.set('/v1/plugins', 'tools')
  const addressOf = (path: string) =>
    path
      .replace('{id}/steps/{step_id}', records)
      .replace('tests/{name}', `tests/${encodeURIComponent('An order with two items')}`)
      .replace('{version}', '1')
      .replace('{ref_id}', 'total')
      .replace(/\{[a-z_]+\}/, () => ids.get(path.slice(0, path.indexOf('/{'))) ?? NOBODY)

  function note(operation: Operation, answer: HttpAnswer): void {
    const found = casesOfAnswer(document, operation, answer)
    faults.push(...found.faults)
    cases.push(...found.cases)
  }

  async function ask(method: string, path: string, operation: Operation): Promise<HttpAnswer> {
    const example = operation.requestBody?.content['application/json']?.example
    if (operation.requestBody?.content['multipart/form-data'] && path === '/v1/file-uploads') {
      const headers = { ...session, 'content-type': 'text/csv' }
      return callHttp(app.port, { method: 'POST', path, headers, body: 'a;b' })
    }
    return app.call(method, addressOf(path), example === undefined ? undefined : withIds(example))
  }

  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    )
    .filter(({ operation }) => !operation.responses[200] || !isStream(operation))
    .toSorted(
      (a, b) =>
        turnOf(a.operation) - turnOf(b.operation) ||
        Number(CREATE_FIRST.includes(b.path)) - Number(CREATE_FIRST.includes(a.path)),
    )
  for (const { path, method, operation } of operations) {
    const answer = await ask(method, path, operation)
    const { operationId: name } = operation
    const made = answer.json as { id?: string; flow_run_id?: string } | undefined
    if (answer.status === 201 && made?.id && !ids.has(path)) ids.set(path, made.id)
    if (name === 'create_flow') {
      ids.set('/v1/flow-webhook', made?.id ?? '')
      await app.call('POST', `/v1/flow-webhook/${made?.id}`) // refused, and listed
    }
    if (name === 'list_webhook_requests')
      ids.set('/v1/webhook-requests', (answer.json as { id: string }[])[0]?.id ?? '')
    if (name === 'run_flow' && made?.flow_run_id) ids.set('/v1/flow-runs', made.flow_run_id)
    answered[name] = answer.status
    note(operation, answer)
    if (operation.security?.length !== 0) {
      note(operation, await app.call(method, addressOf(path), undefined, { authorization: '' }))
    }
  }
  expect([...faults, ...(await faultsOf(document, cases))]).toEqual([])
  const refused = Object.keys(answered).filter((name) => answered[name]! >= 400)
  expect(Object.keys(answered).length - refused.length).toBeGreaterThan(60)
  expect(refused.filter((name) => /^(create|read|list|update|delete)_/.test(name))).toEqual([])
})

const isStream = (operation: Operation) => {
  const success = operation.responses[200]
  return success !== undefined && 'content' in success && 'application/x-ndjson' in (success.content ?? {})
}
