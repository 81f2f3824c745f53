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
import { formSchema } from './base/form-schema.ts'
import { paginationConfig } from './base/pagination-config.ts'
import { reentryQuery } from './base/reentry.ts'
import { can, defineRoute } from './base/route.ts'
import { withWarnings } from './base/save-warnings.ts'

/** The built-in connector whose actions call this program's own API. */
export const MILLRACE_CONNECTOR_ID = '6b1f3f52-7d0e-4a7b-9a43-2f0b6d7c8e15'

/** The built-in connectors whose auths are for any address, and for sending email. */
export const HTTP_CONNECTOR_ID = '88298359-614f-41f2-9bac-74a8c6f181ac'
export const SMTP_CONNECTOR_ID = '5d0c2c0e-7c2a-4b51-9a53-8f6a5a1d9e31'

export const AUTH_TYPES = ['basic_auth', 'username_password', 'bearer', 'api_key', 'oauth2', 'none'] as const
export const authType = z.enum(AUTH_TYPES)

export const connectorHeader = z.strictObject({
  token_in_header: z.boolean().default(true),
  header_key: text(200).default('Authorization'),
  /** A template over `token` and `auth`. */
  token_prefix: text(2_000).default('{{ token }}'),
  content_type: text(200).default('application/json'),
  custom_headers: z.record(z.string(), text(8_000)).default({}),
})

/** Where a token goes in the query: `{ "key": "api_key", "value": "{{ token }}" }`. */
export const urlTokenExtension = z.strictObject({ key: text(200), value: text(2_000).default('{{ token }}') })

export const authConfig = z
  .looseObject({
    /** Empty allows every type. */
    auth_types: z.array(authType).optional(),
    /** Fields of the form that asks for the credentials. */
    auth_form: formSchema.optional(),
  })
  .check(wholeCharacters)

export const connector = z.object({
  id: z.string(),
  name: nonEmptyText(200),
  type: z.enum(['connector', 'helper']),
  status: z.enum(['active', 'draft', 'paused']),
  base_domain: text(2_000),
  auth_config: authConfig,
  header: connectorHeader.nullable(),
  url_token_extension: urlTokenExtension.nullable(),
  pagination_config: paginationConfig.nullable(),
  search_config: z.union([storedObject, z.array(storedObject)]).nullable(),
  /** Name of the action that "test connection" calls. */
  test_action: text(200).nullable(),
  allowed_origins: z.array(origin),
  short_description: text(500),
  long_description: text(20_000),
  image_url: text(2_000),
  external_docs: text(2_000),
  tags: labels,
  built_in: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
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
  status: 200,
  query: listQuery,
  result: z.array(connector),
})

export const readConnectorRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors/:id',
  summary: 'Read a connector',
  access: can('connectors', 'read'),
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
  status: 200,
  item: true,
  params: idParams,
  result: z.object({ content_type: z.string(), base64: z.string() }),
})

export const updateConnectorRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connectors/:id',
  summary: 'Change a connector; absent keys stay as they are',
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
  summary: 'Delete a connector with its actions; refused while an auth or a flow uses it',
  access: can('connectors', 'delete'),
  status: 204,
  params: idParams,
})

export const copyConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/:id/copy',
  summary: 'Copy a connector with its actions, so that a built-in one can be changed',
  access: can('connectors', 'create'),
  status: 201,
  params: idParams,
  body: z.strictObject({ name: nonEmptyText(200).optional() }),
  bodyOptional: true,
  result: connector,
})

const remoteSearchBody = z.strictObject({
  q: text(1_000),
  auth_id: text(200).nullable().optional(),
  /** The action whose form asks, and the field of it. */
  action: text(100).optional(),
  field: text(200).optional(),
  /** What the form holds so far. */
  input: jsonObject.optional(),
})
export type RemoteSearchBody = z.output<typeof remoteSearchBody>

export const searchChoice = z.object({ value: json, label: z.string(), record: json })
export type SearchChoice = z.output<typeof searchChoice>

export const searchConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/:id/search',
  summary: 'Ask the API for choices of a form field, as the search_config of the connector says',
  access: can('connectors', 'read'),
  status: 200,
  params: idParams,
  body: remoteSearchBody,
  result: z.array(searchChoice),
})

export const action = z.object({
  id: z.string(),
  connector_id: text(200),
  name: z.string().regex(/^[a-z][a-z0-9_]{0,99}$/, 'must be snake_case, at most 100 characters'),
  title: text(200),
  status: z.enum(['active', 'draft', 'paused']),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
  /** Appended to the connector's base; a template over `input` and `auth`, like every string below. */
  endpoint: text(4_000),
  query: jsonObject,
  headers: z.record(z.string(), text(8_000)),
  body: json.nullable(),
  ui_form_schema: formSchema,
  supports_automatic_pagination: z.boolean(),
  short_description: text(500),
  tag: text(100),
  external_docs: text(2_000),
  created_at: timestamp,
  updated_at: timestamp,
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
  status: 201,
  query: reentryQuery,
  body: actionPatch.required({ connector_id: true, name: true, method: true, endpoint: true }),
  readOnly: ACTION_READ_ONLY,
  result: action.extend(withWarnings),
})

export const listActionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-actions',
  summary: 'List actions; filter=connector_id,eq,… for those of one connector',
  access: can('connectors', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(action),
})

export const readActionRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-actions/:id',
  summary: 'Read an action',
  access: can('connectors', 'read'),
  status: 200,
  params: idParams,
  result: action,
})

export const updateActionRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connector-actions/:id',
  summary: 'Change an action; absent keys stay as they are',
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
  summary: 'Delete an action; refused while a flow uses it',
  access: can('connectors', 'delete'),
  status: 204,
  params: idParams,
})
