import { expect, test } from 'vitest'
import { HeaderMap } from '../../src/data/header-map.ts'
import { renderTemplate } from '../../src/template/index.ts'

const headers = new HeaderMap([
  ['Link', '<a>'],
  ['X-Total-Count', '7'],
  ['link', '<b>'],
])

test('names are case-insensitive, and several lines with one name are joined', () => {
  expect({
    link: headers.get('LINK'),
    hasTotal: headers.has('x-TOTAL-count'),
    none: headers.get('none'),
  }).toEqual({ link: '<a>, <b>', hasTotal: true, none: undefined })
})

test.each([
  ['{{ h.Link }}', '<a>, <b>'],
  ['{{ h.LINK }}', '<a>, <b>'],
  ["{{ h['x-total-count'] }}", '7'],
  ["{{ h['X-Total-Count'] | int + 1 }}", '8'],
  ["{{ h.get('X-TOTAL-COUNT') }}{{ h.get('none', '-') }}", '7-'],
  ["{{ 'LiNk' in h }}{{ 'none' in h }}", 'TrueFalse'],
  ["{{ h | length }}{{ h.items() | map('first') | join(' ') }}", '2link x-total-count'],
  ['{{ h.none }}', ''],
])('a template reads %s as %s', (source, expected) => {
  expect(renderTemplate(source, { h: headers })).toBe(expected)
})
