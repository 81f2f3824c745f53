import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { callHttp } from '../../helpers/http.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startTestServer } from '../../helpers/test-server.ts'

function builtPage(): string {
  const folder = join(temporaryFolder(), 'renderer')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__"><p>__CSP_NONCE__')
  writeFileSync(join(folder, 'assets', 'index-4f3a.js'), 'start()')
  writeFileSync(join(folder, 'theme.js'), 'theme()')
  writeFileSync(join(folder, '.secret'), 'hidden')
  writeFileSync(join(folder, '..', 'outside.txt'), 'outside')
  return folder
}

const html = { accept: 'text/html,*/*' }

test('each load of the page has a separate nonce, in its policy and in its HTML', async () => {
  const { port } = await startTestServer(() => {}, { rendererDir: builtPage() })
  const [first, second] = await Promise.all([callHttp(port, { path: '/' }), callHttp(port, { path: '/' })])
  const nonceOf = (text: string) => /content="([^"]+)"/.exec(text)?.[1] ?? ''
  const nonce = nonceOf(first.text)
  expect(first.text).toBe(`<meta name="csp-nonce" content="${nonce}"><p>${nonce}`)
  expect(Buffer.from(nonce, 'base64').length).toBe(16)
  expect(nonceOf(second.text)).not.toBe(nonce)
  expect(first.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; " +
      `style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  })
})

test("every URL that a browser opens is the page, except the API's", async () => {
  const { port } = await startTestServer(() => {}, { rendererDir: builtPage() })
  const ask = async (path: string, headers = {}) => {
    const { status, headers: got } = await callHttp(port, { path, headers })
    return [status, got['content-type']?.split(';')[0]]
  }
  expect([
    await ask('/', html),
    await ask('/index.html', html),
    await ask('/flows/7c1e', html),
    await ask('/flows/', html),
    await ask('/flows/7c1e'),
    await ask('/favicon.ico', html),
    await ask('/v1/nowhere', html),
    await ask('/v1', html),
  ]).toEqual([
    [200, 'text/html'],
    [200, 'text/html'],
    [200, 'text/html'],
    [200, 'text/html'],
    [404, 'application/json'],
    [404, 'application/json'],
    [404, 'application/json'],
    [404, 'application/json'],
  ])
})

test('files with a hash in their name are cached forever, others are revalidated', async () => {
  const { port } = await startTestServer(() => {}, { rendererDir: builtPage() })
  const asset = await callHttp(port, { path: '/assets/index-4f3a.js' })
  const plain = await callHttp(port, { path: '/theme.js' })
  expect({
    text: asset.text,
    cacheControl: asset.headers['cache-control'],
    contentType: asset.headers['content-type'],
  }).toEqual({
    text: 'start()',
    cacheControl: 'public, max-age=31536000, immutable',
    contentType: 'text/javascript; charset=utf-8',
  })
  expect({ text: plain.text, cacheControl: plain.headers['cache-control'] }).toEqual({
    text: 'theme()',
    cacheControl: 'no-cache',
  })
})

test('compressed files are sent to clients that accept them, and cached forever as well', async () => {
  const rendererDir = builtPage()
  const file = join(rendererDir, 'assets', 'index-4f3a.js')
  writeFileSync(`${file}.gz`, gzipSync('start()'))
  const { port } = await startTestServer(() => {}, { rendererDir })
  const ask = async (accepted: string | null, path = '/assets/index-4f3a.js') => {
    const headers = accepted === null ? {} : { 'accept-encoding': accepted }
    const { status, headers: got } = await callHttp(port, { path, headers })
    return {
      status,
      encoding: got['content-encoding'],
      type: got['content-type'],
      kept: got['cache-control'],
      varies: got.vary,
      bytes: Number(got['content-length']),
    }
  }
  const sent = {
    status: 200,
    encoding: undefined,
    type: 'text/javascript; charset=utf-8',
    kept: 'public, max-age=31536000, immutable',
    varies: 'Accept-Encoding',
    bytes: 'start()'.length,
  }
  const gzip = { ...sent, encoding: 'gzip', bytes: gzipSync('start()').length }
  expect([
    await ask('gzip, deflate, br, zstd'),
    await ask('br;q=0, gzip;q=0.5'),
    await ask('br, gzip;q=0'),
    await ask('identity'),
    await ask(null),
  ]).toEqual([gzip, gzip, sent, sent, sent])
  // A file that the build didn't compress is sent as it is.
  expect(await ask('gzip', '/theme.js')).toMatchObject({
    status: 200,
    encoding: undefined,
    varies: undefined,
  })
  expect(await ask('gzip', '/assets/missing.js')).toMatchObject({ status: 404, encoding: undefined })
})

test('nothing outside the folder is served, nor hidden files in it', async () => {
  const { port } = await startTestServer(() => {}, { rendererDir: builtPage() })
  const paths = [
    '/../outside.txt',
    '/assets/../../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/assets/%2e%2e%2f%2e%2e%2foutside.txt',
    '/.secret',
    '/assets/',
    '/assets',
    '/assets/missing.js',
    '/%00.js',
    '/%zz.js',
  ]
  const answers = await Promise.all(paths.map((path) => callHttp(port, { path })))
  expect(answers.map(({ status, json }) => [status < 500 && status >= 400, json !== undefined])).toEqual(
    paths.map(() => [true, true]),
  )
})

test('the page is read-only: other methods are rejected', async () => {
  const { port } = await startTestServer(() => {}, { rendererDir: builtPage() })
  const post = await callHttp(port, { method: 'POST', path: '/', headers: html })
  const head = await callHttp(port, { method: 'HEAD', path: '/' })
  expect({
    postStatus: post.status,
    allow: post.headers.allow,
    headStatus: head.status,
    headText: head.text,
  }).toEqual({ postStatus: 405, allow: 'GET, HEAD', headStatus: 200, headText: '' })
})

test('if no page was built, a short one says how to build it', async () => {
  const { port } = await startTestServer(() => {})
  const answer = await callHttp(port, { path: '/', headers: html })
  expect({ status: answer.status, text: answer.text }).toEqual({
    status: 200,
    text: expect.stringContaining('npm run build'),
  })
})

test('a rebuilt page is served without a restart', async () => {
  const rendererDir = temporaryFolder()
  const { port } = await startTestServer(() => {}, { rendererDir })
  await callHttp(port, { path: '/' })
  writeFileSync(join(rendererDir, 'index.html'), 'the new page')
  expect((await callHttp(port, { path: '/' })).text).toBe('the new page')
})
