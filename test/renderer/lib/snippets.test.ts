import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { toCurlOfBytes, toSnippet } from '../../../src/renderer/lib/snippets.ts'
import type { SnippetRequest } from '../../../src/renderer/lib/snippets.ts'
import { readCurl } from '../../../packages/curl/src/index.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { createCurlRunner, startSeeingServer } from '../../helpers/curl-beside.ts'
import { onPosix } from '../../helpers/platform.ts'

const run = promisify(execFile)

const nasty: SnippetRequest = {
  method: 'POST',
  url: 'http://127.0.0.1:1/a?b=$HOME&c=`id`',
  headers: { 'Content-Type': 'application/json', 'X-Note': `it's "quoted" \\ $(id)` },
  body: `{"text": "it's\\n\`id\` $(id) %s \\\\ ü 😀"}`,
}

test.runIf(onPosix).each(['curl', 'wget'] as const)(
  'a shell passes every value to %s unchanged, and runs nothing in them',
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
            '--no-iri',
            '--content-on-error',
            '--method=POST',
            '--header=Content-Type: application/json',
            `--header=X-Note: ${nasty.headers['X-Note']}`,
            `--body-data=${nasty.body}`,
            nasty.url,
          ]
    expect(given.slice(0, -1)).toEqual(expected)
  },
)

/** Special characters of each shell and language. */
const HOSTILE = `'"\`$HOME $(id) %PATH% !! ^ & | < > ; # * ? ~ {{ x }} \\ \\\\" \\n ü 😀 ‘’ \u2028`
const hostile = (url: string): SnippetRequest => ({
  method: 'PUT',
  url: `${url}/a'b/$HOME/\`id\`?q="x"&p=%41!&u=ü`,
  headers: { 'Content-Type': 'text/plain', 'X-Hostile': HOSTILE.trim(), 'X-Broken': 'a\r\nX-Smuggled: 1' },
  body: `@${HOSTILE}\n-d x\r\n\t${HOSTILE}\n`,
})

const RUN: Record<
  'curl' | 'wget' | 'fetch' | 'python',
  (snippet: string) => [program: string, args: string[]]
> = {
  curl: (snippet) => ['bash', ['-c', snippet]],
  wget: (snippet) => ['sh', ['-c', snippet]],
  fetch: (snippet) => [process.execPath, ['--input-type=module', '-e', snippet]],
  python: (snippet) => ['python3', ['-c', snippet]],
}

const isHere = (program: string) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const languages = [
  'curl' as const,
  ...(isHere('wget') ? (['wget'] as const) : []),
  ...(isHere('python3') ? (['python'] as const) : []),
  'fetch' as const,
]

test.runIf(onPosix).each(languages)(
  'the %s snippet sends hostile values unchanged, and shows an error’s body',
  async (language) => {
    const received: object[] = []
    const api = await startThirdPartyApi(({ method, target, headers, body }, response) => {
      const header = (name: string) => Buffer.from(String(headers[name]), 'latin1').toString('utf8')
      received.push({
        method,
        query: Object.fromEntries(new URL(target, 'http://x').searchParams),
        path: decodeURIComponent(new URL(target, 'http://x').pathname),
        type: headers['content-type'],
        hostile: header('x-hostile'),
        broken: header('x-broken'),
        smuggled: headers['x-smuggled'],
        body: body.toString(),
      })
      response.writeHead(422).end('not this way')
    })
    const request = hostile(api.url)
    const [program, args] = RUN[language](toSnippet(language, request))
    const { stdout } = await run(program, args).catch((error: unknown) => error as { stdout: string })
    expect({ received, stdout: stdout.trim().replace(/^422 /, '') }).toEqual({
      received: [
        {
          method: 'PUT',
          query: { q: '"x"', p: 'A!', u: 'ü' },
          path: "/a'b/$HOME/`id`",
          type: 'text/plain',
          hostile: HOSTILE.trim(),
          broken: 'a X-Smuggled: 1',
          smuggled: undefined,
          body: request.body,
        },
      ],
      stdout: 'not this way',
    })
  },
)

test('snippets for cmd and PowerShell are quoted by the rules of each', () => {
  const request = { ...hostile('http://x.example'), body: `${HOSTILE}\nsecond line \\` }
  const read = readCurl(toSnippet('cmd', request))?.requests[0]
  // Headers are compared as by the parser of cmd commands, whose own tests compare it with Windows' rules.
  expect({ ...read, headers: Object.fromEntries(read?.headers ?? []) }).toMatchObject({
    method: 'PUT',
    headers: { 'X-Hostile': HOSTILE.trim(), 'X-Broken': 'a X-Smuggled: 1' },
    body: { kind: 'text', text: request.body },
  })
  expect(toSnippet('cmd', { method: 'GET', url: 'http://x.example/?a=1&b=%20', headers: {} })).toBe(
    'curl -X GET ^"http://x.example/?a=1^&b=^%20^"',
  )
  const shell = toSnippet('powershell', { ...nasty, headers: { ...nasty.headers, 'X-Quote': '‘x’' } })
  expect(shell).toContain(`'X-Note' = 'it''s "quoted" \\ $(id)'`)
  expect(shell).toContain(`'X-Quote' = '‘‘x’’'`)
  expect(shell).toContain(`-ContentType 'application/json'`)
  expect(shell).toContain('-Body ([Text.Encoding]::UTF8.GetBytes(')
  expect(toSnippet('powershell', { ...nasty, body: "it's" })).toContain("-Body 'it''s'")
})

test.runIf(onPosix)('snippets send binary data unchanged', async () => {
  const received: string[] = []
  const api = await startThirdPartyApi(({ body }, response) => {
    received.push(body.toString('hex'))
    response.end()
  })
  const command = toCurlOfBytes({ method: 'POST', url: api.url, headers: {} }, 'ff00 25 5c 0a 27 fe 31 32')
  for (const shell of ['sh', 'bash']) await run(shell, ['-c', command])
  expect(received).toEqual(['ff00255c0a27fe3132', 'ff00255c0a27fe3132'])
})

test.runIf(onPosix)('curl sends a request that was copied as curl unchanged', async () => {
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
})
