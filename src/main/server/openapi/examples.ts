/** Examples for every body and response, generated from the schemas, with realistic values. */
import type { createDocument } from 'zod-openapi'
import { schemaName, type JsonSchema, type NamedSchemas } from '../../../shared/contract/base/json-schema.ts'

type Document = ReturnType<typeof createDocument>

interface Media {
  schema?: JsonSchema
  example?: unknown
}

interface Operation {
  readonly operationId?: string
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses?: Record<string, { readonly content?: Record<string, Media> }>
}

export function addExamples(document: Document): Document {
  const schemas = (document.components?.schemas ?? {}) as NamedSchemas
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const ready = BODIES[operation.operationId ?? '']
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      if (media.example === undefined && isJson(media))
        media.example = ready ?? exampleOf(media.schema, schemas)
    }
    for (const response of Object.values(operation.responses ?? {})) {
      for (const media of Object.values(response.content ?? {})) {
        if (media.example === undefined && isJson(media)) media.example = exampleOf(media.schema, schemas)
      }
    }
  }
  return document
}

const isJson = ({ schema }: Media) =>
  schema !== undefined && !('contentMediaType' in schema) && Object.keys(schema).length > 0

const MAX_DEPTH = 6

function exampleOf(schema: JsonSchema | undefined, schemas: NamedSchemas, name = '', depth = 0): unknown {
  if (schema === undefined || depth > MAX_DEPTH) return null
  if (schema.$ref) {
    return exampleOf(schemas[schemaName(schema.$ref)], schemas, name, depth + 1)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.examples?.length) return schema.examples[0]
  if (Object.hasOwn(VALUES, name) && suits(schema, VALUES[name])) return VALUES[name]
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const branch = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0]
  if (branch) return exampleOf(branch, schemas, name, depth + 1)
  const type = Array.isArray(schema.type) ? (schema.type as readonly string[])[0] : schema.type
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => schema.required?.includes(key))
          .map(([key, property]) => [key, exampleOf(property, schemas, key, depth + 1)]),
      )
    case 'array':
      return schema.items?.$ref || schema.items?.properties
        ? [exampleOf(schema.items, schemas, name, depth + 1)]
        : []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1))
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return type === 'string' ? textFor(schema) : {}
  }
}

/** An example value is used for a field with its name if it fits the field's type. */
function suits(schema: JsonSchema, value: unknown): boolean {
  const kinds = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])
  const kind = Array.isArray(value) ? 'array' : typeof value
  if (typeof value === 'string' && !matches(schema, value)) return false
  return kinds.includes(kind) || (kind === 'number' && kinds.includes('integer'))
}

function textFor(schema: JsonSchema): string {
  return ['', ID, 'orders', 'orders@example.com', '1', AT].find((text) => matches(schema, text)) ?? ''
}

const matches = ({ pattern, minLength = 0 }: JsonSchema, text: string) =>
  // linear: the patterns and strings are the contract's own
  text.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(text))

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const AT = '2026-03-01T12:00:00.000Z'

const VALUES: Readonly<Record<string, unknown>> = {
  id: ID,
  connector_id: ID,
  flow_id: ID,
  flow_run_id: ID,
  auth_id: ID,
  created_at: AT,
  updated_at: AT,
  started_at: AT,
  finished_at: AT,
  at: AT,
  last_at: AT,
  expiration: AT,
  last_used: AT,
  token: 'mr_pat_…',
  last_four: 'x7Qe',
  scopes: ['automation', 'connectors:view'],
  note: 'The nightly export',
  name: 'Orders',
  title: 'Orders',
  email: 'ann@example.com',
  filename: 'orders.csv',
  content_type: 'text/csv',
  size: 1234,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  base_domain: 'https://api.example.com',
  endpoint: '/orders',
  url: 'https://api.example.com/orders',
  version: 1,
  duration_ms: 12.5,
  ref_id: 'orders',
  template: '{{ order.id }}',
  message: 'The API answered 200',
}

/** Bodies with constraints that their schema can't express. */
const BODIES: Readonly<Record<string, unknown>> = {
  create_personal_access_token: {
    expiration: 90,
    scopes: ['automation', 'connectors:view'],
    note: 'The nightly export',
  },
  regenerate_personal_access_token: { expiration: 90 },
  create_connector: {
    name: 'Shop',
    base_domain: 'https://api.example.com',
    auth_config: { auth_types: ['bearer', 'username_password'] },
  },
  update_connector: { short_description: 'Orders and customers of the shop' },
  copy_connector: { name: 'My GitHub' },
  plan_connector_import: { source: "curl https://api.example.com/orders -H 'Authorization: Bearer secret'" },
  import_connector: {
    format: 'millrace-connector',
    version: 1,
    connector: { name: 'Shop', base_domain: 'https://api.example.com' },
    actions: [{ name: 'list_orders', method: 'GET', endpoint: '/orders' }],
  },
  search_connector: { q: 'ann' },
  create_connector_action: {
    connector_id: ID,
    name: 'list_orders',
    title: 'List orders',
    method: 'GET',
    endpoint: '/orders',
    query: { since: '{{ input.since }}' },
    supports_automatic_pagination: true,
  },
  update_connector_action: { title: 'List all orders' },
  create_connector_auth: {
    connector_id: ID,
    name: 'Shop of ACME',
    auth_type: 'username_password',
    username: 'acme',
    password: 'a secret',
    tags: ['acme'],
  },
  update_connector_auth: { name: 'Shop of ACME, new', password: 'another secret' },
  create_env_variable: { name: 'region', type: 'text', value: 'eu', secret: false },
  update_env_variable: { value: 'us' },
  update_file_upload: { filename: 'orders-2026.csv' },
  create_user: { name: 'Ann', email: 'ann@example.com' },
  update_user: { name: 'Ann Example' },
  create_team: { name: 'Sales', user_ids: [ID] },
  update_team: { user_ids: [ID] },
  create_flow: {
    name: 'Answer orders',
    steps: [
      { ref_id: 'order', type: 'webhook', config: { response_body: '{"received": {{ order.id }} }' } },
      { ref_id: 'total', type: 'set', config: { values: { total: '{{ order.amount * order.price }}' } } },
    ],
  },
  update_flow: { status: 'active' },
  run_flow: { input: { id: 4711, amount: 2, price: 9.9 } },
  run_flow_step: { results: { order: { amount: 2, price: 9.9 } } },
  update_flow_working_copy: { steps: [] },
  render_template: { template: 'Hello {{ name | upper }}', context: { name: 'Ann' } },
  preview_template: { template: '{{ order.id }}', context: { order: { id: 4711 } } },
  update_settings: { concurrent_runs: 20 },
  test_pagination: {
    request: { base_url: 'https://api.example.com', endpoint: '/orders' },
    pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' },
    max_pages: 3,
  },
}
