import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { onTestFinished, expect, test } from 'vitest'
import { z } from 'zod'
import { defineRoute } from '../../src/shared/contract/base/route.ts'
import { createServer } from '../../src/main/server/create-server.ts'
import { mountRoute } from '../../src/main/server/mount/mount-route.ts'
import { jsonCodec } from '../../src/main/services/kit/json-codec.ts'
import { DEFAULT_SETTINGS } from '../../src/shared/contract/settings.ts'
import { callHttp } from '../helpers/http.ts'
import { logInto, startTestServer, testRandom } from '../helpers/test-server.ts'
import { onLinux } from '../helpers/platform.ts'

const slow = defineRoute({
  method: 'GET',
  path: '/v1/slow',
  summary: '',
  access: 'open',
  status: 200,
  result: z.string(),
})

test.runIf(onLinux)('the server listens on both loopback addresses and on no other', async () => {
  const { port } = await startTestServer((app) => mountRoute(app, slow, () => 'done'))
  const [v4, v6] = await Promise.all(
    ['127.0.0.1', '::1'].map((host) => callHttp(port, { path: '/v1/slow', host })),
  )
  expect({ v4: v4?.status, v6: v6?.status }).toEqual({ v4: 200, v6: 200 })
  const other = connect(port, '127.0.0.2')
  const [error] = (await once(other, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
})

test('a port that is taken on either address is an error that names it', async () => {
  const taken = createHttpServer().listen(0, '::1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const server = createServer({
    services: {
      authorization: { authenticate: unused, authorize: unused },
      chosenRecords: { requireRoute: unused },
      pageSessions: { authenticate: unused },
      settings: { current: () => DEFAULT_SETTINGS },
      json: jsonCodec,
      idempotency: { once: unused },
      calls: { note: () => undefined },
      preconditions: { during: unused },
    },
    mount: () => {},
    log: logInto([]),
    random: testRandom,
    rendererDir: '/nowhere',
  })
  await expect(server.listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  const free = createHttpServer().listen(port, '127.0.0.1')
  onTestFinished(() => void free.close())
  await once(free, 'listening')
})

test('during startup every request gets 503 with Retry-After', async () => {
  const { port, server } = await startTestServer((app) => mountRoute(app, slow, () => 'done'), {
    ready: false,
  })
  const paths = ['/v1/slow', '/v1/nowhere', '/', '/v1/flow-webhook/x']
  const starting = await Promise.all(paths.map((path) => callHttp(port, { path })))
  server.ready()
  const ready = await callHttp(port, { path: '/v1/slow' })
  expect(starting.map(({ status, headers, json }) => [status, headers['retry-after'], json])).toEqual(
    paths.map((path) => [
      503,
      '1',
      {
        status: 503,
        error: 'unavailable',
        message: 'Millrace is starting; try again in a moment',
        data: null,
        ...(!path.includes('flow-webhook') && { doc_url: 'docs/reference/errors.md#unavailable' }),
      },
    ]),
  )
  expect(ready.status).toBe(200)
})

test('stopping finishes responses in progress, rejects new requests, and ends when all are sent', async () => {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { port, server } = await startTestServer((app) =>
    mountRoute(app, slow, async () => {
      reached.resolve()
      await go.promise
      return 'done'
    }),
  )
  const kept = connect(port, '127.0.0.1')
  const idle = connect(port, '127.0.0.1')
  await Promise.all([once(kept, 'connect'), once(idle, 'connect')])
  const chunks: string[] = []
  kept.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  const get = 'GET /v1/slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
  kept.write(get)
  await reached.promise
  const closed = server.close()
  kept.write(get)
  const late = connect(port, '127.0.0.1')
  await once(late, 'error')
  go.resolve()
  await Promise.all([closed, once(kept, 'close'), once(idle, 'close')])
  expect(chunks.join('').match(/HTTP\/1\.1 \d+|Retry-After: \d+|"done"/g)).toEqual([
    'HTTP/1.1 200',
    '"done"',
    'HTTP/1.1 503',
    'Retry-After: 5',
  ])
})

test('a request that does not end in time is cut off, so that stopping always ends', async () => {
  const reached = Promise.withResolvers<void>()
  const { port, server } = await startTestServer((app) =>
    mountRoute(app, slow, async () => {
      reached.resolve()
      return new Promise<string>(() => {})
    }),
  )
  const answer = callHttp(port, { path: '/v1/slow' })
  await reached.promise
  await Promise.all([
    expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' }),
    server.close({ graceMs: 50 }),
  ])
})

test('stopping twice is stopping once, and nothing listens any more', async () => {
  const { port, server } = await startTestServer(() => {})
  await Promise.all([server.close(), server.close()])
  await server.close()
  await expect(callHttp(port, { path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

function unused(): never {
  throw new Error('nobody asks')
}
