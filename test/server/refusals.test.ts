import { quoted } from '../../src/shared/contract/base/message.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { idParams } from '../../src/shared/contract/base/common.ts'
import { AppError } from '../../src/shared/contract/base/errors.ts'
import { can, defineRoute } from '../../src/shared/contract/base/route.ts'
import type { App } from '../../src/main/server/mount/app.ts'
import { mountRoute } from '../../src/main/server/mount/mount-route.ts'
import { reply } from '../../src/main/server/answer/reply.ts'
import { callHttp, type HttpCall } from '../helpers/http.ts'
import { session, startTestServer } from '../helpers/test-server.ts'

const readThing = defineRoute({
  method: 'GET',
  path: '/v1/things/:id',
  summary: '',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  query: z.strictObject({ verbose: z.enum(['true', 'false']).optional() }),
  result: z.object({ id: z.string() }),
})
const updateThing = defineRoute({
  method: 'PUT',
  path: '/v1/things/:id',
  summary: '',
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  body: z.strictObject({ name: z.string().min(1).optional(), size: z.number().int().max(10).optional() }),
  readOnly: ['id', 'created_at'],
  result: z.object({ name: z.string() }),
})
const deleteThing = defineRoute({
  method: 'DELETE',
  path: '/v1/things/:id',
  summary: '',
  access: can('flows', 'delete'),
  status: 204,
  params: idParams,
})
const openRoute = defineRoute({
  method: 'GET',
  path: '/v1/open',
  summary: '',
  access: 'open',
  status: 200,
  result: z.object({ caller: z.null() }),
})

function mountThings(app: App): void {
  mountRoute(app, readThing, ({ params: { id } }) => {
    if (id === 'broken') throw new Error('the database file /home/someone/secret.db is gone')
    if (id !== 'one') throw new AppError('not_found', quoted(`There is no thing "${id}"`))
    return { id }
  })
  mountRoute(app, updateThing, ({ params: { id }, body }) => {
    if (id !== 'one') throw new AppError('not_found', quoted(`There is no thing "${id}"`))
    if (body.name === 'taken') throw new AppError('conflict', quoted('The name "taken" is taken'))
    if (body.name === 'moved') return reply(200, { name: 'moved' }, { Location: '/v1/things/two' })
    return { name: body.name ?? 'unchanged' }
  })
  mountRoute(app, deleteThing, () => {})
  mountRoute(app, openRoute, ({ caller }) => ({ caller }))
}

const json = { 'content-type': 'application/json' }

test('a request with several faults is rejected for the first in the order of the contract', async () => {
  const { port, tokenWith } = await startTestServer(mountThings)
  // Each step fixes one fault and leaves all that come after it in the order.
  const steps: [Partial<HttpCall> & { without?: string[] }, number, string][] = [
    [{}, 417, 'expectation_failed'],
    [{ without: ['expect'] }, 403, 'forbidden'],
    [{ headers: { host: '127.0.0.1', origin: 'http://evil.example' } }, 403, 'forbidden'],
    [{ without: ['origin'] }, 404, 'not_found'],
    [{ path: '/v1/things/two' }, 405, 'method_not_allowed'],
    [{ method: 'PUT' }, 401, 'unauthorized'],
    [{ headers: tokenWith('automation:view') }, 403, 'forbidden'],
    [{ headers: tokenWith('automation:manage') }, 415, 'unsupported_media_type'],
    [{ headers: json }, 415, 'unsupported_media_type'],
    [{ headers: { 'content-encoding': 'identity' } }, 413, 'too_large'],
    [{ body: '{"name": 5}' }, 400, 'validation'],
    [{ body: '{"name": "taken"}' }, 404, 'not_found'],
    [{ path: '/v1/things/one' }, 409, 'conflict'],
    [{ body: '{"name": "free"}' }, 200, ''],
  ]
  let call: HttpCall = {
    method: 'PATCH',
    path: '/v1/nowhere',
    headers: {
      expect: 'miracles',
      host: 'evil.example',
      'content-type': 'text/csv',
      'content-encoding': 'zstd',
    },
    body: 'x'.repeat(2_000_000),
  }
  const seen: [number, string][] = []
  for (const [{ without = [], ...change }] of steps) {
    const headers = Object.fromEntries(
      Object.entries({ ...call.headers, ...change.headers }).filter(([name]) => !without.includes(name)),
    )
    call = { ...call, ...change, headers }
    const answer = await callHttp(port, call)
    seen.push([answer.status, (answer.json as { error?: string }).error ?? ''])
  }
  expect(seen).toEqual(steps.map(([, status, code]) => [status, code]))
})

test('every error has the same format, with its status and an id, and is neither cached nor sniffed', async () => {
  const { port } = await startTestServer(mountThings)
  const answer = await callHttp(port, { path: '/v1/things/two', headers: session })
  expect({ status: answer.status, json: answer.json }).toEqual({
    status: 404,
    json: {
      status: 404,
      error: 'not_found',
      message: 'There is no thing "two"',
      data: null,
      doc_url: 'docs/reference/errors.md#not_found',
    },
  })
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(
    Object.keys(answer.headers).filter((name) => /^access-control|^x-powered-by|^etag/.test(name)),
  ).toEqual([])
})

test('an id that the caller sends does not become the request id', async () => {
  const { port } = await startTestServer(mountThings)
  const ask = () => callHttp(port, { path: '/v1/open', headers: { 'x-request-id': 'mine' } })
  const ids = [await ask(), await ask()].map(({ headers }) => headers['x-request-id'])
  expect(new Set([...ids, 'mine']).size).toBe(3)
})

test('401 says how to authenticate, whatever is wrong with the credentials', async () => {
  const { port } = await startTestServer(mountThings)
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Basic eDp5',
    'Bearer x y',
    'Bearer nobody',
    'bearer:x',
  ]
  const answers = await Promise.all(
    headers.map((authorization) => callHttp(port, { path: '/v1/things/one', headers: { authorization } })),
  )
  expect(answers.map(({ status, headers }) => [status, headers['www-authenticate']])).toEqual(
    headers.map(() => [401, 'Bearer']),
  )
})

test("405 lists the path's methods; HEAD works wherever GET does", async () => {
  const { port } = await startTestServer(mountThings)
  const path = '/v1/things/one'
  const refused = await Promise.all(
    ['POST', 'PATCH', 'OPTIONS', 'PROPFIND'].map((method) => callHttp(port, { method, path })),
  )
  expect(refused.map(({ status, headers }) => [status, headers.allow])).toEqual(
    refused.map(() => [405, 'DELETE, GET, HEAD, PUT']),
  )
  const head = await callHttp(port, { method: 'HEAD', path, headers: session })
  expect({ status: head.status, text: head.text, contentLength: head.headers['content-length'] }).toEqual({
    status: 200,
    text: '',
    contentLength: '12',
  })
})

test('paths are strict and case-sensitive once one trailing slash is removed', async () => {
  const { port } = await startTestServer(mountThings)
  const statusOf = async (path: string) => (await callHttp(port, { path })).status
  const same = ['/v1/open', '/v1/open/', '/v1/open/?x=1']
  const other = ['/v1/open//', '/v1/Open', '/V1/open', '//v1/open', '/v1//open', '/v1', '/v1/', '/v1/open/x']
  const encoded = ['/v1/%6fpen', '/v1/./open', '/v1/x/../open', '/v1/open%2f', '/v1/open%00']
  expect(await Promise.all(same.map(statusOf))).toEqual(same.map(() => 200))
  expect(await Promise.all([...other, ...encoded].map(statusOf))).toEqual(
    [...other, ...encoded].map(() => 404),
  )
})

test('an id that is not correctly encoded is a malformed request', async () => {
  const { port } = await startTestServer(mountThings)
  const answers = await Promise.all(
    ['/v1/things/%zz', '/v1/things/%ff'].map((path) => callHttp(port, { path, headers: session })),
  )
  expect(answers.map(({ json }) => json)).toMatchObject(
    answers.map(() => ({ status: 400, error: 'validation' })),
  )
})

test('a bug returns no details, and is logged with its stack under the id of the response', async () => {
  const { port, logged } = await startTestServer(mountThings)
  const answer = await callHttp(port, { path: '/v1/things/broken', headers: session })
  expect(answer.json).toEqual({
    status: 500,
    error: 'internal',
    message: 'Internal error; see the log for the request ID in X-Request-Id',
    data: null,
    doc_url: 'docs/reference/errors.md#internal',
  })
  const [line] = logged as { fields: { err: Error; requestId: string } }[]
  expect(line?.fields.requestId).toBe(answer.headers['x-request-id'])
  expect(line?.fields.err.stack).toContain('/home/someone/secret.db')
})

test('a handler can set headers of its own; 204 has no body', async () => {
  const { port } = await startTestServer(mountThings)
  const path = '/v1/things/one'
  const headers = { ...session, ...json }
  const moved = await callHttp(port, { method: 'PUT', path, headers, body: '{"name":"moved"}' })
  const deleted = await callHttp(port, { method: 'DELETE', path, headers: session })
  expect({ status: moved.status, location: moved.headers.location }).toEqual({
    status: 200,
    location: '/v1/things/two',
  })
  expect({
    status: deleted.status,
    text: deleted.text,
    contentType: deleted.headers['content-type'],
  }).toEqual({ status: 204, text: '', contentType: undefined })
})

describe('invalid input is reported field by field', () => {
  const put = (port: number, body: string) =>
    callHttp(port, { method: 'PUT', path: '/v1/things/one', headers: { ...session, ...json }, body })

  test('unknown keys are named, read-only keys are ignored', async () => {
    const { port } = await startTestServer(mountThings)
    const unknown = await put(port, '{"name": "x", "colour": 1, "shape": 2}')
    const roundTrip = await put(port, '{"id": "one", "created_at": "long ago", "name": "x"}')
    expect({ unknown: unknown.json, roundTrip: roundTrip.status }).toEqual({
      unknown: {
        status: 400,
        error: 'validation',
        message: '"colour" is unknown; remove it or use one of name, size (and 1 more field; see data)',
        doc_url: 'docs/reference/errors.md#validation',
        data: {
          colour: ['is unknown; remove it or use one of name, size'],
          shape: ['is unknown; remove it or use one of name, size'],
        },
      },
      roundTrip: 200,
    })
  })

  test('each field says what it must be and what it was', async () => {
    const { port } = await startTestServer(mountThings)
    const bodies: [string, unknown][] = [
      ['{"name": ""}', { name: ['must not be empty'] }],
      [
        '{"name": null, "size": 1.5}',
        { name: ['must be a string, not null'], size: ['is 1.5, but must be a whole number'] },
      ],
      ['{"size": 11}', { size: ['is 11, but must be at most 10'] }],
      ['{"size": "1"}', { size: ['must be a number, not a string'] }],
      ['{"size": 123456789012345678901234567890}', { size: ['is too large a number'] }],
      ['[]', { body: ['must be an object, not a list'] }],
      ['"text"', { body: ['must be an object, not a string'] }],
      ['null', { body: ['must be an object, not null'] }],
      ['7', { body: ['must be an object, not a number'] }],
    ]
    const answers = await Promise.all(bodies.map(([body]) => put(port, body)))
    expect(answers.map(({ json }) => (json as { data: unknown }).data)).toEqual(
      bodies.map(([, data]) => data),
    )
  })

  test('an integer can be written with a decimal point, and keys can be numbers', async () => {
    const { port } = await startTestServer(mountThings)
    const answers = await Promise.all([put(port, '{"size": 4.0}'), put(port, '{"2": 1, "1": 1}')])
    expect(answers.map(({ status, json }) => [status, (json as { data?: unknown }).data])).toEqual([
      [200, undefined],
      [
        400,
        {
          1: ['is unknown; remove it or use one of name, size'],
          2: ['is unknown; remove it or use one of name, size'],
        },
      ],
    ])
  })

  test('a query is validated like a body', async () => {
    const { port } = await startTestServer(mountThings)
    const ask = (query: string) => callHttp(port, { path: `/v1/things/one?${query}`, headers: session })
    const answers = await Promise.all(
      ['verbose=true', 'verbose=1', 'loud=1', 'verbose=true&verbose=true'].map(ask),
    )
    expect(answers.map(({ json }) => (json as { data?: unknown }).data)).toEqual([
      undefined,
      { verbose: ['is "1", but must be one of "true", "false"'] },
      { loud: ['is unknown; remove it or use one of verbose'] },
      { verbose: ['is a list, but must be one of "true", "false"'] },
    ])
  })

  test('a query of 200 parameters is read, one of 201 is rejected', async () => {
    const { port } = await startTestServer(mountThings)
    const ask = (count: number) => {
      const query = Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
      return callHttp(port, { path: `/v1/things/one?${query}`, headers: session })
    }
    expect([(await ask(200)).json, (await ask(201)).json]).toMatchObject([
      { status: 400, data: { p0: expect.anything() } },
      { status: 400, message: 'The query has more than 200 parameters' },
    ])
  })
})
