import { expect, test } from 'vitest'
import type { Exchange, KeptExchange } from '../../../src/shared/contract/flow-runs.ts'
import { redactExchange, redactKeptExchange } from '../../../src/main/engine/redaction/redacted-exchange.ts'
import { createRedactor, SecretSet } from '../../../src/main/engine/redaction/redactor.ts'

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

test('a body that is still the bytes that came is shown as one that is text, and stays bytes without a secret', () => {
  const records = (filler: string) => `[{"name":"${filler}"}]`
  const texts = [
    records('x'),
    records(`x ${SECRET}`),
    records('é→'),
    records(`é ${SECRET}`),
    `{"api_key":"abc","n":"${'x'.repeat(9)}"}`,
    'x'.repeat(16_384),
    `${'x'.repeat(16_380)}${SECRET}`,
    'x'.repeat(16_385),
    'é'.repeat(16_385),
  ]
  const withBytes = (text: string): KeptExchange => {
    const { response, ...rest } = anExchange(text)
    return { ...rest, response: response && { ...response, body: Buffer.from(text) } }
  }
  const bodyOf = ({ response }: KeptExchange) => response?.body ?? null
  expect(texts.map((text) => bodyOf(redactExchange(withBytes(text), redactor)))).toEqual(
    texts.map((text) => bodyOf(redactExchange(anExchange(text), redactor))),
  )
  const stayed = texts.map((text) => typeof bodyOf(redactKeptExchange(withBytes(text), redactor)))
  expect(stayed).toEqual([
    'object',
    'string',
    'string',
    'string',
    'string',
    'object',
    'string',
    'object',
    'string',
  ])
})

test('a secret that becomes known later is hidden in a body that was looked through before', () => {
  const known = new SecretSet()
  const later = createRedactor({ secrets: [], known })
  const { response, ...rest } = anExchange('')
  const exchange = { ...rest, response: response && { ...response, body: Buffer.from(`x ${SECRET}`) } }
  const shown = () => redactExchange(exchange, later).response?.body
  expect([shown(), shown()]).toEqual([`x ${SECRET}`, `x ${SECRET}`])
  known.add(SECRET)
  expect([shown(), shown()]).toEqual(['x ***', 'x ***'])
})
