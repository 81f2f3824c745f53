import { expect, test } from 'vitest'
import { parseJson } from '../../../../packages/jinja/src/data/json.ts'
import { titleOfRun } from '../../../../src/main/engine/flow/run/title-of-run.ts'

const answer = (body: string | null) => ({ status: 200, headers: {}, body, warnings: [] })

test.each([
  [
    'an order',
    '{"total": 129.5, "email": "grace@example.test", "order_id": "A-1042"}',
    'A-1042 · grace@example.test',
  ],
  ['a payload in wrappers', '{"data": {"object": {"id": 7, "amount": 3}}}', '7'],
  ['the first of a list', '{"items": [{"sku": "T-1"}, {"sku": "T-2"}]}', 'T-1'],
  ['an id beyond 2^53', '{"id": 12345678901234567890}', '12345678901234567890'],
  ['an event with its id', '{"type": "invoice.paid", "id": "evt_1"}', 'evt_1 · invoice.paid'],
  ['the same value twice', '{"id": "x", "key": "x"}', 'x'],
  ['lines in a value', '{"subject": "one\\n two"}', 'one two'],
  [
    'secrets',
    '{"token": "abc", "password": "p", "api_key_value": "k", "api_key": "k", "secret-key": "k"}',
    null,
  ],
  ['a long text', JSON.stringify({ title: 'x'.repeat(61) }), null],
  ['nothing that tells', '{"total": 3, "paid": true}', null],
  ['no dictionary', '[1, 2]', null],
])('the title for %s', (_what, input, title) => {
  expect(titleOfRun(parseJson(input), null)).toBe(title)
})

test('a short response is added; a long or empty one is not', () => {
  const input = { id: 'A-1' }
  expect(
    ['{"known": true}', 'null', '', null, 'x'.repeat(81)].map((body) => titleOfRun(input, answer(body))),
  ).toEqual(['A-1 → {"known": true}', 'A-1', 'A-1', 'A-1', 'A-1'])
})
