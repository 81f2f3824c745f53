import { describe, expect, test } from 'vitest'
import {
  actionAddress,
  addressRules,
  nextAddress,
} from '../../../../src/main/engine/pagination/request/address.ts'

const BASE = 'https://api.test/v1/'
const PREVIOUS = 'https://api.test/v1/lists/7/items?limit=2&cursor=a'

describe('an endpoint that the author built', () => {
  test.each([
    ['items', 'https://api.test/v1/items'],
    ['/items', 'https://api.test/v1/items'],
    ['items?page=2', 'https://api.test/v1/items?page=2'],
    ['/v1/items', 'https://api.test/v1/items'],
    ['/v1?x', 'https://api.test/v1?x'],
    ['/v10/items', 'https://api.test/v1/v10/items'],
    ['documents:search', 'https://api.test/v1/documents:search'],
    ['?cursor=b', 'https://api.test/v1/lists/7/items?cursor=b'],
    ['https://api.test/v2/items', 'https://api.test/v2/items'],
    ['HTTPS://API.TEST/v2', 'https://api.test/v2'],
    ['https://api.test:443/v2', 'https://api.test/v2'],
    ['  items  ', 'https://api.test/v1/items'],
    ['items#part', 'https://api.test/v1/items'],
    ['../admin', 'https://api.test/admin'],
    ['@evil.test/x', 'https://api.test/v1/@evil.test/x'],
  ])('%j leads to %s', (endpoint, expected) => {
    expect(next(endpoint, false)).toBe(expected)
  })
})

describe('an endpoint that came from the server', () => {
  test.each([
    ['/v1/items?cursor=b', 'https://api.test/v1/items?cursor=b'],
    ['/other/items', 'https://api.test/other/items'],
    ['items?cursor=b', 'https://api.test/v1/lists/7/items?cursor=b'],
    ['../8/items', 'https://api.test/v1/lists/8/items'],
    ['./items', 'https://api.test/v1/lists/7/items'],
    ['?cursor=b', 'https://api.test/v1/lists/7/items?cursor=b'],
    ['https://api.test/v1/x?y=%20', 'https://api.test/v1/x?y=%20'],
  ])('%j leads to %s', (endpoint, expected) => {
    expect(next(endpoint, true)).toBe(expected)
  })
})

describe.each([
  ['the author', false],
  ['the server', true],
])('a URL from %s that leads elsewhere is rejected:', (_, fromServer) => {
  test.each([
    'https://api.test:8443/v1/items',
    'https://evil.test/v1/items',
    'https://api.test.evil.test/',
    'https://api.test@evil.test/',
    'https://user:password@api.test/v1/items',
    'https://user@api.test/v1/items',
    '//evil.test/items',
    '//api.test/v1/items',
    '///evil.test/items',
    '/\\evil.test/items',
    '\\\\evil.test\\items',
    '\\/evil.test',
    '/\t/evil.test/items',
    'ftp://api.test/items',
    'file:///etc/passwd',
    'javascript://api.test/%0aalert(1)',
    'https://api.tеst/items', // a Cyrillic e
    'https://[::1]/items',
  ])('%j', (endpoint) => {
    expect(outcomeOf(() => next(endpoint, fromServer))).toBe('cross_origin_link')
  })
})

test('an http link to the host of an https base is followed over https', () => {
  const upgraded = (link: string, base = BASE) => {
    const { url, isUpgraded } = nextAddress(link, true, new URL(PREVIOUS), addressRules(base, '', []))
    return { href: url.href, isUpgraded }
  }
  expect(upgraded('http://api.test/v1/items?page=2')).toEqual({
    href: 'https://api.test/v1/items?page=2',
    isUpgraded: true,
  })
  expect(upgraded('https://api.test/v1/items')).toMatchObject({ isUpgraded: false })
  expect(outcomeOf(() => upgraded('http://api.test:8080/v1/items').href)).toBe('cross_origin_link')
  expect(outcomeOf(() => upgraded('http://evil.test/v1/items').href)).toBe('cross_origin_link')
})

test('a control character before a scheme does not hide it', () => {
  expect(outcomeOf(() => next('\u0001https://evil.test/items', true))).toBe('cross_origin_link')
  expect(next('\u0001https://evil.test/items', false)).toMatch(/^https:\/\/api\.test\/v1\//)
})

test('a scheme sent by a server is meant as one', () => {
  for (const link of ['javascript:alert(1)', 'data:text/plain,x', 'mailto:me@api.test']) {
    expect(() => next(link, true)).toThrow(expect.objectContaining({ code: 'cross_origin_link' }))
  }
})

test('allowed origins can be called, but never with http if the base uses https', () => {
  const rules = addressRules(BASE, '', [
    'https://files.test',
    'https://data.test/some/path',
    'http://plain.test',
    'nonsense',
  ])
  expect([...rules.origins]).toEqual(['https://api.test', 'https://files.test', 'https://data.test'])
  expect(nextAddress('https://files.test/a', true, new URL(PREVIOUS), rules).url.href).toBe(
    'https://files.test/a',
  )
})

describe('the URL of an action', () => {
  test.each([
    ['https://api.test', 'items', 'https://api.test/items'],
    ['https://api.test/v1', 'items', 'https://api.test/v1/items'],
    ['https://api.test/v1//', '//items', null],
    ['https://api.test/v1', '', 'https://api.test/v1'],
    ['https://api.test/v1/', '', 'https://api.test/v1/'],
    ['https://api.test/v1?key=1', 'items?a=2', 'https://api.test/v1/items?key=1&a=2'],
    ['', 'https://api.test/v1/items?a=1', 'https://api.test/v1/items?a=1'],
    ['https://user:pass@api.test/v1', 'items', 'https://api.test/v1/items'],
    ['https://api.test', 'https://api.test/x', 'https://api.test/x'],
    ['https://api.test', 'https://evil.test/x', null],
  ])('%s and %j make %s', (base, endpoint, expected) => {
    const outcome = outcomeOf(() => actionAddress(endpoint, addressRules(base, endpoint, [])).href)
    expect(outcome).toBe(expected ?? 'cross_origin_link')
  })

  test('credentials in the base URL become a login', () => {
    expect(addressRules('https://me:s%40fe@api.test/', '', []).login).toBe('me:s@fe')
    expect(addressRules('https://api.test/', '', []).login).toBeNull()
  })

  test.each(['', 'nonsense', 'ftp://api.test', '/relative'])('%j is not a base URL', (base) => {
    expect(() => addressRules(base, '', [])).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})

function next(endpoint: string, fromServer: boolean): string {
  return nextAddress(endpoint, fromServer, new URL(PREVIOUS), addressRules(BASE, '', [])).url.href
}

/** The URL, or the code of the error. */
function outcomeOf(work: () => string): string {
  try {
    return work()
  } catch (error) {
    return (error as { code: string }).code
  }
}
