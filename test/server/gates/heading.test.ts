import { expect, test } from 'vitest'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { sendBytes } from '../../helpers/http.ts'

const PAGE = {
  'x-request-id': ['an id'],
  'x-content-type-options': ['nosniff'],
  'referrer-policy': ['no-referrer'],
  'content-security-policy': ["default-src 'none'; frame-ancestors 'none'"],
  'cross-origin-resource-policy': ['same-origin'],
  'cache-control': [],
}
const API = { ...PAGE, 'cache-control': ['no-store'] }
const WEBHOOK = { ...API, 'content-security-policy': ['sandbox'] }

/** Every line of these headers, so that a duplicate shows. */
function headingIn(answer: string): Record<string, string[]> {
  const lines = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n').slice(1)
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [])
  const valuesOf = (wanted: string) =>
    headers
      .filter(([name]) => name?.toLowerCase() === wanted)
      .map(([, value = '']) => (/^[0-9a-f-]{36}$/.test(value) ? 'an id' : value))
  return Object.fromEntries(Object.keys(PAGE).map((name) => [name, valuesOf(name)]))
}

test('every response has the same headers, once each, whatever writes it', async () => {
  const app = await startFlowApp()
  const config = {
    response_body: 'ok',
    response_headers: { 'Cache-Control': 'max-age=60', 'Referrer-Policy': 'origin', 'X-Name': 'Jörg' },
  }
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config }])
  const probes: readonly (readonly [string, string, object])[] = [
    ['an open route', 'GET /v1/meta HTTP/1.1\r\nHost: localhost', API],
    ['a refusal of a route', 'GET /v1/flows HTTP/1.1\r\nHost: localhost', API],
    ['an address that is not known', 'GET /v1/nothing HTTP/1.1\r\nHost: localhost', API],
    ['a file that is not there', 'GET /nothing.png HTTP/1.1\r\nHost: localhost', PAGE],
    [
      'the page',
      'GET / HTTP/1.1\r\nHost: localhost',
      {
        ...PAGE,
        'cache-control': ['no-store'],
        'content-security-policy': [expect.stringContaining("script-src 'self'")],
      },
    ],
    ['a refusal of a gate', 'GET /v1/meta HTTP/1.1\r\nHost: evil.example', API],
    ['no HTTP', 'hello', API],
    ['a refusal of a webhook', `GET ${hook.path} HTTP/1.1\r\nHost: localhost`, WEBHOOK],
    [
      'the answer of a flow',
      `POST ${hook.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hook.token}\r\nContent-Length: 0`,
      { ...WEBHOOK, 'cache-control': ['max-age=60'], 'referrer-policy': ['origin'] },
    ],
  ]
  const seen = await Promise.all(
    probes.map(async ([name, head]) => [
      name,
      headingIn(await sendBytes(app.port, `${head}\r\nConnection: close\r\n\r\n`)),
    ]),
  )
  expect(seen).toEqual(probes.map(([name, , heading]) => [name, heading]))
})
