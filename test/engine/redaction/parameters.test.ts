import { expect, test } from 'vitest'
import { createRedactor, hideParameters } from '../../../src/main/engine/redaction/redactor.ts'
import { dictionaryOf } from '../../../packages/jinja/src/data/value.ts'

const redactor = createRedactor({ secrets: [] })

test('parameters with telling names are hidden wherever a name can stand', () => {
  expect(
    [
      'https://a.test/x?api_key=k1&page=2&access_token=k2#f',
      'grant_type=password&username=ann&password=k3&client_secret=k4',
      '{"user": "ann", "apiKey": "k\\"5", "token":123, "max_tokens": 7}',
      '<login><user>ann</user><password>k6</password></login>',
      'session=1; auth_token=k7; theme=dark',
      'https://a.test/x?api_key={{ auth.key }}',
      'next_page_token=abc&tokens=2&passwords=3&monkey=4',
    ].map(hideParameters),
  ).toEqual([
    'https://a.test/x?api_key=***&page=2&access_token=***#f',
    'grant_type=password&username=ann&password=***&client_secret=***',
    '{"user": "ann", "apiKey": "***", "token":"***", "max_tokens": 7}',
    '<login><user>ann</user><password>***</password></login>',
    'session=1; auth_token=***; theme=dark',
    'https://a.test/x?api_key={{ auth.key }}',
    'next_page_token=abc&tokens=2&passwords=3&monkey=4',
  ])
})

test('data under such a name is hidden, and null stays null', () => {
  const data = dictionaryOf([
    ['api_key', 'k1'],
    ['Password', 'k2'],
    ['access-token', null],
    ['page_token', 'p'],
    ['client_secret', dictionaryOf([['a', 'b']])],
  ])
  expect(redactor.redactData(data)).toEqual(
    dictionaryOf([
      ['api_key', '***'],
      ['Password', '***'],
      ['access-token', null],
      ['page_token', 'p'],
      ['client_secret', '***'],
    ]),
  )
})
