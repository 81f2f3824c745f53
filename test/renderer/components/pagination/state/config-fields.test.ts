import { expect, test } from 'vitest'
import { PRESETS } from '../../../../../src/renderer/components/pagination/config/presets.ts'
import {
  type ConfigFields,
  longPath,
  NO_FIELDS,
  othersIn,
  readFields,
  shortPath,
  writeFields,
} from '../../../../../src/renderer/components/pagination/state/config-fields.ts'

/** What Suggest, the connectors and people write. */
const EXPRESSED: readonly (readonly [string, object, Partial<ConfigFields>])[] = [
  [
    'a cursor that ends with a flag',
    {
      query: '{"limit": 100, "after": "{{ previous_request.next if previous_request.has_more else \'\' }}"}',
      response_jsonpath: '$.data',
    },
    {
      style: 'cursor',
      place: 'query',
      name: 'after',
      value: 'previous_request.next',
      records: '$.data',
      end: { kind: 'flag', path: 'previous_request.has_more', is: false, isInValue: true },
    },
  ],
  [
    'a cursor that ends with a flag for the last page, unquoted',
    { body: '{"cursor": {{ none if previous_request.done else previous_request.next }}}' },
    {
      style: 'cursor',
      place: 'body',
      end: { kind: 'flag', path: 'previous_request.done', is: true, isInValue: true },
    },
  ],
  [
    'a cursor that is left out if it is empty',
    { body: '{"cursor": {{ previous_request.next if previous_request.next else none }}}' },
    { value: 'previous_request.next', isGuarded: true, isQuoted: false, end: { kind: 'auto' } },
  ],
  [
    'a page number that ends at the number of pages',
    {
      query: '{"page": {{ page + 1 }}}',
      stop_when: 'previous_request.total_pages and page >= previous_request.total_pages | int',
    },
    {
      style: 'page_number',
      value: 'page + 1',
      end: {
        kind: 'when',
        condition: 'previous_request.total_pages and page >= previous_request.total_pages | int',
      },
    },
  ],
  [
    'an offset that ends with a flag, in a header',
    { header: '{"X-Offset": "{{ count }}"}', stop_when: 'not previous_request.has_more' },
    {
      style: 'offset',
      place: 'header',
      end: { kind: 'flag', path: 'previous_request.has_more', is: false, isInValue: false },
    },
  ],
  ['the Link header', { endpoint: '{{ links.next }}', query: '{"status": null}' }, { style: 'link_header' }],
  [
    'a link in the body',
    { endpoint: "{{ previous_request['@odata.nextLink'] }}" },
    { style: 'next_address' },
  ],
  [
    'a dictionary that is an object',
    { query: { per_page: 50, page: '{{ page + 1 }}' }, dedupe_by: '$.id' },
    { style: 'page_number', name: 'page' },
  ],
  [
    'a cursor from a header',
    { query: '{"c": "{{ previous_request_headers[\'X-Next\'] }}"}' },
    { style: 'cursor', value: "previous_request_headers['X-Next']" },
  ],
  ['a comma and a brace in a constant', { query: '{"q": "a, {b}", "page": {{ page }}}' }, { name: 'page' }],
]

test.each(EXPRESSED)('%s is shown as fields and written back as it was', (_what, config, fields) => {
  const read = readFields(config)
  expect(read).toMatchObject(fields)
  expect(writeFields(config, read as ConfigFields, read as ConfigFields)).toEqual(config)
})

test('all presets are shown as fields and written back as they were', () => {
  const written = PRESETS.map(({ config }) => {
    const read = readFields(config)
    return 'why' in read ? read.why : writeFields(config, read, read)
  })
  expect(written).toEqual(PRESETS.map(({ config }) => config))
})

test.each([
  ['a list', [{ query: '{"page": {{ page }}}' }]],
  ['nothing that moves', { query: '{}' }],
  ['two values that move', { query: '{"a": {{ page }}, "b": {{ count }}}' }],
  ['two places', { query: '{"a": {{ page }}}', header: '{"b": {{ page }}}' }],
  ['a nested value', { body: '{"paging": {"page": {{ page }}}}' }],
  ['text around the value', { query: '{"filter": "id > {{ last_record.id }}"}' }],
  ['a body as text', { raw_body: '<p>{{ page }}</p>' }],
  ['statements', { query: '{% if page %}{"a": 1}{% endif %}' }],
  ['text', 'x'],
])('%s is left to the JSON, with a reason', (_what, config) => {
  expect(readFields(config)).toEqual({ why: expect.stringMatching(/\w/) })
})

test('a change touches only what was changed, and moves the value with its name', () => {
  const config = { max_pages: 3, query: '{"limit": 10, "page": {{ page + 1 }}, "q": "x"}' }
  const read = readFields(config) as ConfigFields
  expect(othersIn({ ...config, replace_body: false })).toEqual(othersIn(config))
  expect({
    others: othersIn(config),
    renamed: writeFields(config, read, { ...read, name: 'p', records: '$.a' }),
    moved: writeFields(config, read, { ...read, place: 'header', isQuoted: true }),
    unset: writeFields(config, read, NO_FIELDS),
  }).toEqual({
    others: ['limit: 10', 'q: "x"', 'max_pages: 3'],
    renamed: {
      max_pages: 3,
      query: '{"limit": 10, "p": {{ page + 1 }}, "q": "x"}',
      response_jsonpath: '$.a',
    },
    moved: { max_pages: 3, query: '{"limit": 10, "q": "x"}', header: '{"page": "{{ page + 1 }}"}' },
    unset: null,
  })
})

test('a path in the response is typed without its beginning, unless that would mean something else', () => {
  const expressions = [
    'previous_request.paging.next',
    "previous_request['@odata.nextLink']",
    'previous_request.page.next',
    "previous_request_headers['X-Next']",
    'links.next',
    'previous_request.items[-1].id',
    'previous_request.a | upper',
  ]
  expect(expressions.map((one) => shortPath(one))).toEqual([
    'paging.next',
    "['@odata.nextLink']",
    'previous_request.page.next',
    "previous_request_headers['X-Next']",
    'links.next',
    'items[-1].id',
    'previous_request.a | upper',
  ])
  expect(expressions.map((one) => longPath(shortPath(one)))).toEqual(expressions)
  expect(longPath('$.paging.next')).toBe('previous_request.paging.next')
})
