import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Exchange, OutgoingRequest } from '../../../src/main/engine/ports.ts'
import type { RequestError } from '../../../src/main/engine/request/request-error.ts'
import {
  createSendRequest,
  type Sender,
  type SendRequestOptions,
} from '../../../src/main/engine/request/send-request.ts'
import { createTestTime } from '../../helpers/test-time.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { onLinux } from '../../helpers/platform.ts'

describe('sending', () => {
  test('the request arrives as written and the whole response is returned', async () => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(201, { 'X-Id': ['a', 'b'], 'Content-Type': 'text/plain' }).end('grüezi'),
    )
    const answer = await aSender().sendRequest({
      method: 'post',
      url: `${api.url}/a%20b/c?x=1&x=2#part`,
      headers: [
        ['X-Token', 'näh'],
        ['Transfer-Encoding', 'chunked'],
      ],
      body: '{"a":1}',
    })
    expect({ ...answer, body: Buffer.from(answer.body).toString(), headers: null, durationMs: 0 }).toEqual({
      status: 201,
      headers: null,
      body: 'grüezi',
      url: `${api.url}/a%20b/c?x=1&x=2`,
      wireBytes: 7,
      durationMs: 0,
    })
    expect(answer.headers.filter(([name]) => name === 'X-Id')).toEqual([
      ['X-Id', 'a'],
      ['X-Id', 'b'],
    ])
    const [received] = api.received
    expect(received).toMatchObject({ method: 'POST', target: '/a%20b/c?x=1&x=2' })
    expect(Buffer.from(String(received?.headers['x-token']), 'latin1').toString()).toBe('näh')
    expect(received?.headers).toMatchObject({ 'user-agent': 'Millrace test', 'content-length': '7' })
    expect(received?.headers['transfer-encoding']).toBeUndefined()
  })

  test('user name and password in the URL become an Authorization header', async () => {
    const api = await startThirdPartyApi((_, response) => response.end())
    await aSender().sendRequest(get(api.url.replace('http://', 'http://me:s%40fe@')))
    expect(api.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s@fe').toString('base64')}`)
  })

  test.each([
    ['a line break in a header', { headers: [['X-A', 'a\r\nX-B: b']] as const }, 'line break'],
    ['a header name with a blank', { headers: [['X A', 'a']] as const }, "isn't a valid header name"],
    ['a method with a blank', { method: 'GET /x' }, "isn't an HTTP method"],
    ['a scheme that is not http', { url: 'file:///etc/passwd' }, 'must begin with http'],
    ['no address at all', { url: 'nonsense' }, 'must begin with http'],
  ])('%s is rejected with a sentence, and nothing is sent', async (_, broken, sentence) => {
    const api = await startThirdPartyApi((_, response) => response.end())
    const error = await failure(aSender().sendRequest({ ...get(api.url), ...broken }))
    expect(error).toMatchObject({ code: 'http_error', transient: false, delivered: false })
    expect(error.message).toContain(sentence)
    expect(api.received).toEqual([])
  })

  test('every exchange is reported, including redirects and failures', async () => {
    const api = await startThirdPartyApi((request, response) => {
      if (request.target === '/old') response.writeHead(302, { Location: '/new' }).end()
      else if (request.target === '/cut') response.destroy()
      else response.end('ok')
    })
    const exchanges: Exchange[] = []
    const { sendRequest } = aSender()
    const onExchange = (exchange: Exchange) => exchanges.push(exchange)
    await sendRequest(get(`${api.url}/old`), { onExchange, attempt: 2 })
    await failure(sendRequest(get(`${api.url}/cut`), { onExchange }))
    expect(
      exchanges.map(({ request, attempt, response, error }) => [
        request.url.replace(api.url, ''),
        attempt,
        response?.status ?? null,
        error?.includes('closed the connection') ?? null,
      ]),
    ).toEqual([
      ['/old', 2, 302, null],
      ['/new', 2, 200, null],
      ['/cut', 1, null, true],
    ])
    expect(exchanges[0]?.request.headers).toContainEqual(['User-Agent', 'Millrace test'])
  })
})

describe('failures', () => {
  test('a refused connection is transient and was not delivered', async () => {
    const error = await failure(aSender().sendRequest(get(`http://127.0.0.1:${await aClosedPort()}`)))
    expect(error).toMatchObject({ code: 'http_error', transient: true, delivered: false })
    expect(error.message).toContain('refused')
  })

  test('a connection cut before the response may have been delivered', async () => {
    const api = await startThirdPartyApi((_, response) => response.destroy())
    expect(await failure(aSender().sendRequest(get(api.url)))).toMatchObject({
      code: 'http_error',
      transient: true,
      delivered: true,
    })
  })

  test('a body shorter than its Content-Length is a cut connection', async () => {
    const api = await startThirdPartyApi((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('12345', () => response.destroy())
    })
    expect(await failure(aSender().sendRequest(get(api.url)))).toMatchObject({
      code: 'http_error',
      transient: true,
    })
  })

  test('an unknown host is transient and says what to check', async () => {
    const sender = aSender({
      lookup: (_host, _options, done) =>
        done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), []),
    })
    const error = await failure(sender.sendRequest(get('http://nowhere.test/')))
    expect(error).toMatchObject({ code: 'http_error', transient: true, delivered: false })
    expect(error.message).toContain('host not found')
  })

  test('a timeout while connecting was not delivered', async () => {
    const sender = aSender({ timeouts: { connectMs: 50 }, lookup: () => {} })
    expect(await failure(sender.sendRequest(get('http://slow.test/')))).toMatchObject({
      code: 'timeout',
      transient: true,
      delivered: false,
    })
  })

  test('missing headers within the time limit are a timeout', async () => {
    const api = await startThirdPartyApi(() => {})
    const error = await failure(aSender({ timeouts: { headersMs: 50 } }).sendRequest(get(api.url)))
    expect(error).toMatchObject({ code: 'timeout', transient: true, delivered: true })
  })

  test('silence in the middle of a body is a timeout', async () => {
    const api = await startThirdPartyApi((_, response) => void response.writeHead(200).write('begin'))
    const error = await failure(aSender({ timeouts: { silenceMs: 50 } }).sendRequest(get(api.url)))
    expect(error).toMatchObject({ code: 'timeout', transient: true })
  })

  test('a body that trickles for longer than the time limit is a timeout', async () => {
    const api = await startThirdPartyApi((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const error = await failure(aSender().sendRequest(get(api.url), { timeoutMs: 80 }))
    expect(error).toMatchObject({ code: 'timeout', transient: true })
    expect(error.message).toContain('took longer than 0.08 s')
  })

  test('cancelling ends the call and the connection at once', async () => {
    const abort = new AbortController()
    const closed = Promise.withResolvers<void>()
    const api = await startThirdPartyApi((_, response) => {
      response.on('close', () => closed.resolve())
      abort.abort()
    })
    expect(await failure(aSender().sendRequest(get(api.url), { signal: abort.signal }))).toMatchObject({
      code: 'cancelled',
      transient: false,
    })
    await closed.promise
    expect(await failure(aSender().sendRequest(get(api.url), { signal: abort.signal }))).toMatchObject({
      code: 'cancelled',
    })
    expect(api.received).toHaveLength(1)
  })
})

describe('bodies', () => {
  const text = JSON.stringify({ text: 'grüezi '.repeat(1000) })
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
  ])('%s is decoded', async (encoding, body) => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(200, { 'Content-Encoding': encoding }).end(body),
    )
    const answer = await aSender().sendRequest(get(api.url))
    expect(Buffer.from(answer.body).toString()).toBe(text)
    expect(answer.wireBytes).toBe(body.byteLength)
  })

  test('an encoding without a body is accepted', async () => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(),
    )
    expect((await aSender().sendRequest(get(api.url))).body).toHaveLength(0)
  })

  test.each([
    ['an unknown encoding', 'compress', Buffer.from('x')],
    ['a broken gzip stream', 'gzip', Buffer.from('no gzip at all')],
    ['a gzip stream that ends early', 'gzip', gzipSync(text).subarray(0, 40)],
  ])('%s is an error', async (_, encoding, body) => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(200, { 'Content-Encoding': encoding }).end(body),
    )
    expect(await failure(aSender().sendRequest(get(api.url)))).toMatchObject({
      code: 'response_not_json',
      transient: encoding === 'gzip',
    })
  })

  test.each([
    ['more than allowed on the wire', { wireBytes: 1000 }, 'identity', Buffer.alloc(1001)],
    ['more than allowed once decoded', { decodedBytes: 1000 }, 'gzip', gzipSync(Buffer.alloc(2000))],
    ['a bomb', { ratioFromBytes: 1_000_000 }, 'gzip', gzipSync(Buffer.alloc(3_000_000))],
    [
      'a bomb in a bomb',
      { ratioFromBytes: 1_000_000 },
      'gzip, gzip',
      gzipSync(gzipSync(Buffer.alloc(3_000_000))),
    ],
  ])('%s stops with response_too_large', async (_, limits, encoding, body) => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(200, { 'Content-Encoding': encoding }).end(body),
    )
    expect(await failure(aSender({ limits }).sendRequest(get(api.url)))).toMatchObject({
      code: 'response_too_large',
      transient: false,
    })
  })

  test('an endless compressed body is stopped while it arrives', async () => {
    const zeros = gzipSync(Buffer.alloc(10_000_000))
    const closed = Promise.withResolvers<void>()
    const api = await startThirdPartyApi((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.on('close', () => closed.resolve())
      const more = () => {
        if (!response.destroyed) response.write(zeros, more)
      }
      more()
    })
    expect(await failure(aSender().sendRequest(get(api.url)))).toMatchObject({ code: 'response_too_large' })
    await closed.promise
  })
})

describe('redirects', () => {
  const login = [
    ['Authorization', 'Bearer secret'],
    ['X-Api-Key', 'secret'],
  ] as const

  test('within the origin headers, method and body are kept', async () => {
    const api = await startThirdPartyApi((request, response) =>
      request.target === '/old' ? response.writeHead(307, { Location: 'new?a=1' }).end() : response.end('ok'),
    )
    await aSender().sendRequest({ method: 'POST', url: `${api.url}/old`, headers: login, body: 'data' })
    expect(api.received.map(({ method, target, body }) => [method, target, String(body)])).toEqual([
      ['POST', '/old', 'data'],
      ['POST', '/new?a=1', 'data'],
    ])
    expect(api.received[1]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-api-key': 'secret' })
  })

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'PUT', 'PUT'],
    [308, 'PATCH', 'PATCH'],
  ])('%i after %s continues with %s', async (status, method, next) => {
    const api = await startThirdPartyApi((request, response) =>
      request.target === '/old' ? response.writeHead(status, { Location: '/new' }).end() : response.end(),
    )
    const headers = [['Content-Type', 'text/plain']] as const
    await aSender().sendRequest({
      method,
      url: `${api.url}/old`,
      headers,
      body: method === 'HEAD' ? null : 'data',
    })
    const keeps = method === next && method !== 'HEAD'
    expect(api.received[1]).toMatchObject({ method: next, body: Buffer.from(keeps ? 'data' : '') })
    expect(api.received[1]?.headers['content-type']).toBe(
      keeps || method === 'HEAD' ? 'text/plain' : undefined,
    )
  })

  test("another origin gets none of the caller's headers and no body, and the body is not sent on the way back", async () => {
    const home = await startThirdPartyApi((request, response) =>
      request.target === '/old'
        ? response.writeHead(307, { Location: other.url }).end()
        : response.end('home'),
    )
    const other = await startThirdPartyApi((_, response) =>
      response.writeHead(307, { Location: `${home.url}/back` }).end(),
    )
    const headers = [...login, ['Content-Type', 'text/plain'], ['Cookie', 'c'], ['X-Tenant', 't']] as const
    await aSender().sendRequest({ method: 'POST', url: `${home.url}/old`, headers, body: 'data' })
    expect(Object.keys(other.received[0]?.headers ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'host',
      'user-agent',
    ])
    expect(String(other.received[0]?.body)).toBe('')
    expect(home.received[1]?.headers.authorization).toBe('Bearer secret')
    expect(String(home.received[1]?.body)).toBe('')
  })

  test('a trusted origin gets headers and body', async () => {
    const other = await startThirdPartyApi((_, response) => response.end())
    const home = await startThirdPartyApi((_, response) =>
      response.writeHead(308, { Location: other.url }).end(),
    )
    await aSender().sendRequest(
      { method: 'POST', url: home.url, headers: login, body: 'data' },
      { trustedOrigins: new Set([other.url]) },
    )
    expect(other.received[0]).toMatchObject({ method: 'POST', body: Buffer.from('data') })
    expect(other.received[0]?.headers.authorization).toBe('Bearer secret')
  })

  test('20 are followed, the 21st is an error', async () => {
    const api = await startThirdPartyApi((request, response) => {
      const left = Number(request.target.slice(1))
      if (left === 0) response.end('ok')
      else response.writeHead(302, { Location: `/${left - 1}` }).end()
    })
    const { sendRequest } = aSender()
    expect(await sendRequest(get(`${api.url}/20`))).toMatchObject({ status: 200 })
    expect(await failure(sendRequest(get(`${api.url}/21`)))).toMatchObject({ code: 'too_many_redirects' })
    expect(await failure(sendRequest(get(`${api.url}/3`), { maxRedirects: 2 }))).toMatchObject({
      code: 'too_many_redirects',
    })
  })

  test.each([
    ['another scheme', 'file:///etc/passwd', 'cross_origin_link'],
    ['an address that cannot be read', 'http://[', 'http_error'],
  ])('%s is not followed', async (_, location, code) => {
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(302, { Location: location }).end(),
    )
    expect(await failure(aSender().sendRequest(get(api.url)))).toMatchObject({ code, transient: false })
  })

  test('a 3xx without Location is an ordinary response', async () => {
    const api = await startThirdPartyApi((_, response) => response.writeHead(302).end('see elsewhere'))
    expect(await aSender().sendRequest(get(api.url))).toMatchObject({ status: 302 })
  })

  test('a URL in UTF-8 is understood', async () => {
    const api = await startThirdPartyApi((request, response) => {
      const location = Buffer.from('/grün').toString('latin1')
      response.writeHead(request.target === '/' ? 302 : 200, { Location: location }).end()
    })
    await aSender().sendRequest(get(api.url))
    expect(api.received[1]?.target).toBe('/gr%C3%BCn')
  })
})

describe('addresses', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ])('%s is never called', async (url) => {
    const error = await failure(aSender().sendRequest(get(url)))
    expect(error).toMatchObject({ code: 'http_error', transient: false, delivered: false })
    expect(error.message).toContain('metadata')
  })

  test('a name that resolves to a metadata address is rejected by its IP address', async () => {
    const sender = aSender({ lookup: resolvesTo('169.254.169.254') })
    const error = await failure(sender.sendRequest(get('http://api.example.test/')))
    expect(error.message).toContain('api.example.test (169.254.169.254)')
  })

  test('of several addresses the allowed ones are used', async () => {
    const api = await startThirdPartyApi((_, response) => response.end('ok'))
    const sender = aSender({ lookup: resolvesTo('169.254.169.254', '127.0.0.1') })
    expect(await sender.sendRequest(get(`http://api.example.test:${api.port}/`))).toMatchObject({
      status: 200,
    })
  })

  test("Millrace's own port is rejected under every name of loopback, unless the call is to its API", async () => {
    const own = await startThirdPartyApi((_, response) => response.end('own'))
    const sender = aSender({ ownPorts: () => new Set([own.port]), lookup: resolvesTo('127.0.0.1') })
    for (const host of [
      '127.0.0.1',
      '127.0.0.2',
      'localhost',
      'innocent.test',
      '[::ffff:7f00:1]',
      '0.0.0.0',
    ]) {
      const error = await failure(sender.sendRequest(get(`http://${host}:${own.port}/v1/flows`)))
      expect(error.message).toContain('Millrace itself')
    }
    expect(own.received).toEqual([])
    expect(await sender.sendRequest(get(`${own.url}/v1/flows`), { toOwnApi: true })).toMatchObject({
      status: 200,
    })
    const page = await failure(sender.sendRequest(get(`${own.url}/`), { toOwnApi: true }))
    expect(page.message).toContain('/v1')
    // The connection left open by the allowed call can't be used by others.
    await failure(sender.sendRequest(get(`${own.url}/v1/flows`)))
    expect(own.received).toHaveLength(1)
  })

  test('a redirect to its own port is rejected', async () => {
    const own = await startThirdPartyApi((_, response) => response.end('own'))
    const api = await startThirdPartyApi((_, response) =>
      response.writeHead(302, { Location: `${own.url}/v1/tokens` }).end(),
    )
    const sender = aSender({ ownPorts: () => new Set([own.port]) })
    expect((await failure(sender.sendRequest(get(api.url)))).message).toContain('Millrace itself')
    expect(own.received).toEqual([])
  })
})

describe('a redirect from a public host', () => {
  const classify = (address: string) => (address === '127.0.0.2' ? 'public' : 'loopback')

  test.runIf(onLinux)('never reaches an address of this computer or network', async () => {
    const internal = await startThirdPartyApi((_, response) => response.end('internal'))
    const outside = await startThirdPartyApi(
      (request, response) =>
        response
          .writeHead(302, { Location: request.target === '/' ? internal.url : request.target.slice(1) })
          .end(),
      { host: '127.0.0.2' },
    )
    const sender = aSender({ classify, lookup: resolvesTo('127.0.0.1') })
    // The connection is open and idle, so a pool shared with other calls would offer it.
    await sender.sendRequest(get(internal.url))
    for (const target of ['/', `/http://rebound.test:${internal.port}/`]) {
      const error = await failure(sender.sendRequest(get(outside.url + target)))
      expect(error.message).toContain('A public server redirected to')
    }
    expect(internal.received).toHaveLength(1)
    expect(await sender.sendRequest(get(internal.url))).toMatchObject({ status: 200 })
  })

  test.runIf(onLinux)('reaches another public host', async () => {
    const outside = await startThirdPartyApi(
      (request, response) =>
        request.target === '/' ? response.writeHead(302, { Location: '/new' }).end() : response.end('new'),
      { host: '127.0.0.2' },
    )
    expect(await aSender({ classify }).sendRequest(get(outside.url))).toMatchObject({ status: 200 })
  })
})

function aSender(options: Partial<SendRequestOptions> = {}): Sender {
  const sender = createSendRequest({
    clock: createTestTime().clock,
    userAgent: 'Millrace test',
    ownPorts: () => new Set(),
    ...options,
  })
  onTestFinished(() => sender.close())
  return sender
}

function get(url: string): OutgoingRequest {
  return { method: 'GET', url, headers: [], body: null }
}

async function failure(call: Promise<unknown>): Promise<RequestError> {
  return call.then(
    () => expect.fail('the call did not fail'),
    (error: RequestError) => error,
  )
}

async function aClosedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function resolvesTo(...addresses: string[]): NonNullable<SendRequestOptions['lookup']> {
  return (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
}
