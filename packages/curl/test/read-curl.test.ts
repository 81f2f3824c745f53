import { expect, test } from 'vitest'
import { englishOf } from '@millrace/jinja/said'
import { readCurl, restStepOf } from '../src/index.ts'

/** The steps for an input: method, URL, headers and body. */
const stepsOf = (text: string) =>
  (readCurl(text)?.requests ?? []).map((request) => {
    const { method, url, headers = {}, body = null } = restStepOf(request).config
    return [method, url, headers, body]
  })
const leftOutOf = (text: string) => readCurl(text)?.leftOut.map(({ reason }) => englishOf(reason))

test('commands of cmd.exe are parsed with its quotes and carets', () => {
  expect([
    ...stepsOf(`curl -v -X POST ^
-H "Accept: text/plain" ^
"https://x.example/{{ id }}/users?a=1&b=%20c" ^
-d "{\\"name\\": \\"a ^ b\\"}"`),
    ...stepsOf(`curl ^"https://x.example/api?a=1^&b=2^" ^
  -H ^"content-type: application/json^" ^
  --data-raw ^"^{^\\^"q^\\^":^\\^"x y^\\^",^\\^"n^\\^":1^}^"`),
    ...stepsOf(
      `C:\\> curl.exe "https://x.example/%USER_ID%" -H "A: ""quoted""" & curl.exe https://x.example/b`,
    ),
    ...stepsOf('curl https://x.example ^\r\n  --data-raw ^"a^\r\n\r\nb^"'),
  ]).toEqual([
    [
      'POST',
      'https://x.example/{{ id }}/users?a=1&b=%20c',
      { Accept: 'text/plain', 'Content-Type': 'application/x-www-form-urlencoded' },
      '{"name": "a  b"}',
    ],
    ['POST', 'https://x.example/api?a=1&b=2', {}, { q: 'x y', n: 1 }],
    ['GET', 'https://x.example/{{ USER_ID }}', { A: '"quoted"' }, null],
    ['GET', 'https://x.example/b', {}, null],
    ['POST', 'https://x.example', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a\nb'],
  ])
})

test('commands of PowerShell are parsed as its version passes them on', () => {
  expect([
    ...stepsOf(
      `curl.exe -X POST "https://x.example/api" -H "Content-Type: application/json" -d '{\\"a\\": 1}'`,
    ),
    ...stepsOf(`PS C:\\Users\\ada> curl.exe https://x.example/b \`
  -H "Authorization: Bearer $env:TOKEN" \`
  -H 'content-type: application/json' --data-raw '{"a":"it''s"}'`),
    ...stepsOf(`curl.exe "https://x.example/$($id)" -H "A: \`"b\`" $name"; curl.exe 'https://x.example/c'`),
  ]).toEqual([
    ['POST', 'https://x.example/api', {}, '{"a": 1}'],
    ['POST', 'https://x.example/b', { Authorization: 'Bearer {{ TOKEN }}' }, { a: "it's" }],
    ['GET', expect.stringContaining('{{ not_imported('), { A: '"b" {{ name }}' }, null],
    ['GET', 'https://x.example/c', {}, null],
  ])
})

test('what documentation and terminals put around a command is ignored', () => {
  expect([
    ...stepsOf('$ curl https://x.example\n$ curl https://x.example/b'),
    ...stepsOf('#!/bin/sh\n# every order\n\nsudo /usr/bin/curl https://x.example/c | jq .'),
    ...stepsOf(`echo '{"a":1}' | curl --json @- https://x.example/d`),
    ...stepsOf(
      `curl https://x.example/{{ web1.id }}/e -H 'A: {{ web1.a }}' -H 'content-type: application/json' -d '{"a": {{ web1.a }}}'`,
    ),
  ]).toEqual([
    ['GET', 'https://x.example', {}, null],
    ['GET', 'https://x.example/b', {}, null],
    ['GET', 'https://x.example/c', {}, null],
    [
      'POST',
      'https://x.example/d',
      { 'Content-Type': 'application/json', Accept: 'application/json' },
      '{"a":1}{{ \'\\n\' }}',
    ],
    ['POST', 'https://x.example/{{ web1.id }}/e', { A: '{{ web1.a }}' }, '{"a": {{ web1.a }}}'],
  ])
  expect(leftOutOf('curl https://x.example/c | jq .')).toEqual([])
})

test('time limits and retries are added to the step, and differences are reported', () => {
  const [request] = readCurl(
    `curl -k https://x.example --max-time 6.5 --retry 3 --retry-delay 2 --connect-timeout 9 -c jar -H "A: $B"`,
  )!.requests
  const { config, retry, notes } = restStepOf(request!)
  expect({ timeout: config['timeout_seconds'], retry, notes: notes.map(englishOf) }).toEqual({
    timeout: 6.5,
    retry: { attempts: 3, wait_seconds: 2 },
    notes: [
      'Millrace gives up after 10 seconds without a connection',
      'Millrace keeps no cookies from one request to the next',
      'Millrace always checks certificates',
      '$B is read from the variable B',
    ],
  })
})

test('a file on the computer of the command becomes a placeholder that names it', () => {
  expect([
    ...stepsOf('curl https://x.example -F doc=@dir/a.txt -F note=hi'),
    ...stepsOf('curl -T a.bin https://x.example/up/'),
  ]).toEqual([
    [
      'POST',
      'https://x.example',
      {},
      {
        doc: {
          file_id: expect.stringMatching(/^\{\{ not_imported\('the file dir\/a\.txt/),
          filename: 'a.txt',
        },
        note: 'hi',
      },
    ],
    [
      'PUT',
      'https://x.example/up/a.bin',
      { 'Content-Type': null },
      { file_id: expect.stringContaining('a.bin') },
    ],
  ])
})

test('what curl rejects is left out with its reason', () => {
  expect([
    leftOutOf('curl https://x.example -d a -F b=c'),
    leftOutOf('curl https://x.example --request=PUT'),
    leftOutOf('curl https://x.example --no-such'),
    leftOutOf('curl https://x.example -H'),
    leftOutOf('curl -X POST'),
    leftOutOf("curl 'https://x.example"),
    leftOutOf("curl 'https://x.example/a b'"),
    leftOutOf('curl ftp://x.example'),
    leftOutOf("curl 'https://x.example/[a]'"),
    leftOutOf('curl https://x.example?a=1&b=2 -H A:b'),
  ]).toEqual([
    ['curl rejects it: only one of -d, -F, -T and -I can say what is sent'],
    ['curl has no option --request=PUT; write --request, a space and the value'],
    ['curl has no option --no-such'],
    ['--header has no value'],
    ['it has no URL'],
    ["no shell runs it: line 1 has a ' that is never closed"],
    ['curl rejects the URL https://x.example/a b: it contains a space or a line break'],
    ['it goes to ftp://, but Millrace only sends requests to http:// or https://'],
    [expect.stringContaining('as a range')],
    ["isn't a curl command"],
  ])
})

test('input without a curl command is null', () => {
  expect([
    readCurl('{"ref_id": "a"}'),
    readCurl(''),
    readCurl('wget https://x.example'),
    readCurl('how to use curl here'),
  ]).toEqual([null, null, null, null])
})

test('hostile input of 1 MB is parsed in time', () => {
  for (const piece of ['$(', '`', '{{', '<<a ', '"$', '\\', '^', "$'", ';', '[a-', '{a,', '\n'])
    expect(readCurl(`curl x ${piece.repeat(Math.floor(1_000_000 / piece.length))}`)).not.toBeUndefined()
})
