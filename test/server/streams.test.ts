import { quoted } from '../../src/shared/contract/base/message.ts'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../src/shared/contract/base/errors.ts'
import { defineStream } from '../../src/shared/contract/base/route.ts'
import { mountStream, type StreamHandler } from '../../src/main/server/mount/mount-stream.ts'
import { callHttp } from '../helpers/http.ts'
import { session, startTestServer } from '../helpers/test-server.ts'

const counting = defineStream({
  method: 'POST',
  path: '/v1/counts',
  summary: '',
  access: 'any-token',
  body: z.strictObject({ to: z.number() }),
  event: z.object({ count: z.number() }),
})

const startCounting = (handler: StreamHandler<typeof counting>) =>
  startTestServer((app) => mountStream(app, counting, handler))

function open(port: number, to: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, method: 'POST', path: '/v1/counts', headers: session, agent: false },
      resolve,
    )
    outgoing.once('error', reject)
    outgoing.end(JSON.stringify({ to }))
  })
}

const call = (port: number, body: unknown) =>
  callHttp(port, { method: 'POST', path: '/v1/counts', headers: session, body: JSON.stringify(body) })

test('each event is a line of JSON, sent as it happens', async () => {
  const gate = Promise.withResolvers<void>()
  const { port } = await startCounting(async function* ({ body: { to } }) {
    yield { count: 1 }
    await gate.promise
    for (let count = 2; count <= to; count++) yield { count }
  })
  const answer = await open(port, 3)
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  const first = await lines.next()
  gate.resolve()
  expect({
    statusCode: answer.statusCode,
    contentType: answer.headers['content-type'],
    cacheControl: answer.headers['cache-control'],
  }).toEqual({
    statusCode: 200,
    contentType: 'application/x-ndjson; charset=utf-8',
    cacheControl: 'no-store',
  })
  expect([first, await lines.next(), await lines.next(), await lines.next()]).toEqual([
    { done: false, value: '{"count":1}' },
    { done: false, value: '{"count":2}' },
    { done: false, value: '{"count":3}' },
    { done: true, value: undefined },
  ])
})

test('an error before the first event is a normal error response', async () => {
  const { port } = await startCounting(async function* ({ body: { to } }) {
    if (to === 0) throw new AppError('conflict', quoted('There is nothing to count'))
    yield { count: to }
  })
  expect([
    await call(port, { to: 0 }),
    await call(port, { to: 'x' }),
    await call(port, { to: 1 }),
  ]).toMatchObject([
    { status: 409, json: { error: 'conflict' } },
    { status: 400, json: { data: { to: ['must be a number, not a string'] } } },
    { status: 200, text: '{"count":1}\n' },
  ])
})

test('a bug after the first event closes the connection, so that half a stream is never taken for a complete one', async () => {
  const { port, logged } = await startCounting(async function* () {
    yield { count: 1 }
    throw new Error('lost count')
  })
  await expect(call(port, { to: 1 })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(logged).toMatchObject([{ level: 'error', fields: { err: { message: 'lost count' } } }])
})

test('the work stops when the caller leaves', async () => {
  const stopped = Promise.withResolvers<unknown>()
  const { port, logged } = await startCounting(async function* ({ signal }) {
    try {
      yield { count: 1 }
      await once(signal, 'abort')
      signal.throwIfAborted()
    } catch (error) {
      stopped.resolve(error)
      throw error
    }
  })
  const answer = await open(port, 1)
  await once(answer, 'data')
  answer.destroy()
  expect(await stopped.promise).toMatchObject({ name: 'ClientGone' })
  expect(logged).toEqual([])
})

test("a caller that doesn't read pauses the work instead of filling the memory", async () => {
  let made = 0
  const stopped = Promise.withResolvers<void>()
  const { port } = await startCounting(async function* ({ body: { to }, signal }) {
    signal.addEventListener('abort', () => stopped.resolve())
    for (let count = 0; count < to && !signal.aborted; count++) {
      if (to > 1) made++
      yield { count }
    }
  })
  const unread = await open(port, 5_000_000)
  // If events were sent without a pause, no other caller would get a response before the last of them.
  const other = await call(port, { to: 1 })
  expect(other.status).toBe(200)
  expect(made).toBeLessThan(2_000_000)
  unread.destroy()
  await stopped.promise
})

test('streams end when the server stops', async () => {
  const { port, server } = await startCounting(async function* ({ signal }) {
    yield { count: 1 }
    await once(signal, 'abort')
  })
  const answer = await open(port, 1)
  await once(answer, 'data')
  await Promise.all([once(answer, 'end'), server.close()])
  expect(answer.complete).toBe(true)
})
