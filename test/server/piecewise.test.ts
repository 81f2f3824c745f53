import { once } from 'node:events'
import { createServer, request as open } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readBeginning, sendWhole } from '../../src/main/server/answer/piecewise.ts'

const MEGABYTE = 'x'.repeat(1_048_576)

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
  const server = createServer((request, response) => {
    void readBeginning(pieces())
      .then((begun) => sendWhole(request, response, { status: 200, headers: {}, ...begun }))
      .catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ended }
}

it('reads no further than the caller does, and ends when it leaves', async () => {
  const { url, ended } = await serve(500)
  const call = open(url)
  call.end()
  const [response] = await once(call, 'response')
  await once(response, 'readable')
  call.destroy()
  expect(await ended).toBeLessThan(60)
})

it('closes the connection if a later piece fails', async () => {
  const { url } = await serve(20, 12)
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow('terminated')
})

it('sends a short response with its length', async () => {
  const { url, ended } = await serve(2)
  const response = await fetch(url)
  expect(response.headers.get('content-length')).toBe(String(2 * MEGABYTE.length))
  expect((await response.text()).length).toBe(2 * MEGABYTE.length)
  expect(await ended).toBe(2)
})
