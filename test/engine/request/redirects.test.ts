import { expect, test } from 'vitest'
import { nextHop } from '../../../src/main/engine/request/redirects.ts'

const request = {
  method: 'GET',
  url: 'https://api.test/a/b?c',
  headers: [['X-Key', 'k']] as const,
  body: null,
}
const trusted = new Set(['https://api.test'])

function redirect(location: string) {
  const answer = {
    status: 302,
    headers: [['location', location]] as const,
    body: new Uint8Array(),
    wireBytes: 0,
  }
  return nextHop({ request, keepsBody: true }, answer, request, trusted)?.request
}

test('a redirect is resolved against the URL that responded', () => {
  expect(redirect('d')).toEqual({ ...request, url: 'https://api.test/a/d' })
  expect(redirect('/e?f#g')).toEqual({ ...request, url: 'https://api.test/e?f' })
  expect(redirect('https://u:p@api.test/x')).toEqual({ ...request, url: 'https://api.test/x' })
  expect(redirect('//other.test/x')).toEqual({ ...request, url: 'https://other.test/x', headers: [] })
  expect(redirect('https://api.test:8443/x')).toEqual({
    ...request,
    url: 'https://api.test:8443/x',
    headers: [],
  })
})

test('redirects from https to http are not followed', () => {
  expect(() => redirect('http://api.test/')).toThrow(/from https to http/)
})
