/** What the built-in connectors were compared with, and the comparison itself. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it, test } from 'vitest'
import { compare, type ConnectorFile, hashOfCalls } from '../../scripts/connectors/compare.ts'
import { readDescription } from '../../scripts/connectors/description.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILES = globSync('resources/connectors/*.json', { cwd: ROOT })
const CHECKS = readJson('resources/connector-checks.json') as Record<
  string,
  { id: string; against: string; source: string; checked_on?: string; hash?: string; test?: string }
>

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

test('each built-in connector is as it was when it was checked', () => {
  const stale = FILES.filter((path) => {
    const file = readJson(path) as ConnectorFile
    const check = CHECKS[basename(path, '.json')]
    if (check === undefined || check.id !== file.connector.id) return true
    if (check.against === '' || check.source === '') return true
    if (check.test !== undefined) return !existsSync(join(ROOT, check.test))
    return !/^\d{4}-\d\d-\d\d$/.test(check.checked_on ?? '') || check.hash !== hashOfCalls(file)
  })
  expect(stale, 'Compare them again: CONTRIBUTING.md, "A connector"').toEqual([])
  expect(Object.keys(CHECKS)).toHaveLength(FILES.length)
})

const action = (name: string, method: string, endpoint: string, more: object = {}) => ({
  name,
  method,
  endpoint,
  query: {},
  headers: {},
  body: null,
  ...more,
})

const connector = (...actions: ReturnType<typeof action>[]): ConnectorFile => ({
  connector: {
    id: 'c',
    name: 'Shop',
    base_domain: 'https://{{ auth.user_input.shop }}.example.test/v1',
    auth_config: { access_url: 'https://example.test/old/token' },
    header: { token_in_header: true, header_key: 'X-Key', custom_headers: {} },
    pagination_config: { query: '{"after": "{{ previous_request.next }}"}' },
  },
  actions,
})

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: '7' }
servers: [{ url: 'https://api.example.test/v1' }]
paths:
  /orders:
    get:
      parameters:
        - { name: limit, in: query }
        - { $ref: '#/components/parameters/created' }
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/NewOrder' }
  /orders/search:
    get: { parameters: [{ name: q, in: query, required: true }] }
  /orders/{id}:
    get: { deprecated: true }
    patch: {}
components:
  parameters:
    created: { name: created, in: query, style: deepObject }
  schemas:
    NewOrder:
      allOf:
        - { type: object, required: [buyer], properties: { buyer: { type: object, properties: { email: {} } } } }
        - { type: object, properties: { note: { type: string } } }
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://example.test/token' } } }
`

it('finds paths, methods, parameters, fields and credentials that an OpenAPI document has otherwise', () => {
  const found = compare(
    connector(
      action('list', 'GET', 'orders', { query: { limit: 1, 'created[gte]': '', page: 2 } }),
      action('list_all', 'GET', 'orders', { supports_automatic_pagination: true }),
      action('search', 'GET', 'orders/search'),
      action('read', 'GET', 'orders/{{ input.id | urlencode }}'),
      action('change', 'PUT', 'orders/{{ input.id }}'),
      action('create', 'POST', 'orders', { body: { buyer: { mail: '' }, note: '' } }),
      action('create_any', 'POST', 'orders', { body: '{{ input }}' }),
      action('refund', 'POST', 'orders/{{ input.id }}/refunds'),
    ),
    readDescription('shop.yaml', SHOP),
  )
  expect(Object.fromEntries(found)).toEqual({
    list: ['no query parameter page'],
    list_all: ['no query parameter after'],
    search: ['the query parameter q is required'],
    read: ['is deprecated'],
    change: ['no method PUT, only GET, PATCH'],
    create: ['no body field buyer.mail'],
    create_any: [],
    refund: ['no path /v1/orders/{}/refunds'],
    '': [
      'credentials are sent in header x-key, described are header x-api-key, header authorization',
      "https://example.test/old/token isn't one of the described OAuth URLs",
    ],
  })
})

it('reads a discovery document of Google', () => {
  const document = {
    discoveryVersion: 'v1',
    title: 'Sheets',
    version: 'v4',
    revision: '20260213',
    servicePath: 'v1/',
    parameters: { fields: { location: 'query' } },
    schemas: { Values: { properties: { rows: { $ref: 'Rows' } } }, Rows: { properties: { cells: {} } } },
    resources: {
      values: {
        methods: {
          append: {
            httpMethod: 'POST',
            path: 'values/{+range}:append',
            parameters: {
              range: { location: 'path', required: true },
              mode: { location: 'query', required: true },
            },
            request: { $ref: 'Values' },
          },
        },
      },
    },
  }
  const sheets = readDescription('sheets.json', JSON.stringify(document))
  const append = (more: object) => action('append', 'POST', 'values/{{ input.range }}:append', more)
  const told = (more: object) => compare(connector(append(more)), sheets).get('append')
  expect(sheets.version).toBe('v4, revision 20260213')
  expect([
    told({ query: { mode: 'RAW', fields: 'a' }, body: { rows: { cells: [] } } }),
    told({ query: { mod: 'RAW' }, body: { rows: { cels: [] } } }),
  ]).toEqual([
    [],
    ['no query parameter mod', 'the query parameter mode is required', 'no body field rows.cels'],
  ])
})

it('has another hash only when a call changes', () => {
  const before = connector(action('list', 'GET', 'orders'))
  const hash = hashOfCalls(before)
  const [list] = before.actions
  const labelled = { ...list, title: 'Orders', ui_form_schema: [{ name: 'id' }] } as typeof list
  expect([
    hashOfCalls({ ...before, actions: labelled ? [labelled] : [] }) === hash,
    hashOfCalls(connector(action('list', 'GET', 'orders', { query: { limit: 1 } }))) === hash,
  ]).toEqual([true, false])
})
