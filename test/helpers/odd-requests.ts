/** Requests as all kinds of programs send them, and a bare program that records what arrives. */
import { createHash } from 'node:crypto'
import { createServer, request, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

export interface OddRequest {
  readonly method: string
  readonly query: string
  /** Names and values alternate; headers of the connection are left out. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

export interface Arrived {
  readonly method: string
  readonly url: string
  readonly headers: readonly string[]
  readonly hash: string
}

const pairs = (lines: readonly (readonly [string, string])[]) => lines.flat()

export const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('hex')

/** @param random returns whole numbers below its argument */
export function anOddRequest(random: (below: number) => number, mostBytes: number): OddRequest {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random(256)))
  const block = bytes(997)
  const many = (length: number) => Buffer.alloc(length, block)
  const size = random(4) === 0 ? random(mostBytes) : random(2_000)
  const boundary = `----part${random(1e9)}`
  const bodies = [
    () => ['application/json', Buffer.from(JSON.stringify({ id: random(1e6), text: 'häß€\u2028' }))] as const,
    () => ['application/octet-stream', many(size)] as const,
    () => ['text/plain; charset=latin1', many(size)] as const,
    () =>
      [
        `multipart/form-data; boundary=${boundary}`,
        Buffer.concat([
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n`),
          many(size),
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]),
      ] as const,
    () => ['application/x-www-form-urlencoded', Buffer.from(`a=${random(99)}&b=%20+&a=2`)] as const,
    () => ['', Buffer.alloc(0)] as const,
  ]
  const [type, plain] = pick(bodies)()
  const isPacked = random(4) === 0 && plain.length > 0
  const body = isPacked ? gzipSync(plain) : plain
  const headers = [
    ...(type === '' ? [] : [pick(['Content-Type', 'content-type', 'CONTENT-TYPE']), type]),
    ...(isPacked ? ['Content-Encoding', 'gzip'] : []),
    ...pairs([
      ['X-Repeated', `one ${random(99)}`],
      ['x-repeated', 'two'],
      ['X-Odd', 'caf\u00e9 \u00ff\t;=,"'],
      ['X-Empty', ''],
      ['User-Agent', `odd/${random(99)}`],
      ['Cookie', 'a=1; b=2'],
      ['Cookie', 'c=3'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Long', 'v'.repeat(random(3_000))],
    ]),
    ...(random(2) === 0 ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]),
  ]
  const shift = 2 * random(headers.length / 2)
  return {
    method: pick(['POST', 'PUT', 'PATCH', 'DELETE']),
    query: pick(['', '?', '?a=1&a=%20&b', "?q=%F0%9F%92%A9&'=!$()*,;:@/?", '?x=%00&=&&']),
    headers: [...headers.slice(shift), ...headers.slice(0, shift)],
    body,
  }
}

/** Sends the header lines as they are, and adds headers of the connection, which nobody may pass on. */
export function sendOdd(
  port: number,
  path: string,
  { method, query, headers, body }: OddRequest,
  more: readonly string[] = [],
): Promise<{ readonly status: number; readonly headers: readonly string[]; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: path + query,
        agent: false,
        setDefaultHeaders: false,
        headers: [
          'Host',
          'hooks.example.com',
          ...headers,
          ...more,
          'Connection',
          'close, X-Hop',
          'X-Hop',
          '1',
        ],
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.rawHeaders,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.once('error', reject)
    // Sent in pieces, so that a chunked body has several chunks.
    const middle = body.length >> 1
    sent.write(body.subarray(0, middle))
    sent.end(body.subarray(middle))
  })
}

/** What a program must receive of a request that was sent to `path`. */
export function asArriving(
  { method, query, headers, body }: OddRequest,
  host: string,
  path: string,
): Arrived {
  const url = query === '?' ? path : path + query
  return { method, url, headers: ['Host', host, ...headers, 'Connection', 'close'], hash: hashOf(body) }
}

/** A program on its own port. */
export async function aProgram(answer: RequestListener, port = 0) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: bound } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: bound, url: `http://127.0.0.1:${bound}`, close }
}

/** A program that records what arrives and responds with 201. */
export async function aRecorder(port = 0) {
  const arrived: Arrived[] = []
  const program = await aProgram((incoming, response) => {
    const hash = createHash('sha256')
    incoming.on('data', (chunk: Buffer) => hash.update(chunk))
    incoming.once('end', () => {
      const { method = '', url = '', rawHeaders } = incoming
      arrived.push({ method, url, headers: rawHeaders, hash: hash.digest('hex') })
      response
        .writeHead(201, ['X-Program', '1', 'X-Program', '2', 'Content-Type', 'text/plain'])
        .end(`#${arrived.length}`)
    })
  }, port)
  return { ...program, arrived }
}

export const closedAtEnd = <T extends { readonly close: () => Promise<void> }>(program: T): T => {
  onTestFinished(program.close)
  return program
}
