import { expect, test } from 'vitest'
import type { z } from 'zod'
import { createConnectorAuthRoute } from '../../src/shared/contract/connector-auths.ts'
import { createActionRoute, createConnectorRoute } from '../../src/shared/contract/connectors.ts'
import type { Route } from '../../src/shared/contract/route.ts'
import { createTokenRoute } from '../../src/shared/contract/tokens.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

/** Written as they stand on the wire. */
const HOSTILE_VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e308',
  '-0.0',
  '123456789012345678901234567890',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\u202e\\u0007\\n"',
  '"__proto__"',
  `"${'x'.repeat(200_000)}"`,
  '[]',
  '[null]',
  '[[]]',
  '["\\ud800"]',
  '{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"2":1,"1":2}',
  '{"toJSON":1}',
  `${'['.repeat(60)}${']'.repeat(60)}`,
]

interface Probe {
  readonly route: Route
  /** A body that is taken, another one with each count. */
  readonly good: (count: number) => object
}

async function probesOf(app: TestApp): Promise<Probe[]> {
  const { json } = await app.call('POST', '/v1/connectors', { name: 'Shop' })
  const { id } = json as { id: string }
  return [
    { route: createTokenRoute, good: () => ({ expiration: null, scopes: ['automation'], note: '' }) },
    { route: createConnectorRoute, good: () => ({ name: 'x' }) },
    { route: createConnectorAuthRoute, good: () => ({ connector_id: id, name: 'x', auth_type: 'bearer' }) },
    {
      route: createActionRoute,
      good: (count) => ({ connector_id: id, name: `action_${count}`, method: 'GET', endpoint: '' }),
    },
  ]
}

async function outcomeOf(app: TestApp, { path }: Route, body: string, field: string): Promise<string> {
  const { status, json, text } = await app.call('POST', path, body)
  if (status === 201) return 'taken'
  const { data, error } = json as { data: Record<string, unknown>; error: string }
  const named = Object.keys(data).every(
    (key) => key === field || key.startsWith(`${field}.`) || key.startsWith(`${field}[`),
  )
  return status === 400 && error === 'validation' && named && text.length < 2_000
    ? 'refused'
    : `${status} ${text}`
}

const bodyWith = (good: object, field: string, value: string) => {
  const rest = Object.entries(good).filter(([name]) => name !== field)
  const members = [...rest.map(([name, part]) => `"${name}":${JSON.stringify(part)}`), `"${field}":${value}`]
  return `{${members.join(',')}}`
}

test('whatever a field holds, it is taken or refused by its name, and never a defect', async () => {
  const app = await startTestApp()
  const probes = await probesOf(app)
  const strange: string[] = []
  let asked = 0
  for (const { route, good } of probes) {
    for (const field of Object.keys((route.body as z.ZodObject).shape)) {
      for (const value of HOSTILE_VALUES) {
        const outcome = await outcomeOf(app, route, bodyWith(good(asked++), field, value), field)
        if (outcome !== 'taken' && outcome !== 'refused')
          strange.push(`${route.path} ${field} ${value}: ${outcome}`)
      }
    }
  }
  expect([strange, app.logged, asked > 1_000]).toEqual([[], [], true])
  const lists = await Promise.all(probes.map(({ route }) => app.call('GET', route.path)))
  expect(lists.map(({ status }) => status)).toEqual(lists.map(() => 200))
})

test('what was taken comes back as it was sent', async () => {
  const app = await startTestApp()
  const { id } = (await app.call('POST', '/v1/connectors', { name: 'x' })).json as { id: string }
  const values = HOSTILE_VALUES.filter((value) => !value.includes('__proto__":') && value !== '1e308')
  const seen = await Promise.all(
    values.map(async (value, count) => {
      const body = `{"connector_id":"${id}","name":"a${count}","method":"GET","endpoint":"","body":{"value":${value}}}`
      const created = await app.call('POST', '/v1/connector-actions', body)
      const read = await app.call('GET', `/v1/connector-actions/${(created.json as { id: string }).id}`)
      return /"body":\{"value":(.*)\},"ui_form_schema"/s.exec(read.text)?.[1]
    }),
  )
  expect(seen).toEqual(values)
})
