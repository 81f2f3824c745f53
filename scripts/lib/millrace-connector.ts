/** The built-in Millrace connector, generated from the contract: every endpoint that a flow can call is an action. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { MILLRACE_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Json } from '../../src/shared/contract/base/common.ts'
import { withLookups } from '../../src/main/engine/imports/lookups.ts'
import { operationName } from '../../src/shared/contract/base/operation-name.ts'
import type { Route } from '../../src/shared/contract/base/route.ts'
import { ROUTES } from '../../src/shared/contract/routes.ts'
import { exchangeSignInCodeRoute } from '../../src/shared/contract/page-sessions.ts'

export function createMillraceConnector(): object {
  const routes: readonly Route[] = ROUTES.filter(
    (route: Route) => route.access !== 'session' && route !== exchangeSignInCodeRoute,
  )
  return {
    connector: {
      id: MILLRACE_CONNECTOR_ID,
      name: 'Millrace',
      type: 'connector',
      status: 'active',
      base_domain: '{{ millrace_url }}',
      auth_config: {
        auth_types: ['bearer'],
        auth_form: [
          {
            name: 'auth_token',
            label: 'Personal access token',
            type: 'password',
            required: true,
            help: 'Created on the screen Tokens; its scopes say what flows may do with it',
          },
        ],
      },
      header: {
        token_in_header: true,
        header_key: 'Authorization',
        token_prefix: '{{ token }}',
        content_type: 'application/json',
        custom_headers: {},
      },
      url_token_extension: null,
      // Every list has the URL of its next page in the Link header.
      pagination_config: [{ endpoint: '{{ links.next }}', query: '{}', replace_body: false }],
      search_config: null,
      test_action: 'list_personal_access_tokens',
      allowed_origins: [],
      short_description: 'Flows, connectors, auths, tokens and runs of this Millrace',
      long_description: '',
      image_url: '',
      external_docs: '',
      tags: ['automation'],
    },
    // Files and streams aren't values that a step can pass on.
    actions: withLookups(routes.filter((route) => !route.upload && !route.download).map(toAction)),
  }
}

function toAction(route: Route) {
  const name = operationName(route)
  const isList = route.result instanceof z.ZodArray
  const inPath = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, parameter = '']) => parameter)
  const query = Object.keys(propertiesOf(route.query)).filter((key) => !PAGING.has(key))
  return {
    id: idOf(name),
    name,
    title: titleOf(name),
    status: 'active',
    method: route.method,
    endpoint: route.path
      .slice(1)
      .replaceAll(/:([a-z_]+)/g, "{{ input.$1 | urlencode | replace('/', '%2F') }}"),
    query: {
      ...(isList && 'per_page' in propertiesOf(route.query) ? { per_page: 100 } : {}),
      ...Object.fromEntries(query.map((key) => [key, `{{ input.${key} }}`])),
    },
    headers: {},
    body: bodyOf(route, [...inPath, ...query]),
    ui_form_schema: [
      ...inPath.map((parameter) => ({
        name: parameter,
        label: titleOf(parameter),
        type: 'text',
        required: true,
      })),
      ...query.map((key) => ({
        name: key,
        label: titleOf(key),
        type: 'text',
        required: false,
        ...helpOf(key),
      })),
      ...fieldsOf(route),
    ] as Record<string, Json>[],
    supports_automatic_pagination: isList,
    short_description: route.summary,
    tag: route.path.split('/')[2] ?? '',
    external_docs: '',
  }
}

const PAGING = new Set(['page', 'per_page', 'after'])

const helpOf = (key: string) => (key === 'filter' ? { help: 'name,like,%ft%' } : {})

/** Sends only the given fields, because an update leaves absent keys unchanged. */
function bodyOf(route: Route, others: readonly string[]): unknown {
  if (!route.body) return null
  if (others.length === 0) return '{{ input }}'
  const names = others.map((name) => `'${name}'`).join(', ')
  return `{{ dict(input.items() | rejectattr(0, 'in', [${names}])) }}`
}

interface Property {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly items?: Property
  readonly anyOf?: readonly Property[]
}

function fieldsOf({ body }: Route): object[] {
  const required = new Set(schemaOf(body).required)
  return Object.entries(propertiesOf(body)).map(([name, property]) => ({
    name,
    label: titleOf(name),
    ...controlOf(name, property),
    required: required.has(name),
  }))
}

const SECRET = new Set(['auth_token', 'password', 'refresh_token'])

function controlOf(name: string, property: Property): object {
  const { type, enum: values, maxLength = 0, items, anyOf } = property
  if (SECRET.has(name)) return { type: 'password' }
  if (values) return { type: 'select', options: values.map((value) => ({ value, label: String(value) })) }
  if (type === 'boolean') return { type: 'switch' }
  if (type === 'integer' || type === 'number') return { type: 'number' }
  if (type === 'string') return { type: maxLength > 1_000 ? 'textarea' : 'text' }
  if (type === 'array' && items?.type === 'string')
    return { type: 'select', multiple: true, allowCreate: true, options: [] }
  const kind = anyOf?.find((branch) => branch.type !== 'null')
  return kind === undefined ? { type: 'nested_object' } : controlOf(name, kind)
}

function propertiesOf(schema: z.ZodType | undefined): Readonly<Record<string, Property>> {
  const { properties = {}, anyOf = [] } = schemaOf(schema)
  return anyOf.reduce((all, branch) => ({ ...branch.properties, ...all }), properties)
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly ObjectSchema[]
}

function schemaOf(schema: z.ZodType | undefined): ObjectSchema {
  if (schema === undefined) return {}
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ObjectSchema
}

const titleOf = (name: string) => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Always the same for the same name, so that regenerating the file doesn't break references from flows. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`millrace ${name}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
