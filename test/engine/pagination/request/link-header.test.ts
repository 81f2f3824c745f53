import { expect, test } from 'vitest'
import { readLinks } from '../../../../src/main/engine/pagination/request/link-header.ts'

const BASE = 'https://api.test/v1/items?page=1'

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['<https://api.test/2>; rel="next"', { next: 'https://api.test/2' }],
  ['<https://api.test/2>; rel=next', { next: 'https://api.test/2' }],
  ['<https://api.test/2>;rel=next;title="a"', { next: 'https://api.test/2' }],
  [
    '<?page=2>; rel="next", </v1/items>; REL="First"',
    { next: 'https://api.test/v1/items?page=2', first: 'https://api.test/v1/items' },
  ],
  [
    '<https://api.test/a,b;c>; rel="next", <https://api.test/1>; rel="prev"',
    { next: 'https://api.test/a,b;c', prev: 'https://api.test/1' },
  ],
  ['<https://api.test/2>; title="a, <b>; rel=\\"prev\\""; rel="next"', { next: 'https://api.test/2' }],
  ['<https://api.test/2>; rel="next last"', { next: 'https://api.test/2', last: 'https://api.test/2' }],
  ['<https://api.test/2>; rel="next"; rel="prev"', { next: 'https://api.test/2' }],
  ['<https://api.test/2>; rel="next", <https://api.test/3>; rel="next"', { next: 'https://api.test/2' }],
  ['<https://api.test/2> ; rel = "next"', { next: 'https://api.test/2' }],
  [
    '<https://api.test/1>; rel="previous"; results="true", <https://api.test/3>; rel="next"; results="false"; cursor="x"',
    { previous: 'https://api.test/1' },
  ],
  ['<https://api.test/3>; results=false; rel="next"', {}],
  ['<https://api.test/2>; results="true"; cursor="0:100:0"; rel="next"', { next: 'https://api.test/2' }],
  ['<https://api.test/2>', {}],
  ['<https://api.test/2; rel="next"', {}],
  ['nonsense; rel="next"', {}],
  ['<https://api.test/2>; rel="next', {}],
  ['<http://[>; rel="next"', {}],
])('%s', (header, expected) => {
  expect({ ...readLinks(header, BASE) }).toEqual(expected)
})

// Quadratic work would exceed the time limit of a test.
test('a long hostile header is read', () => {
  for (const piece of ['<', '<>; ', '<>;rel', '<>; rel="', '<a>;b="\\', '; rel=next', ' ', '<>;;']) {
    const header = `<https://api.test/2>${piece.repeat(2_000_000 / piece.length)}`
    expect(readLinks(header, BASE)).toBeDefined()
  }
})
