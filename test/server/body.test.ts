import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { json as anyJson } from '../../src/shared/contract/base/common.ts'
import { defineRoute } from '../../src/shared/contract/base/route.ts'
import type { App } from '../../src/main/server/mount/app.ts'
import { mountRoute } from '../../src/main/server/mount/mount-route.ts'
import { jsonCodec } from '../../src/main/services/kit/json-codec.ts'
import { callHttp, readAnswer, sendBytes, sendThenRead } from '../helpers/http.ts'
import { session, startTestServer } from '../helpers/test-server.ts'

const echo = defineRoute({
  method: 'POST',
  path: '/v1/echo',
  summary: '',
  access: 'any-token',
  status: 200,
  body: z.strictObject({ value: anyJson }),
  result: anyJson,
})
const optional = defineRoute({ ...echo, path: '/v1/optional', body: z.strictObject({}), bodyOptional: true })
const large = defineRoute({ ...echo, path: '/v1/large', bodyLimit: 'large', result: z.number() })
const shape = defineRoute({ ...echo, path: '/v1/shape', result: z.string() })

function mountEchoes(app: App): void {
  mountRoute(app, echo, ({ body }) => body.value)
  mountRoute(app, optional, ({ body }) => ({ ...body }))
  mountRoute(app, large, ({ body: { value } }) => (typeof value === 'string' ? value.length : -1))
  mountRoute(app, shape, ({ body: { value } }) => {
    const map = value as Record<string, unknown>
    return `${typeof value} ${'polluted' in map} ${'polluted' in {}} ${Object.getOwnPropertyNames(map).join()}`
  })
}

const LIMIT = 1_048_576

interface Sent {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

async function post(port: number, { path = '/v1/echo', headers = {}, body = '{"value":"Zoë"}' }: Sent) {
  const answer = await callHttp(port, { method: 'POST', path, headers: { ...session, ...headers }, body })
  return [answer.status, (answer.json as { error?: string } | null)?.error ?? answer.text]
}

const type = (value: string) => ({ 'content-type': value })
const encoding = (value: string) => ({ 'content-type': 'application/json', 'content-encoding': value })

test('a JSON body is read as UTF-8 whatever its type says; any other type is rejected', async () => {
  const { port } = await startTestServer(mountEchoes)
  const read = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; x=y',
    'application/vnd.millrace+json',
  ]
  const refused = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    '',
    'nonsense',
  ]
  expect(await Promise.all(read.map((name) => post(port, { headers: type(name) })))).toEqual(
    read.map(() => [200, '"Zoë"']),
  )
  expect(await Promise.all(refused.map((name) => post(port, { headers: type(name) })))).toEqual(
    refused.map(() => [415, 'unsupported_media_type']),
  )
  expect(await post(port, {})).toEqual([200, '"Zoë"'])
})

test('gzip, both forms of deflate, and br are decompressed; other encodings are rejected', async () => {
  const { port } = await startTestServer(mountEchoes)
  const text = '{"value":"Zoë"}'
  const packed: [string, Uint8Array][] = [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ]
  expect(
    await Promise.all(packed.map(([name, body]) => post(port, { headers: encoding(name), body }))),
  ).toEqual(packed.map(() => [200, '"Zoë"']))
  const unknown = ['zstd', 'compress', 'gzip, gzip', 'gzip;q=1', 'x'.repeat(500)]
  expect(
    await Promise.all(unknown.map((name) => post(port, { headers: encoding(name), body: text }))),
  ).toEqual(unknown.map(() => [415, 'unsupported_media_type']))
  const spoilt: [string, Uint8Array][] = [
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, -6)],
    ['br', Buffer.from('not brotli at all')],
    ['deflate', Buffer.from([0x78, 0x9c, 0xff])],
  ]
  expect(
    await Promise.all(spoilt.map(([name, body]) => post(port, { headers: encoding(name), body }))),
  ).toEqual(spoilt.map(() => [400, 'validation']))
})

test('the limit applies to the bytes sent and to the decompressed bytes, with or without a declared length', async () => {
  const { port } = await startTestServer(mountEchoes)
  const sized = (bytes: number) => `{"value":"${'a'.repeat(bytes - 12)}"}`
  const chunked = { 'transfer-encoding': 'chunked' }
  expect(await post(port, { body: sized(LIMIT) })).toEqual([200, `"${'a'.repeat(LIMIT - 12)}"`])
  const beyond = sized(LIMIT + 1)
  const refused = await Promise.all([
    post(port, { body: beyond }),
    post(port, { body: beyond, headers: chunked }),
    post(port, { body: gzipSync(beyond), headers: encoding('gzip') }),
    post(port, { body: gzipSync(Buffer.alloc(50 * LIMIT)), headers: encoding('gzip') }),
    post(port, { body: brotliCompressSync(beyond), headers: encoding('br') }),
  ])
  expect(refused).toEqual(refused.map(() => [413, 'too_large']))
})

test('a route for large bodies takes 5 MiB, and the setting changes the default limit', async () => {
  const { port } = await startTestServer(mountEchoes, { settings: { body_limit_bytes: 100_000 } })
  const sized = (bytes: number) => `{"value":"${'a'.repeat(bytes - 12)}"}`
  expect([
    await post(port, { path: '/v1/large', body: sized(5_242_880) }),
    await post(port, { path: '/v1/large', body: sized(5_242_881) }),
    await post(port, { body: sized(100_000) }),
    await post(port, { body: sized(100_001) }),
  ]).toMatchObject([
    [200, '5242868'],
    [413, 'too_large'],
    [200, expect.any(String)],
    [413, 'too_large'],
  ])
})

test('a response sent before the body was read reaches a caller that is still sending', async () => {
  const { port } = await startTestServer(mountEchoes)
  const head = (length: number) =>
    `POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`
  const text = await sendBytes(port, head(3_000_000), Buffer.alloc(3_000_000, 0x20))
  expect(readAnswer(text).status).toBe(401)
})

test('a response sent before the body was read reaches a caller that reads nothing until all is sent', async () => {
  const { port } = await startTestServer(mountEchoes)
  const head = (length: number, more = '') =>
    `POST /v1/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}Content-Length: ${length}\r\n\r\n`
  const token = `Authorization: ${session.authorization}\r\n`
  const answers = await Promise.all(
    [7_000_000, 40_000_000].flatMap((length) => [
      sendThenRead(port, head(length), Buffer.alloc(length, 0x20)),
      sendThenRead(port, head(length, token), Buffer.alloc(length, 0x20)),
    ]),
  )
  expect(answers.map((text) => readAnswer(text).status)).toEqual([401, 413, 401, 413])
})

test('a body must be UTF-8, with or without a byte order mark, and valid JSON', async () => {
  const { port } = await startTestServer(mountEchoes)
  const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"value":1}')])
  expect(await post(port, { body: bom })).toEqual([200, '1'])
  const bodies = [
    Buffer.from('{"value":"Zo\xeb"}', 'latin1'),
    Buffer.from('{"value":1}', 'utf16le'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    '{"value":1',
    '{value:1}',
    "{'value':1}",
    '{"value":1,}',
    '{"value":01}',
    '{"value":NaN}',
    '{"value":1} x',
    '{"value":"\t"}',
    '\u00a0{"value":1}',
    'undefined',
    ' ',
  ]
  expect(await Promise.all(bodies.map((body) => post(port, { body })))).toEqual(
    bodies.map(() => [400, 'validation']),
  )
})

test('JSON can be 64 levels deep and contain 500,000 values, no more', async () => {
  const { port } = await startTestServer(mountEchoes)
  const deep = (levels: number) => `{"value":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const many = (values: number) => `{"value":[${Array(values).fill(0).join()}]}`
  const statuses = await Promise.all(
    [deep(64), deep(65), many(499_998), many(499_999)].map(
      async (body) => (await post(port, { path: '/v1/large', body }))[0],
    ),
  )
  expect(statuses).toEqual([200, 400, 200, 400])
  const bomb = '['.repeat(500_000)
  expect(await post(port, { path: '/v1/large', body: bomb })).toEqual([400, 'validation'])
})

test('numbers and the order of keys are returned as they were sent', async () => {
  const { port } = await startTestServer(mountEchoes)
  const value = '{"b":12345678901234567890,"a":1.0,"n":[1e2,-0.0,0.1],"order":{"10":1,"9":{"2":1,"1":2}}}'
  expect(await post(port, { body: `{"value":${value}}` })).toEqual([200, value.replace('1e2', '100.0')])
})

test("input is only data, and can't reach a prototype", async () => {
  const { port } = await startTestServer(mountEchoes)
  const value = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}'
  expect(await post(port, { path: '/v1/shape', body: `{"value":${value}}` })).toEqual([
    200,
    '"object false false constructor,a"',
  ])
  expect(await post(port, { body: '{"__proto__":{"value":1}}' })).toEqual([400, 'validation'])
})

test('an optional body can be omitted, with any type; a required one is asked for', async () => {
  const { port } = await startTestServer(mountEchoes)
  expect([
    await post(port, { path: '/v1/optional', body: '' }),
    await post(port, { path: '/v1/optional', body: '', headers: type('text/plain') }),
    await post(port, { path: '/v1/optional', body: '{}' }),
    await post(port, { path: '/v1/optional', body: '', headers: { 'transfer-encoding': 'chunked' } }),
    await post(port, { path: '/v1/echo', body: '' }),
  ]).toEqual([
    [200, '{}'],
    [200, '{}'],
    [200, '{}'],
    [200, '{}'],
    [400, 'validation'],
  ])
})

test('other requests are served between reading and processing a large body', async () => {
  const order: string[] = []
  const json = {
    ...jsonCodec,
    async parseLarge(text: string) {
      const value = await jsonCodec.parseLarge(text)
      order.push('read')
      setImmediate(() => order.push('others'))
      return value
    },
  }
  const mount = (app: App) => mountRoute(app, large, () => order.push('made'))
  const { port } = await startTestServer(mount, { json })
  await post(port, { path: '/v1/large', body: JSON.stringify({ value: 'x'.repeat(LIMIT) }) })
  expect(order).toEqual(['read', 'others', 'made'])
})
