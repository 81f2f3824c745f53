import { expect, test } from 'vitest'
import {
  isSameHost,
  parseApiEndpoint,
  writeApiEndpoint,
} from '../../../src/main/services/reaching/sending/api-endpoint.ts'

test('the password of a URL is found in any position', () => {
  const rows: [string, string | null][] = [
    ['sftp://user:secret@host/path', 'secret'],
    ['sftp://user:se:cr:et@host:22/path', 'se:cr:et'],
    ['sftp://user:p@ss@host/path', 'p@ss'],
    ['https://user:@host', ''],
    ['https://:secret@host', 'secret'],
    ['user:secret@host/path', 'secret'],
    ['SFTP+SSH://user:secret@[::1]:22?x=@', 'secret'],
    ['sftp://user:pa%2Fss@host', 'pa%2Fss'],
    ['https://user@host/path', null],
    ['https://host/path', null],
    ['https://host:8080/users/@me', null],
    ['https://host/a:b@c', null],
    ['https://[::1]:8080/@', null],
    ['host', null],
    ['', null],
  ]
  expect(rows.map(([text]) => parseApiEndpoint(text)?.password)).toEqual(rows.map(([, password]) => password))
})

test('a URL is written as it was read', () => {
  const texts = [
    'sftp://user:secret@host:22/path?query#fragment',
    'user:secret@host',
    'https://user@host',
    'https://:@host',
    'host/path',
    '',
    '//user:x@host',
  ]
  expect(texts.map((text) => writeApiEndpoint(parseApiEndpoint(text)!))).toEqual(texts)
})

test("a URL in which the password can't be told from the path is rejected", () => {
  const texts = [
    'sftp://user:pa/ss@host/path',
    'sftp://user:pa?ss@host',
    'sftp://user:pa#ss@host',
    'user:pa\\ss@host',
  ]
  expect(texts.map(parseApiEndpoint)).toEqual(texts.map(() => null))
})

test('a password belongs to a host, including scheme and port', () => {
  const base = parseApiEndpoint('sftp://user:x@host:22/path')!
  const others = [
    'SFTP://other:y@HOST:22/elsewhere',
    'ftp://user:x@host:22/path',
    'sftp://user:x@host:23/path',
    'sftp://user:x@host.evil.example:22/path',
    'user:x@host:22/path',
  ]
  expect(others.map((text) => isSameHost(base, parseApiEndpoint(text)!))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
