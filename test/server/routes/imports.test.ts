import { expect, test } from 'vitest'
import { startTestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { gzipSync } from 'node:zlib'

const READ = '/v1/imports/read-url'

test('text is read from a URL on this machine, and an unsuitable one is rejected in one sentence', async () => {
  const app = await startTestApp({ knowsItself: true })
  const api = await startThirdPartyApi(({ target }, response) => {
    if (target === '/openapi.yaml') return response.end('openapi: 3.1.0\ntitle: Ä')
    if (target === '/utf-16.yaml')
      return response.end(Buffer.from('\ufeffopenapi: 3.1.0\ntitle: Ä', 'utf16le'))
    if (target === '/moved') return response.writeHead(302, { location: '/openapi.yaml' }).end()
    if (target === '/away') return response.writeHead(302, { location: 'http://93.184.216.34/x' }).end()
    if (target === '/image') return response.end(Buffer.from([0x89, 0x50, 0xff, 0xfe]))
    if (target === '/large') return response.end('x'.repeat(5_242_881))
    if (target === '/bomb')
      return response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(9_000_000, 'x')))
    return response.writeHead(404).end()
  })
  const read = async (url: string) => {
    const { status, json } = await app.call('POST', READ, { url })
    const { source, data } = json as { source?: string; data?: { url?: string[] } }
    return source ?? `${status} ${data?.url?.join()}`
  }
  expect({
    found: await read(`${api.url}/openapi.yaml`),
    redirected: await read(`${api.url}/moved`),
    utf16: await read(`${api.url}/utf-16.yaml`),
    missing: await read(`${api.url}/nothing`),
    binary: await read(`${api.url}/image`),
    large: await read(`${api.url}/large`),
    bomb: await read(`${api.url}/bomb`),
    public: await read('http://93.184.216.34/openapi.json'),
    redirectedAway: await read(`${api.url}/away`),
    metadata: await read('http://169.254.169.254/latest'),
    millrace: await read(`http://127.0.0.1:${app.port}/v1/env-variables`),
    scheme: await read('file:///etc/passwd'),
  }).toEqual({
    found: 'openapi: 3.1.0\ntitle: Ä',
    redirected: 'openapi: 3.1.0\ntitle: Ä',
    utf16: 'openapi: 3.1.0\ntitle: Ä',
    missing: '400 cannot be imported. It returned status 404 instead of 200',
    binary: '400 cannot be imported. It returned 4 bytes that are not UTF-8 or UTF-16 text',
    large: expect.stringContaining('5 MB'),
    bomb: expect.stringContaining('5 MB'),
    public: expect.stringContaining('93.184.216.34 is a public address'),
    redirectedAway: expect.stringContaining('93.184.216.34 is a public address'),
    metadata: expect.stringContaining('link-local or cloud metadata address'),
    millrace: expect.stringContaining('is Millrace itself'),
    scheme: expect.stringContaining('must begin with http:// or https://'),
  })
})

test("tokens can't read URLs for an import", async () => {
  const app = await startTestApp()
  const made = await app.call('POST', '/v1/personal-access-tokens', {
    note: 'all',
    scopes: ['company', 'connectors', 'automation'],
    expiration: null,
  })
  const { token } = made.json as { token: string }
  const answer = await app.call(
    'POST',
    READ,
    { url: 'http://127.0.0.1:1/' },
    { authorization: `Bearer ${token}` },
  )
  expect(answer.status).toBe(403)
})
