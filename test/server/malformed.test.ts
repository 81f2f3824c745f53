import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineRoute } from '../../src/shared/contract/base/route.ts'
import type { App } from '../../src/main/server/mount/app.ts'
import { mountRoute } from '../../src/main/server/mount/mount-route.ts'
import { readAnswer, sendBytes } from '../helpers/http.ts'
import { session, startTestServer } from '../helpers/test-server.ts'

const echo = defineRoute({
  method: 'POST',
  path: '/v1/echo',
  summary: '',
  access: 'any-token',
  status: 200,
  body: z.object({ text: z.string() }),
  result: z.object({ text: z.string() }),
})

function mountEcho(app: App): void {
  mountRoute(app, echo, ({ body }) => body)
}

const POST = `POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${session.authorization}\r\n`
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n`

test("input that isn't HTTP gets a short error response, and the connection is closed", async () => {
  const { port } = await startTestServer(mountEcho)
  const bytes: [string, string | Uint8Array, number][] = [
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['bytes of a TLS handshake', Buffer.from('16030100f8010000f40303', 'hex'), 400],
    ['an unknown method', 'BREW /v1/echo HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['an unknown version', 'GET /v1/echo HTTP/7.3\r\nHost: localhost\r\n\r\n', 400],
    ['a space in the address', 'GET /v1/ec ho HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a NUL in the address', 'GET /v1/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a header without a colon', 'GET /v1/echo HTTP/1.1\r\nHost localhost\r\n\r\n', 400],
    ['a NUL in a header', 'GET /v1/echo HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n', 400],
    ['a space before a colon', 'GET /v1/echo HTTP/1.1\r\nHost : localhost\r\n\r\n', 400],
    ['a folded header', 'GET /v1/echo HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', 400],
    [
      'headers of more than 16 KB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['an address of more than 16 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    ['a length that is no number', `${POST}Content-Length: 5x\r\n\r\nhello`, 400],
    ['a negative length', `${POST}Content-Length: -5\r\n\r\nhello`, 400],
    ['two lengths', `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
    ['a length beside chunks', `${CHUNKED}Content-Length: 5\r\n\r\n0\r\n\r\n`, 400],
    ['an unknown transfer encoding', `${POST}Transfer-Encoding: gzip, x\r\n\r\n`, 400],
    ['a chunk without a length', `${CHUNKED}\r\nzz\r\nhello\r\n`, 400],
    ['a chunk longer than it says', `${CHUNKED}\r\n2\r\nhello\r\n0\r\n\r\n`, 400],
    ['a chunk of an absurd length', `${CHUNKED}\r\nfffffffffffffffff\r\nhello`, 400],
    ['chunk extensions of 20 KB', `${CHUNKED}\r\n5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`, 413],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n', 405],
  ]
  const answers = await Promise.all(bytes.map(async ([, sent]) => sendBytes(port, sent)))
  const seen = answers.map((text, index) => {
    const { status, headers, json, text: body } = readAnswer(text)
    const envelope = json as { status?: number; message?: string } | undefined
    const isWhole = Number(headers['content-length']) === body.length && headers['x-request-id'] !== undefined
    return [bytes[index]?.[0], status, envelope?.status, isWhole && body.length < 300]
  })
  expect(seen).toEqual(bytes.map(([name, , status]) => [name, status, status, true]))
})

test('the response to a complete request comes before the rejection of the malformed one after it', async () => {
  const { port } = await startTestServer(mountEcho)
  const body = '{"text":"first"}'
  const text = await sendBytes(port, `${POST}Content-Length: ${body.length}\r\n\r\n${body}nonsense\r\n\r\n`)
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('a caller that leaves in the middle of its body is not an error worth a line in the log', async () => {
  const { port, logged } = await startTestServer(mountEcho)
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${POST}Content-Length: 500\r\n\r\nonly this`, () => socket.destroy())
    })
    socket.once('close', () => resolve())
  })
  const body = '{"text":"x"}'
  const after = await sendBytes(
    port,
    `${POST}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  expect({ status: readAnswer(after).status, logged }).toEqual({ status: 200, logged: [] })
})

test('a caller that waits for 100 Continue only gets it if its body is needed', async () => {
  const { port } = await startTestServer(mountEcho)
  const body = '{"text":"x"}'
  const length = `Content-Length: ${body.length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`
  const wanted = await sendBytes(port, `${POST}${length}`, body)
  const unwanted = await sendBytes(port, `POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n${length}`, body)
  expect({ wanted: wanted.match(/HTTP\/1\.1 \d+/g), unwanted: unwanted.match(/HTTP\/1\.1 \d+/g) }).toEqual({
    wanted: ['HTTP/1.1 100', 'HTTP/1.1 200'],
    unwanted: ['HTTP/1.1 401'],
  })
})

const quick = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 10 }

test("a caller that doesn't finish its request in time gets an error and is disconnected", async () => {
  const { port } = await startTestServer(mountEcho, { limits: quick })
  const unfinished = [
    '',
    'GET /v1/echo HTTP/1.1\r\n',
    'GET /v1/ec',
    `${POST}Content-Length: 500\r\n\r\nonly this`,
  ]
  const answers = await Promise.all(unfinished.map(async (bytes) => readAnswer(await sendBytes(port, bytes))))
  expect(answers.map(({ status, json }) => [status, (json as { error?: string }).error])).toEqual(
    unfinished.map(() => [408, 'timeout']),
  )
})

test('a caller that pools its connection finds it open long after the time for headers has passed', async () => {
  const { port } = await startTestServer(mountEcho, { limits: quick })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = () =>
    new Promise<{ readonly socket: number | undefined; readonly keepAlive: string | undefined }>(
      (resolve, reject) => {
        const sent = request({ port, path: '/v1/nothing', agent }, (response) => {
          const { localPort } = response.socket
          response.resume().once('end', () => {
            resolve({ socket: localPort, keepAlive: response.headers['keep-alive']?.toString() })
          })
        })
        sent.once('error', reject).end()
      },
    )
  const first = await call()
  // This connection is opened later, and closed because its headers never arrive.
  await sendBytes(port, 'GET /v1/ec')
  const second = await call()
  agent.destroy()
  expect({ second, keepAlive: first.keepAlive }).toEqual({ second: first, keepAlive: 'timeout=65' })
})

test('connections above the limit are closed at once, and the others continue', async () => {
  const { port } = await startTestServer(mountEcho, { limits: { maxConnections: 3 } })
  const held = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  const beyond = connect(port, '127.0.0.1')
  beyond.on('error', () => {})
  await once(beyond, 'close')
  const [first] = held
  first?.write('GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer] = first ? await once(first, 'data') : []
  expect(readAnswer(String(answer)).status).toBe(404)
  for (const socket of held) socket.destroy()
})

test('an unsupported upgrade is handled as the request it comes with', async () => {
  const { port } = await startTestServer(mountEcho)
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const text = await sendBytes(port, `GET /v1/echo HTTP/1.0\r\nHost: localhost\r\n${upgrade}\r\n`)
  expect(readAnswer(text).status).toBe(405)
})
