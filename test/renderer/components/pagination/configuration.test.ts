import { expect, test } from 'vitest'
import { completeConfig } from '../../../../src/renderer/components/pagination/config/config-completion.ts'
import {
  addEntry,
  entriesOf,
  moveEntry,
  partAt,
  putConfig,
  putPart,
  removeEntry,
  withActionConfig,
} from '../../../../src/renderer/components/pagination/state/config-text.ts'
import { configWords } from '../../../../src/renderer/components/pagination/state/style-names.ts'
import { PRESETS } from '../../../../src/renderer/components/pagination/config/presets.ts'
import {
  lineOf,
  placeProblems,
} from '../../../../src/renderer/components/pagination/config/problem-places.ts'
import { eventsOf } from '../../../helpers/pagination-test-events.ts'
import { startTestApp } from '../../../helpers/test-app.ts'

const SAMPLE = {
  body: { paging: { next: { after: 'abc' } }, results: [{ id: 1 }], meta: { tags: ['a', 'b'] } },
  headers: { link: '<…>' },
}

test.each([
  ['a key that is missing', '{"query": "{}", "|"}', ['body', 'header', 'response_jsonpath', 'endpoint'], 16],
  ['a key in a list', '[{"when": "x"}, {|}]', ['query', 'body', 'header', 'response_jsonpath'], 17],
  ['the values of a key', '{"method": "|"}', ['GET', 'POST', 'PUT', 'PATCH'], 12],
  [
    'a variable',
    '{"query": "{\\"a\\": {{ |',
    ['page', 'previous_request', 'previous_request_headers', 'endpoint'],
    22,
  ],
  ['a path into the response', '{"query": "{{ previous_request.paging.ne|xt }}"}', ['next'], 38],
  ['a bare condition', '{"when": "previous_request.|"}', ['paging', 'results', 'meta'], 27],
  [
    'lists of the response, the longest first',
    '{"response_jsonpath": "|"}',
    ['$.meta.tags', '$.results'],
    23,
  ],
])('completion offers %s', (_what, marked, first, from) => {
  const offset = marked.indexOf('|')
  const found = completeConfig(marked.replace('|', ''), offset, SAMPLE)
  expect({ labels: found?.choices.slice(0, 4).map(({ label }) => label), from: found?.from }).toEqual({
    labels: first,
    from,
  })
})

test('nothing is offered if nothing fits', () => {
  const at = (marked: string) => completeConfig(marked.replace('|', ''), marked.indexOf('|'), SAMPLE)
  expect([at('|'), at('{"query": {"|"}}'), at('{"query": "a|"}'), at('[|]')]).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('problems have their position in the text, and invalid JSON comes first', () => {
  const text = '[\n  {"query": "{\\"limit\\": 500,\\n {{ pag }}}"},\n  {"qery": 1}\n]'
  const problem = (field: string, line: number | null, column: number | null) => ({
    severity: 'error' as const,
    code: 'x',
    message: field,
    field,
    line,
    column,
  })
  const placed = placeProblems(text, [
    problem('[0].query', 2, 5),
    problem('[0].query', 1, 2),
    problem('[1].qery', null, null),
    problem('[1]', null, null),
  ])
  expect(placed.map(({ from, to }) => [text.slice(from, to), lineOf(text, from).line])).toEqual([
    ['pag', 2],
    ['\\"limit', 2],
    ['1', 3],
    ['{', 3],
  ])
  expect(placeProblems('{"a": }', [problem('a', null, null)])).toEqual([
    { severity: 'error', message: 'A value is expected here', field: '', from: 6, to: 7 },
  ])
})

test('configurations are moved, removed, and added before the one without a condition', () => {
  const text = JSON.stringify([{ when: 'a' }, { when: 'b' }, { query: '{}' }])
  const order = (next: string) => entriesOf(next).map(({ when }) => when ?? 'rest')
  expect([
    order(moveEntry(text, 1, 0)),
    order(moveEntry(text, 0, 9)),
    order(removeEntry(text, 1)),
    order(addEntry(text)),
    order(addEntry('{"query": "{}"}')),
  ]).toEqual([
    ['b', 'a', 'rest'],
    ['b', 'rest', 'a'],
    ['a', 'rest'],
    ['a', 'b', '{{ page == 1 }}', 'rest'],
    ['{{ page == 1 }}', 'rest'],
  ])
})

test('a suggestion replaces the configuration that was used, and keeps its condition', () => {
  const list = JSON.stringify([{ when: 'a', query: '{"old": 1}' }, { query: '{}' }])
  const config = { query: '{"new": 1}' }
  expect({
    one: entriesOf(putConfig(list, config, 0)),
    all: entriesOf(putConfig(list, config, null)),
  }).toEqual({ one: [{ when: 'a', query: '{"new": 1}' }, { query: '{}' }], all: [config] })
})

test('a configuration for one action goes before the others, and replaces its older version', () => {
  const others = [{ query: '{}' }]
  const once = withActionConfig(others, "it's", { query: '{"a": 1}' })
  const twice = withActionConfig(once, "it's", [{ when: 'page < 3', query: '{"b": 1}' }])
  expect({ once, twice }).toEqual({
    once: [{ when: String.raw`{{ endpoint == 'it\'s' }}`, query: '{"a": 1}' }, ...others],
    twice: [{ when: String.raw`{{ (endpoint == 'it\'s') and (page < 3) }}`, query: '{"b": 1}' }, ...others],
  })
})

test('the presets are the eight styles', () => {
  expect(PRESETS.map(({ playground }) => playground)).toEqual([
    'list_contacts',
    'list_orders',
    'list_tickets',
    'query_contacts',
    'list_orders_by_offset',
    'list_tickets_by_skip',
    'list_contacts_by_header',
    'list_orders_linked',
  ])
})

test('a configuration is named after what it sends next, not after its end', () => {
  const named = [
    ...PRESETS.map(({ config }) => config),
    { query: '{"page": {{ page + 1 }}}', stop_when: 'page >= previous_request.pages' },
    [{ when: 'previous_request.more', query: '{"page": {{ page + 1 }}}' }],
    [{ when: 'a' }, {}],
    { response_jsonpath: '$.page' },
    null,
  ]
  expect(named.map(configWords)).toEqual([
    'Page number',
    'Page number',
    'Cursor',
    'Cursor',
    'Offset',
    'Offset',
    'Offset',
    'Next link in header',
    'Page number',
    'Page number',
    '2 configurations',
    'Custom configuration',
    'Off',
  ])
})

test('each preset reads every record of its action of the playground', async () => {
  const app = await startTestApp({ playground: true })
  const read: unknown[] = []
  for (const { playground, config } of PRESETS) {
    const events = await eventsOf(app, {
      connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5',
      action: playground,
      pagination_config: config,
    })
    const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
    const ids = new Set(records.map((record) => (record as { id: unknown }).id))
    read.push([playground, events.at(-1)?.type, records.length, ids.size])
  }
  expect(read).toEqual(PRESETS.map(({ playground }) => [playground, 'done', 64, 64]))
})

test('one of several configurations is changed by itself, and keeps its condition', () => {
  const text = '[{"when": "{{ a }}", "query": "1"}, {"query": "2"}]'
  expect(JSON.parse(partAt(text, 1))).toEqual({ query: '2' })
  expect(JSON.parse(putPart(text, 0, '{"query": "3"}'))).toEqual([
    { when: '{{ a }}', query: '3' },
    { query: '2' },
  ])
  expect(JSON.parse(putPart(text, 0, ''))).toEqual([{ when: '{{ a }}' }, { query: '2' }])
  expect([partAt(text, null), putPart(text, null, '{}')]).toEqual([text, '{}'])
})
