import { expect, test } from 'vitest'
import { parseCurl } from '../../src/shared/parse-curl.ts'

test('a command of the browser becomes its request', () => {
  expect(
    parseCurl(`curl 'https://api.example.com/orders?page=1' \\
  -X POST \\
  -H 'Accept: application/json' \\
  -H 'Content-Type: application/json' \\
  --data-raw $'{"name":"O\\'Hara","note":"a\\\\nb"}' --compressed`),
  ).toEqual({
    method: 'POST',
    url: 'https://api.example.com/orders?page=1',
    headers: { Accept: 'application/json' },
    body: { name: "O'Hara", note: 'a\nb' },
    bodyType: 'json',
  })
})

test('methods, forms, queries, logins and files are read as curl reads them', () => {
  expect([
    parseCurl('curl example.com'),
    parseCurl('curl -d a=1 --data b=2%20x https://x.example/f'),
    parseCurl('curl -G -d q=hello --data-urlencode "name=a b" https://x.example/s?x=1'),
    parseCurl('curl -u ada:secret -I https://x.example -o out.txt'),
    parseCurl('curl -F "file=@a.txt" -F name=Ada https://x.example'),
    parseCurl('curl -XPUT https://x.example -H "Content-Type: text/plain" -d "plain text"'),
    parseCurl('curl https://x.example -H "content-type: application/json" -d \'{"a": {{ b }}}\''),
    parseCurl('curl --request=PATCH --json \'{"a":[1]}\' --url https://x.example'),
  ]).toEqual([
    { method: 'GET', url: 'http://example.com', headers: {}, body: null, bodyType: 'none' },
    { method: 'POST', url: 'https://x.example/f', headers: {}, body: { a: '1', b: '2 x' }, bodyType: 'form' },
    {
      method: 'GET',
      url: 'https://x.example/s?x=1&q=hello&name=a%20b',
      headers: {},
      body: null,
      bodyType: 'none',
    },
    {
      method: 'HEAD',
      url: 'https://x.example',
      headers: { Authorization: 'Basic YWRhOnNlY3JldA==' },
      body: null,
      bodyType: 'none',
    },
    {
      method: 'POST',
      url: 'https://x.example',
      headers: {},
      body: { file: '@a.txt', name: 'Ada' },
      bodyType: 'multipart',
    },
    {
      method: 'PUT',
      url: 'https://x.example',
      headers: { 'Content-Type': 'text/plain' },
      body: 'plain text',
      bodyType: 'text',
    },
    { method: 'POST', url: 'https://x.example', headers: {}, body: '{"a": {{ b }}}', bodyType: 'json' },
    { method: 'PATCH', url: 'https://x.example', headers: {}, body: { a: [1] }, bodyType: 'json' },
  ])
})

test('commands are read as documentation and terminals give them', () => {
  const read = (text: string) => {
    const request = parseCurl(text)
    return request && `${request.method} ${request.url} ${JSON.stringify([request.headers, request.body])}`
  }
  expect([
    read('$ curl https://x.example'),
    read('# every order\n# of today\ncurl https://x.example'),
    read('curl -sSLo out.json -kXPUT --retry-delay 3 --cert-type PEM https://x.example'),
    read('curl --oauth2-bearer abc https://x.example'),
    read(`curl https://x.example -H 'Accept:' -H 'X-Empty;' -H 'X-At: 12:30'`),
    read(`curl -d '{"a": {{ web1.a }}}' https://x.example/{{ web1.id }}/b`),
    read('curl -s https://x.example | jq .'),
  ]).toEqual([
    'GET https://x.example [{},null]',
    'GET https://x.example [{},null]',
    'PUT https://x.example [{},null]',
    'GET https://x.example [{"Authorization":"Bearer abc"},null]',
    'GET https://x.example [{"X-Empty":"","X-At":"12:30"},null]',
    'POST https://x.example/{{ web1.id }}/b [{},"{\\"a\\": {{ web1.a }}}"]',
    'GET https://x.example [{},null]',
  ])
})

test('what is no curl command, or has no address, is none', () => {
  expect([
    parseCurl('{"ref_id": "a"}'),
    parseCurl('curl -X POST'),
    parseCurl(''),
    parseCurl("curl 'open"),
  ]).toEqual([null, null, null, expect.objectContaining({ url: 'http://open' })])
})
