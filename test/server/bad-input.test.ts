import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Route, StreamRoute } from '../../src/shared/contract/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import type { ApiDocument } from '../helpers/openapi.ts'
import { pathTemplate } from '../../src/shared/contract/operation-name.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

const NOBODY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const WITH_BODY = ([...ROUTES, ...STREAM_ROUTES] as readonly (Route | StreamRoute)[]).filter(
  ({ body }) => body,
)

interface Property {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly maximum?: number
  readonly anyOf?: readonly Property[]
  readonly readOnly?: boolean
}

/** Kinds that a schema takes, its branches' branches included; empty where it takes any JSON. */
function kindsOf({ type, anyOf }: Property): string[] {
  if (anyOf === undefined) return type === undefined ? ['any'] : [type]
  return anyOf.flatMap(kindsOf)
}

/** What may not be sent as a field of this kind; each must be refused by the field's name. */
function wrongValues(property: Property): [string, unknown][] {
  const { type, enum: values, maxLength, ...rest } = property
  const kinds = new Set(kindsOf(property))
  if (kinds.has('any')) return []
  const wrong: [string, unknown][] = []
  if (!kinds.has('null')) wrong.push(['null', null])
  if (!kinds.has('boolean')) wrong.push(['true', true])
  if (!kinds.has('string')) wrong.push(['a text', 'text'])
  if (!kinds.has('number') && !kinds.has('integer')) wrong.push(['a number', 5])
  if (!kinds.has('array')) wrong.push(['a list', []])
  if (!kinds.has('object')) wrong.push(['an object', {}])
  if (kinds.has('integer')) wrong.push(['a fraction', 1.5], ['a huge number', 1e300], ['2^64', 2n ** 64n])
  if (type === 'string' && !values) {
    if (maxLength !== undefined && maxLength <= 100_000) wrong.push(['too long', 'x'.repeat(maxLength + 1)])
    if (rest.pattern || maxLength !== undefined) wrong.push(['half a character', 'a\ud800b'], ['NUL', 'a\0b'])
  }
  if (values) wrong.push(['another word', 'no such value'])
  return wrong
}

const text = (value: unknown) =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? '#big#' : part)).replaceAll(
    '"#big#"',
    '18446744073709551616',
  )

/** Everything that is stored, as the lists show it. */
async function stored(app: TestApp): Promise<string> {
  const lists = ROUTES.filter(
    (route: Route) =>
      route.method === 'GET' && route.result instanceof z.ZodArray && !route.path.includes(':'),
  )
  const answers = await Promise.all(lists.map(({ path }) => app.call('GET', path)))
  return answers.map((answer) => answer.text).join('\n')
}

test('a wrong value in any field of any body is refused by the field’s name, and nothing of it is stored', async () => {
  const app = await startTestApp()
  const document = (await app.call('GET', '/v1/openapi.json')).json as ApiDocument
  const before = await stored(app)
  const faults: string[] = []
  let asked = 0
  for (const route of WITH_BODY) {
    const media =
      document.paths[pathTemplate(route.path)]?.[route.method.toLowerCase()]?.requestBody?.content[
        'application/json'
      ]
    const { properties = {} } = z.toJSONSchema(route.body!, { io: 'input', unrepresentable: 'any' }) as {
      properties?: Record<string, Property>
    }
    const example = (media?.example ?? {}) as Record<string, unknown>
    const path = route.path.replaceAll(/:[a-z_]+/g, NOBODY)
    const cases: [string, string, unknown][] = [
      ['unknown_key', 'unknown', 1],
      ['__proto__x', 'unknown', {}],
    ]
    for (const [field, property] of Object.entries(properties)) {
      for (const [what, value] of wrongValues(property)) cases.push([field, what, value])
    }
    const outcomes = await Promise.all(
      cases.map(async ([field, what, value]) => {
        const answer = await app.call(route.method, path, text({ ...example, [field]: value }))
        const { error, data } = (answer.json ?? {}) as {
          error?: string
          data?: Record<string, unknown> | null
        }
        const named = Object.keys(data ?? {}).some(
          (name) => name === field || name.startsWith(`${field}[`) || name.startsWith(`${field}.`),
        )
        const isRefused = answer.status === 400 && error === 'validation' && named
        return isRefused
          ? []
          : [`${route.method} ${route.path} ${field} ${what}: ${answer.status} ${answer.text.slice(0, 150)}`]
      }),
    )
    asked += cases.length
    faults.push(...outcomes.flat())
  }
  expect(faults).toEqual([])
  expect(asked).toBeGreaterThan(500)
  expect(await stored(app)).toBe(before)
  expect(app.logged.filter(({ level }) => level === 'error')).toEqual([])
})

test('a required field that is missing, and a body that is no object, are refused', async () => {
  const app = await startTestApp()
  const faults: string[] = []
  for (const route of WITH_BODY) {
    const schema = z.toJSONSchema(route.body!, { io: 'input', unrepresentable: 'any' }) as {
      required?: string[]
    }
    const path = route.path.replaceAll(/:[a-z_]+/g, NOBODY)
    const empty = await app.call(route.method, path, '{}')
    const data = (empty.json as { data?: object }).data ?? {}
    for (const field of schema.required ?? []) {
      if (!Object.hasOwn(data, field))
        faults.push(`${route.method} ${route.path} without ${field}: ${empty.text.slice(0, 200)}`)
    }
    for (const body of ['[]', 'null', '"text"', '5', '{"a":', '', '\ufeff', '[[[[']) {
      const answer = await app.call(route.method, path, body)
      const isOptional = body === '' || body === '\ufeff'
      if (answer.status >= 500 || (answer.status !== 400 && !(isOptional && route.bodyOptional)))
        faults.push(`${route.method} ${route.path} ${body}: ${answer.status}`)
    }
  }
  expect(faults).toEqual([])
})
