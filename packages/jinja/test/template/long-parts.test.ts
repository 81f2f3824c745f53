import { expect, it } from 'vitest'
import { renderTemplate } from '../../src/template/index.ts'

/** Nearly contains `part` five times, and contains it twice, overlapping by one. */
const SETUP = "{% set part = 'a' * 3001 %}{% set text = ('a' * 3000 ~ 'b') * 5 ~ 'a' * 3002 ~ 'c' %}"
const render = (expression: string) =>
  renderTemplate(`${SETUP}{{ ${expression} }}`, {}, { limits: { milliseconds: 60_000 } })

it('a long part is found in a string that nearly contains it, by every search', () => {
  expect(
    [
      'text.find(part)',
      'text.rfind(part)',
      'text.count(part)',
      'part in text',
      "(part ~ 'a') in text",
      "(part ~ 'b') in text",
      'text.partition(part)[0] | length',
      'text.rpartition(part)[2]',
      'text.split(part) | map("length") | list',
      "text.replace(part, '-')[15005:]",
      "(text ~ text).replace(part, '-') | length",
    ].map(render),
  ).toEqual([
    '15005',
    '15006',
    '1',
    'True',
    'True',
    'False',
    '15005',
    'c',
    '[15005, 2]',
    '-ac',
    String(2 * (15005 + 3)),
  ])
})

it('charging for each read does not change what a pattern finds and replaces', () => {
  const text = 'k1=v1; k2=😀; none'
  expect(
    [
      "{{ text | regex_findall('[a-z][0-9]') }}",
      "{{ text | regex_findall('(\\\\w+)=([^;]+)') }}",
      "{{ text | regex_search('=(.);', 1) }}",
      "{{ text | regex_replace('(?P<key>k[0-9])=', '\\\\g<key>: ') }}",
      "{{ text | regex_search('^none$') }}",
    ].map((template) => renderTemplate(template, { text })),
  ).toEqual(["['k1', 'v1', 'k2']", "[['k1', 'v1'], ['k2', '😀']]", '😀', 'k1: v1; k2: 😀; none', 'None'])
})
