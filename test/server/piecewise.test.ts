import { once } from 'node:events'
import { request as open, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { SerializedJson } from '../../src/main/server/answer/reply.ts'
import { mountRoute } from '../../src/main/server/mount/mount-route.ts'
import { defineRoute } from '../../src/shared/contract/base/route.ts'
import { session, startTestServer } from '../helpers/test-server.ts'

const MEGABYTE = 'x'.repeat(1_048_576)

const route = defineRoute({
  method: 'GET',
  path: '/v1/pieces',
  summary: '',
  status: 200,
  access: 'any-token',
  result: z.unknown(),
})

/** Serves the pieces, and reports how many were read once their reader has finished. */
async function serve(count: number, failsAt = Infinity) {
  const { promise: ended, resolve } = Promise.withResolvers<number>()
  async function* pieces(): AsyncGenerator<string> {
    let read = 0
    try {
      for (; read < count; read++) {
        if (read === failsAt) throw new Error('gone')
        yield MEGABYTE
      }
    } finally {
      resolve(read)
    }
  }
  const { port, logged } = await startTestServer((app) =>
    mountRoute(app, route, () => new SerializedJson(pieces())),
  )
  return { url: `http://127.0.0.1:${port}/v1/pieces`, ended, logged }
}

it('reads no further than the caller does, and ends when it leaves', async () => {
  const { url, ended, logged } = await serve(500)
  const call = open(url, { headers: session })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  await once(response, 'readable')
  call.destroy()
  expect(await ended).toBeLessThan(60)
  expect(logged).toEqual([])
})

it('closes the connection if a later piece fails, and logs why', async () => {
  const { url, logged } = await serve(20, 12)
  await expect(fetch(url, { headers: session }).then((response) => response.text())).rejects.toThrow(
    'terminated',
  )
  expect(logged).toMatchObject([{ level: 'error', fields: { err: { message: 'gone' } } }])
})

it('sends a short response with its length', async () => {
  const { url, ended } = await serve(2)
  const response = await fetch(url, { headers: session })
  expect(response.headers.get('content-length')).toBe(String(2 * MEGABYTE.length))
  expect((await response.text()).length).toBe(2 * MEGABYTE.length)
  expect(await ended).toBe(2)
})
