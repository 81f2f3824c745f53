import { expect, test } from 'vitest'
import type { Exchange } from '../../../src/shared/contract/flow-runs.ts'
import { redactExchange } from '../../../src/main/engine/redaction/redacted-exchange.ts'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'

const SECRET = 'sk_live_51H8abcXYZ'
const redactor = createRedactor({ secrets: [SECRET] })

const anExchange = (body: string): Exchange => ({
  attempt: 2,
  page: 3,
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 4,
  request: { method: 'POST', url: `https://shop.test/?key=${SECRET}`, headers: { 'x-key': SECRET }, body },
  response: { status: 200, headers: { echo: SECRET }, body, bytes: body.length },
  error: `${SECRET} was refused`,
})

test('a call is shown without its secrets, wherever they are', () => {
  expect(redactExchange(anExchange(`{"key":"${SECRET}"}`), redactor)).toEqual({
    attempt: 2,
    page: 3,
    started_at: '2026-01-01T00:00:00.000Z',
    duration_ms: 4,
    request: {
      method: 'POST',
      url: 'https://shop.test/?key=***',
      headers: { 'x-key': '***' },
      body: '{"key":"***"}',
    },
    response: { status: 200, headers: { echo: '***' }, body: '{"key":"***"}', bytes: 28 },
    error: '*** was refused',
  })
})

test('a long body is cut after its secrets are hidden, so no part of one remains at the cut', () => {
  const start = 'x'.repeat(16_380)
  const { request, response } = redactExchange(anExchange(`${start}${SECRET} and more`), redactor)
  expect({ request: request.body, response: response?.body }).toEqual({
    request: `${start}*** …`,
    response: `${start}*** …`,
  })
})

test('missing parts are not made up', () => {
  const exchange = anExchange('')
  const request = { ...exchange.request, body: null }
  expect(redactExchange({ ...exchange, request, response: null, error: null }, redactor)).toMatchObject({
    request: { body: null },
    response: null,
    error: null,
  })
})
