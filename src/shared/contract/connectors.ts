import { withValue } from './base/message.ts'
import { doc } from './base/doc.ts'
import { ACTION_METHODS } from './base/http-methods.ts'
import { z } from 'zod'
import {
  idParams,
  json,
  jsonObject,
  labels,
  listQuery,
  nonEmptyText,
  origin,
  storedObject,
  text,
  timestamp,
  wholeCharacters,
} from './base/common.ts'
import { formSchema, lookup } from './base/form-schema.ts'
import { paginationConfig } from './base/pagination-config.ts'
import { reentryQuery } from './base/reentry.ts'
import { can, defineRoute } from './base/route.ts'
import { withWarnings } from './base/save-warnings.ts'

/** The built-in connector whose actions call Millrace's own API. */
export const MILLRACE_CONNECTOR_ID = '6b1f3f52-7d0e-4a7b-9a43-2f0b6d7c8e15'

/** The built-in connectors for calls to any URL, and for sending email. */
export const HTTP_CONNECTOR_ID = '88298359-614f-41f2-9bac-74a8c6f181ac'
export const SMTP_CONNECTOR_ID = '5d0c2c0e-7c2a-4b51-9a53-8f6a5a1d9e31'

/** The built-in connector for mailboxes. */
export const IMAP_CONNECTOR_ID = '0b8f4c1e-5d27-4e93-a6b0-3c9d1f72e845'

/** The built-in connector for SQL servers. */
export const SQL_CONNECTOR_ID = 'a1c7f2d4-3b6e-4c58-8d0f-52e9b7c4d613'

const SERVER_SCHEMES: Readonly<Record<string, ServerKind | undefined>> = {
  postgres: 'database',
  postgresql: 'database',
  mysql: 'database',
  mariadb: 'database',
  smtp: 'smtp',
  smtps: 'smtp',
  imap: 'imap',
  imaps: 'imap',
  sftp: 'sftp',
}
/** The connectors by the kind that a step's auth field names. */
export const CONNECTOR_ID_OF = {
  smtp: SMTP_CONNECTOR_ID,
  imap: IMAP_CONNECTOR_ID,
  sql: SQL_CONNECTOR_ID,
} as const

const SERVER_CONNECTORS: Readonly<Record<string, ServerKind | undefined>> = {
  [SQL_CONNECTOR_ID]: 'database',
  [SMTP_CONNECTOR_ID]: 'smtp',
  [IMAP_CONNECTOR_ID]: 'imap',
}

export type ServerKind = 'database' | 'smtp' | 'imap' | 'sftp'

/** Whether a connector's calls need credentials. */
export function needsAuth({ auth_config: { auth_types: types } }: Connector): boolean {
  return types !== undefined && types.length > 0 && !types.includes('none')
}

/**
 * The kind of server that credentials are for, unless it is an HTTP server. It depends on the scheme of the URL, or
 * on the connector if there is none.
 */
export function serverKindOf(connectorId: string, address: string): ServerKind | null {
  const scheme = /^\s*([a-z]+):/i.exec(address)?.[1]?.toLowerCase()
  return (scheme === undefined ? SERVER_CONNECTORS[connectorId] : SERVER_SCHEMES[scheme]) ?? null
}

export const AUTH_TYPES = [
  'basic_auth',
  'username_password',
  'bearer',
  'api_key',
  'oauth2',
  'digest',
  'oauth1',
  'aws_sigv4',
  'hmac',
  'client_certificate',
  'none',
] as const
export const authType = z.enum(AUTH_TYPES)

/** Ways to get an access token, the values of a connector's `auth_config.grant_type`. */
export const OAUTH_GRANTS = [
  'authorization_code',
  'device_code',
  'client_credentials',
  'jwt_bearer',
  'token_exchange',
] as const
export type OAuthGrant = (typeof OAUTH_GRANTS)[number]

export function grantOf({ auth_config: config }: Pick<Connector, 'auth_config'>): OAuthGrant {
  return OAUTH_GRANTS.find((grant) => grant === config['grant_type']) ?? 'authorization_code'
}

/** Whether a user signs in. If not, tokens are fetched with the stored credentials. */
export function hasUser(connector: Pick<Connector, 'auth_config'>): boolean {
  const grant = grantOf(connector)
  return grant === 'authorization_code' || grant === 'device_code'
}

export const connectorHeader = z.strictObject({
  token_in_header: z
    .boolean()
    .default(true)
    .describe('True sends the token in the request header named by `header_key`.'),
  header_key: text(200)
    .default('Authorization')
    .describe('Name of the request header that carries the token.'),
  token_prefix: text(2_000)
    .default('{{ token }}')
    .describe('Value of that header, a template over `token` and `auth`: `Token {{ token }}`.'),
  content_type: text(200)
    .default('application/json')
    .describe("Content-Type of requests with a body, if the action doesn't set its own.")
    .meta({ examples: ['application/json'] }),
  custom_headers: z
    .record(z.string(), text(8_000))
    .default({})
    .describe('Headers sent with every request, by name. The values are templates over `auth`.'),
})

/** The query parameter that carries the token: `{ "key": "api_key", "value": "{{ token }}" }`. */
export const urlTokenExtension = z.strictObject({
  key: text(200)
    .describe('Name of the query parameter that carries the token, such as `api_key`.')
    .meta({ examples: ['api_key'] }),
  value: text(2_000)
    .default('{{ token }}')
    .describe('Value of the parameter, a template over `token` and `auth`.'),
})

export const authConfig = z
  .looseObject({
    auth_types: z
      .array(authType)
      .optional()
      .describe('Auth types that credentials of this connector can have. If empty or absent, all of them.'),
    auth_form: formSchema
      .optional()
      .describe(
        'Form fields to ask for when credentials are created. Their values become `auth.user_input`.',
      ),
  })
  .check(wholeCharacters)

const searchConfig = z.union([storedObject, z.array(storedObject)])

export const connector = z.object({
  id: z
    .string()
    .describe('ID of the connector, which actions, credentials and steps name as `connector_id`.'),
  name: nonEmptyText(200).describe(
    'Name shown in lists. Its lower-case form is part of the OAuth callback URL.',
  ),
  type: z
    .enum(['connector', 'helper'])
    .describe("`connector` calls an API; `helper` offers actions that don't belong to one service."),
  status: z
    .enum(['active', 'draft', 'paused'])
    .describe('`active`, `draft` or `paused`. Shown in lists; steps can call the connector in every status.'),
  base_domain: text(2_000).describe(
    "Base URL of the API, put before each action's `endpoint`. A template over `auth`.",
  ),
  auth_config: authConfig
    .describe('Which credentials the connector accepts, the fields to ask for, and the OAuth settings.')
    .meta({ examples: [{ auth_types: ['bearer'] }] }),
  header: connectorHeader
    .nullable()
    .describe(
      'Where the token goes in request headers, and which other headers to send. Null means the default of the auth type.',
    ),
  url_token_extension: urlTokenExtension
    .nullable()
    .meta(doc("Query parameter that carries the token. If null, the token isn't sent in the URL.", null)),
  pagination_config: paginationConfig
    .nullable()
    .describe(
      "How lists are paginated: one configuration, or a list of which the first match is used. If null, lists aren't paginated.",
    )
    .meta({ examples: [{ query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' }] }),
  search_config: searchConfig
    .nullable()
    .describe(
      'How to search the API for choices of a form field: a pagination configuration with `type` and `response_fields`, or a list of them. Null means no search.',
    )
    .meta({ examples: [null] }),
  test_action: text(200)
    .nullable()
    .meta(doc('Name of the action that **Test credentials** calls. Null means none.', 'list_orders')),
  allowed_origins: z
    .array(origin)
    .describe(
      'Further origins, such as `https://files.example.com`, that pagination and credentials can go to.',
    ),
  rate_limit: z
    .strictObject({
      calls: z.int().min(1).max(10_000).describe('Calls in each period, 1 to 10000.'),
      period_seconds: z.int().min(1).max(86_400).describe('Length of the period, in seconds, up to a day.'),
    })
    .nullable()
    .describe(
      'How often the API can be called with the same credentials; all runs together keep to it. Null means as often as its responses say.',
    )
    .meta({ examples: [{ calls: 100, period_seconds: 60 }] }),
  short_description: text(500)
    .describe('One line about the connector, shown in lists.')
    .meta({ examples: ['Orders and customers of the shop'] }),
  long_description: text(20_000)
    .describe("Longer description for the connector's page.")
    .meta({ examples: ['Reads and writes orders, customers and invoices.'] }),
  image_url: text(2_000)
    .describe('URL of the logo. It is downloaded once when the connector is saved.')
    .meta({ examples: ['https://example.com/logo.png'] }),
  external_docs: text(2_000).meta(doc("URL of the API's own documentation.", 'https://example.com/docs')),
  tags: labels.meta(doc('Labels to group and filter connectors by.', ['shop'])),
  built_in: z
    .boolean()
    .describe(
      'True if the connector comes with Millrace or a plug-in. It is read-only; copy it to change it.',
    )
    .meta({ examples: [false] }),
  created_at: timestamp.describe('When the connector was created, in UTC.'),
  updated_at: timestamp.describe('When the connector was last changed, in UTC.'),
})
export type Connector = z.output<typeof connector>

const CONNECTOR_READ_ONLY = ['id', 'built_in', 'created_at', 'updated_at', 'warnings'] as const
const connectorFields = connector.omit({ id: true, built_in: true, created_at: true, updated_at: true })
export const connectorPatch = z.strictObject(connectorFields.partial().shape)
export type ConnectorPatch = z.output<typeof connectorPatch>

export const createConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors',
  summary: 'Create a connector',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 201,
  body: connectorPatch.required({ name: true }),
  readOnly: CONNECTOR_READ_ONLY,
  result: connector.extend(withWarnings),
})

export const listConnectorsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors',
  summary: 'List connectors; filter=name,like,%25ft%25 finds one by name',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  query: listQuery,
  result: z.array(connector),
})

export const readConnectorRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors/:id',
  summary: 'Read a connector',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  params: idParams,
  result: connector,
})

export const readConnectorImageRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors/:id/image',
  name: 'image_of_connector',
  summary: 'Read the image that was fetched from image_url when the connector was saved',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  item: true,
  params: idParams,
  result: z.object({
    content_type: z.string().meta(doc('MIME type of the image.', 'image/png')),
    base64: z.string().meta(doc("The image's bytes in base64.", 'iVBORw0KGgo=')),
  }),
})

export const updateConnectorRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connectors/:id',
  summary: 'Change a connector; absent keys keep their value',
  access: can('connectors', 'update'),
  status: 200,
  query: reentryQuery,
  params: idParams,
  body: connectorPatch,
  readOnly: CONNECTOR_READ_ONLY,
  result: connector.extend(withWarnings),
})

export const deleteConnectorRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/connectors/:id',
  summary: 'Delete a connector with its actions; rejected while an auth or a flow uses it',
  access: can('connectors', 'delete'),
  status: 204,
  params: idParams,
})

export const copyConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/:id/copy',
  summary: 'Copy a connector with its actions, for example to change a built-in one',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 201,
  params: idParams,
  body: z.strictObject({
    name: nonEmptyText(200)
      .optional()
      .describe("Name of the copy. Defaults to the original's name, marked as a copy."),
  }),
  bodyOptional: true,
  result: connector,
})

const remoteSearchBody = z.strictObject({
  q: text(1_000).describe('The text to search for.'),
  auth_id: text(200)
    .nullable()
    .optional()
    .describe(
      'ID of the connector auth whose credentials are used. If null or absent, the call is sent without credentials.',
    ),
  action: text(100).optional().describe('Name of the action whose form contains the field.'),
  field: text(200).optional().describe('Name of the form field to find choices for.'),
  input: jsonObject.optional().describe('Values entered in the form so far. Templates read them as `input`.'),
  after: z
    .int()
    .min(0)
    .optional()
    .describe(
      'How many choices to leave out, because they are known already. Fewer than `limit` are the last ones.',
    ),
  limit: z.int().min(1).max(200).optional().describe('Return at most this many choices. Defaults to 200.'),
  values: z
    .array(z.union([text(1_000), z.number()]))
    .max(50)
    .optional()
    .describe(
      "Stored values to look up instead of searching. Those that don't exist are left out; one that can't be checked has the record null.",
    ),
  lookup: lookup
    .optional()
    .describe(
      "A look-up that isn't saved, instead of the field's. Needs a scope that can create connectors.",
    ),
  search_config: searchConfig
    .optional()
    .describe(
      "A search configuration that isn't saved, instead of the connector's. Needs a scope that can create connectors.",
    ),
})
export type RemoteSearchBody = z.output<typeof remoteSearchBody>

export const searchChoice = z.object({
  value: json.meta(doc('The value to store if this choice is picked.', '4711')),
  label: z.string().meta(doc('The text to show for the choice.', 'Ann Example')),
  record: json.meta(doc('The whole record as the API returned it.', { id: '4711', name: 'Ann Example' })),
})
export type SearchChoice = z.output<typeof searchChoice>

export const searchConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/:id/search',
  summary: "Search the API for choices of a form field, as its look-up or the connector's search_config says",
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  params: idParams,
  body: remoteSearchBody,
  result: z.array(searchChoice),
})

export const action = z.object({
  id: z.string().describe('ID of the action.'),
  connector_id: text(200).describe('ID of the connector that the action belongs to.'),
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,99}$/, withValue('must be snake_case, at most 100 characters'))
    .describe('Name that steps use for the action: snake_case, unique within its connector.')
    .meta({ examples: ['list_orders'] }),
  title: text(200).meta(doc('Readable name shown in menus.', 'List orders')),
  status: z
    .enum(['active', 'draft', 'paused'])
    .describe('`active`, `draft` or `paused`. Shown in lists; steps can call the action in every status.'),
  method: z.enum(ACTION_METHODS).describe('HTTP method of the call.'),
  endpoint: text(4_000).describe(
    "Path appended to the connector's base URL. A template over `input` and `auth`, like every string in `query`, `headers` and `body`.",
  ),
  query: jsonObject.meta(doc('Query parameters by name.', { since: '{{ input.since }}' })),
  headers: z
    .record(z.string(), text(8_000))
    .describe("Request headers by name, sent in addition to the connector's."),
  body: json.nullable().meta(doc('Request body; its strings are templates. Null means no body.', null)),
  ui_form_schema: formSchema.describe(
    'Fields of the form that a step with this action shows. Their values are `input` in templates.',
  ),
  supports_automatic_pagination: z
    .boolean()
    .describe(
      "True if the action returns a list that the connector's pagination configuration can read page by page.",
    ),
  short_description: text(500)
    .describe('One line about what the action does.')
    .meta({ examples: ['Lists the orders of the shop'] }),
  tag: text(100).meta(doc('Heading under which the action is grouped in menus.', 'Orders')),
  external_docs: text(2_000)
    .describe("URL of the API's documentation for this call.")
    .meta({ examples: ['https://example.com/docs/orders'] }),
  created_at: timestamp.describe('When the action was created, in UTC.'),
  updated_at: timestamp.describe('When the action was last changed, in UTC.'),
})
export type Action = z.output<typeof action>

const ACTION_READ_ONLY = ['id', 'created_at', 'updated_at', 'warnings'] as const
const actionFields = action.omit({ id: true, created_at: true, updated_at: true })
export const actionPatch = z.strictObject(actionFields.partial().shape)
export type ActionPatch = z.output<typeof actionPatch>

export const createActionRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-actions',
  summary: 'Create an action of a connector',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 201,
  query: reentryQuery,
  body: actionPatch.required({ connector_id: true, name: true, method: true, endpoint: true }),
  readOnly: ACTION_READ_ONLY,
  result: action.extend(withWarnings),
})

export const listActionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-actions',
  summary: 'List actions; filter=connector_id,eq,… lists those of one connector',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  query: listQuery,
  result: z.array(action),
})

export const readActionRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-actions/:id',
  summary: 'Read an action',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  params: idParams,
  result: action,
})

export const updateActionRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connector-actions/:id',
  summary: 'Change an action; absent keys keep their value',
  access: can('connectors', 'update'),
  status: 200,
  query: reentryQuery,
  params: idParams,
  body: actionPatch,
  readOnly: ACTION_READ_ONLY,
  result: action.extend(withWarnings),
})

export const deleteActionRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/connector-actions/:id',
  summary: 'Delete an action; rejected while a flow uses it',
  access: can('connectors', 'delete'),
  status: 204,
  params: idParams,
})

export const connectorRoutes = {
  createConnectorRoute,
  listConnectorsRoute,
  readConnectorImageRoute,
  readConnectorRoute,
  updateConnectorRoute,
  deleteConnectorRoute,
  copyConnectorRoute,
  searchConnectorRoute,
}

export const actionRoutes = {
  createActionRoute,
  listActionsRoute,
  readActionRoute,
  updateActionRoute,
  deleteActionRoute,
}
