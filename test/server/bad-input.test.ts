import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Route, StreamRoute } from '../../src/shared/contract/base/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import { pathTemplate } from '../../src/shared/contract/base/operation-name.ts'
import { STEP_CONFIGS, type StepType } from '../../src/shared/contract/step-types/index.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { type BadValue, badValuesOf, schemaOf, writeValue } from '../helpers/bad-values.ts'
import type { ApiDocument } from '../helpers/openapi.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { SESSION_BEARER } from '../helpers/test-server.ts'

const NOBODY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const WITH_BODY = ([...ROUTES, ...STREAM_ROUTES] as readonly (Route | StreamRoute)[]).filter(
  ({ body }) => body,
)

/** The number of rows in each table, to detect anything that was stored only in part. */
async function rowCounts(app: TestApp): Promise<Record<string, number>> {
  const copy = join(temporaryFolder(), 'copy.db')
  expect((await app.call('POST', '/v1/database/backup', { path: copy })).status).toBe(200)
  const db = new Database(copy, { readonly: true })
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
    return Object.fromEntries(
      tables.map((table) => [table, db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number]),
    )
  } finally {
    db.close()
  }
}

interface Refusal {
  readonly status: number
  readonly error?: string
  readonly data?: Readonly<Record<string, unknown>> | null
}

/** The path of a record that doesn't exist. */
const pathOf = ({ path }: Route | StreamRoute) =>
  path
    .replace(':version', '1')
    .replace(':name', 'nobody')
    .replaceAll(/:[a-z_]+/g, NOBODY)

/** Uses kept-alive connections, because there are thousands of requests. */
async function send(app: TestApp, method: string, path: string, body: string): Promise<Refusal> {
  const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${SESSION_BEARER}`, 'content-type': 'application/json' },
    body,
  })
  const text = await answer.text()
  try {
    return { ...(JSON.parse(text) as object), status: answer.status }
  } catch {
    return { status: answer.status }
  }
}

const isNamed = (data: Refusal['data'], { path, within }: Pick<BadValue, 'path' | 'within'>) =>
  Object.keys(data ?? {}).some(
    (name) => isAtOrBelow(name, path) || (isAtOrBelow(path, name) && isAtOrBelow(name, within)),
  )

const isAtOrBelow = (name: string, path: string) =>
  name === path || name.startsWith(`${path}.`) || name.startsWith(`${path}[`)

async function inPortions<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += 50)
    results.push(...(await Promise.all(items.slice(at, at + 50).map(work))))
  return results
}

test('a wrong value in any field at any depth is rejected by the field’s name, and nothing of it is stored', async () => {
  const app = await startTestApp()
  const document = (await app.call('GET', '/v1/openapi.json')).json as ApiDocument
  const before = await rowCounts(app)
  const faults: string[] = []
  let asked = 0
  for (const route of WITH_BODY) {
    const media =
      document.paths[pathTemplate(route.path)]?.[route.method.toLowerCase()]?.requestBody?.content[
        'application/json'
      ]
    const path = pathOf(route)
    const bad = badValuesOf(schemaOf(route.body!), media?.example)
    asked += bad.length
    const outcomes = await inPortions(bad, async (one) => {
      const { status, error, data } = await send(app, route.method, path, writeValue(one.value))
      if (status === 400 && error === 'validation' && isNamed(data, one)) return []
      return [
        `${route.method} ${route.path} ${one.path} ${one.what}: ${status} ${JSON.stringify(data)?.slice(0, 150)}`,
      ]
    })
    faults.push(...outcomes.flat())
  }
  expect(faults).toEqual([])
  expect(asked).toBeGreaterThan(2_000)
  expect(await rowCounts(app)).toEqual(before)
  expect(app.logged.filter(({ level }) => level === 'error')).toEqual([])
})

test('a wrong value in any field of a step’s config is rejected by the step and the field', async () => {
  const app = await startTestApp()
  const before = await rowCounts(app)
  const faults: string[] = []
  for (const type of Object.keys(STEP_CONFIGS) as StepType[]) {
    const bad = badValuesOf(schemaOf(STEP_CONFIGS[type]), undefined)
    const outcomes = await inPortions(bad, async ({ value, path, within, what }) => {
      const body = writeValue({ name: 'Bad', steps: [{ ref_id: 'one', type, config: value }] })
      const { status, error, data } = await send(app, 'POST', '/v1/flows', body)
      const prefix = 'steps[0].config'
      const place = { path: `${prefix}.${path}`, within: within === '' ? prefix : `${prefix}.${within}` }
      if (status === 400 && error === 'validation' && isNamed(data, place)) return []
      return [`${type} ${path} ${what}: ${status} ${JSON.stringify(data)?.slice(0, 150)}`]
    })
    faults.push(...outcomes.flat())
  }
  expect(faults).toEqual([])
  expect(await rowCounts(app)).toEqual(before)
})

test("a missing required field, and a body that isn't an object, are rejected", async () => {
  const app = await startTestApp()
  const faults: string[] = []
  for (const route of WITH_BODY) {
    const path = pathOf(route)
    const { data } = await send(app, route.method, path, '{}')
    for (const field of schemaOf(route.body!).required ?? []) {
      if (!Object.hasOwn(data ?? {}, field))
        faults.push(`${route.method} ${route.path} without ${field}: ${JSON.stringify(data)}`)
    }
    for (const body of ['[]', 'null', '"text"', '5', '{"a":', '', '\ufeff', '[[[[']) {
      const { status } = await send(app, route.method, path, body)
      const isOptional = body === '' || body === '\ufeff'
      if (status >= 500 || (status !== 400 && !(isOptional && route.bodyOptional)))
        faults.push(`${route.method} ${route.path} ${body}: ${status}`)
    }
  }
  expect(faults).toEqual([])
})

test('an unpaired surrogate deep in a stored object is rejected by the name of its field', async () => {
  const app = await startTestApp()
  const { json } = await app.call('POST', '/v1/connectors', { name: 'Shop' })
  const { id } = json as { id: string }
  const auth = { connector_id: id, name: 'A', auth_type: 'none' }
  const refused = async (path: string, body: object) => send(app, 'POST', path, JSON.stringify(body))
  for (const half of [{ a: { b: ['\ud800'] } }, { a: { '\udfff': 1 } }]) {
    const answers = [
      await refused('/v1/connectors', { name: 'B', auth_config: half }),
      await refused('/v1/connectors', { name: 'B', search_config: [half] }),
      await refused('/v1/connector-auths', { ...auth, user_input: half }),
      await refused('/v1/env-variables', { name: 'region', type: 'list', value: [half] }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(answers.map(({ data }) => Object.keys(data ?? {})[0])).toEqual([
      'auth_config',
      expect.stringMatching(/^search_config/),
      'user_input',
      'value',
    ])
  }
})
