import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { toSnippet } from '../../../src/renderer/lib/snippets.ts'
import type { SnippetRequest } from '../../../src/renderer/lib/snippets.ts'
import { createCurlRunner, hasCurl, startSeeingServer } from '../../helpers/curl-beside.ts'

const run = promisify(execFile)

const nasty: SnippetRequest = {
  method: 'POST',
  url: 'http://127.0.0.1:1/a?b=$HOME&c=`id`',
  headers: { 'Content-Type': 'application/json', 'X-Note': `it's "quoted" \\ $(id)` },
  body: `{"text": "it's\\n\`id\` $(id) %s \\\\ ü 😀"}`,
}

test.each(['curl', 'wget'] as const)(
  'a shell gives %s every value as it is, and runs nothing in them',
  async (tool) => {
    const script = `${tool}() { printf '%s\\0' "$@"; }; ${toSnippet(tool, nasty)}`
    const { stdout } = await run('sh', ['-c', script])
    const given = stdout.split('\0')
    const expected =
      tool === 'curl'
        ? [
            '-X',
            'POST',
            nasty.url,
            '-H',
            'Content-Type: application/json',
            '-H',
            `X-Note: ${nasty.headers['X-Note']}`,
            '--data-raw',
            nasty.body,
          ]
        : [
            '-qO-',
            '--method=POST',
            '--header=Content-Type: application/json',
            `--header=X-Note: ${nasty.headers['X-Note']}`,
            `--body-data=${nasty.body}`,
            nasty.url,
          ]
    expect(given.slice(0, -1)).toEqual(expected)
  },
)

test('the fetch snippet sends the request when it is run', async () => {
  const received = Promise.withResolvers<{ line: string; note: unknown; body: string }>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.resolve({ line: `${request.method} ${request.url}`, note: request.headers['x-note'], body })
      response.end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x?y=1`
  const request = { ...nasty, url, body: '{"a": 1}' }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', toSnippet('fetch', request)])
  server.close()
  expect({ received: await received.promise, stdout }).toEqual({
    received: { line: 'POST /x?y=1', note: nasty.headers['X-Note'], body: '{"a": 1}' },
    stdout: '200 ok\n',
  })
})

test('Python and PowerShell quote by their own rules', () => {
  expect(toSnippet('python', nasty)).toContain(String.raw`"X-Note": "it's \"quoted\" \\ $(id)"`)
  const shell = toSnippet('powershell', nasty)
  expect(shell).toContain(`'X-Note' = 'it''s "quoted" \\ $(id)'`)
  expect(shell).toContain(`-ContentType 'application/json'`)
})

test.runIf(hasCurl)(
  `a request copied as curl is sent by curl as it was ${hasCurl ? '' : '(skipped: curl is not here)'}`,
  async () => {
    const server = await startSeeingServer()
    const runCurl = createCurlRunner(server.port, {})
    const url = 'http://x.example/a[1]/{b}?c=d%20e&f'
    const requests: SnippetRequest[] = [
      { method: 'HEAD', url, headers: { 'X-Empty': '', 'X-Other': 'ü' } },
      { method: 'GET', url, headers: { 'accept-encoding': 'gzip' } },
      { method: 'POST', url, headers: {}, body: `@it's\n{"a": 1}\n` },
      { method: 'GET', url, headers: { 'content-type': 'application/json' }, body: '{"a": 1}' },
      { method: 'DELETE', url: 'http://x.example/a', headers: {}, body: null },
    ]
    for (const request of requests) await runCurl(toSnippet('curl', request))
    const target = '/a%5B1%5D/%7Bb%7D?c=d%20e&f'
    expect(server.take()).toEqual([
      { method: 'HEAD', target, headers: ['x-empty: ', 'x-other: ü'], body: '' },
      { method: 'GET', target, headers: [], body: '' },
      { method: 'POST', target, headers: [], body: requests[2]?.body },
      { method: 'GET', target, headers: ['content-type: application/json'], body: '{"a": 1}' },
      { method: 'DELETE', target: '/a', headers: [], body: '' },
    ])
  },
)
