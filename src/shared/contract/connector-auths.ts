import { z } from 'zod'
import {
  idParams,
  jsonObject,
  labels,
  listQuery,
  nonEmptyText,
  storedObject,
  text,
  timestamp,
  uuid,
} from './base/common.ts'
import { authType } from './connectors.ts'
import { exchange } from './flow-runs.ts'
import { can, defineRoute } from './base/route.ts'

export const AUTH_VISIBILITIES = ['account', 'selected', 'private'] as const
export const AUTH_STATES = ['ok', 'needs_reentry', 'needs_authorization', 'expired'] as const

export const authAccess = z.strictObject({
  visibility: z.enum(AUTH_VISIBILITIES),
  user_ids: z.array(text(200)).max(1_000).default([]),
})

/** What is shown of an auth: never a secret, only which secrets are set. */
export const connectorAuth = z.object({
  id: z.string(),
  connector_id: z.string(),
  name: z.string(),
  auth_type: authType,
  auth_details: z.string(),
  api_endpoint: z.string(),
  user_input: jsonObject,
  username: z.string(),
  tags: z.array(z.string()),
  access: authAccess,
  /** `{ auth_token: true, 'user_input.client_secret': true }` */
  secrets: z.record(z.string(), z.boolean()),
  state: z.enum(AUTH_STATES),
  /**
   * Where its connector, an env variable or the auth itself leads to by now, and its secrets have not been: they go
   * nowhere until they are entered again. Absent: there is no such origin.
   */
  new_origins: z.array(z.string()).optional(),
  /** Of the access token that `oauth2` has now; null where nobody said. It is renewed by itself where that is possible. */
  token_expires_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})
export type ConnectorAuth = z.output<typeof connectorAuth>

const AUTH_READ_ONLY = [
  'id',
  'secrets',
  'state',
  'new_origins',
  'token_expires_at',
  'created_at',
  'updated_at',
] as const
const authFields = z.strictObject({
  connector_id: uuid,
  name: nonEmptyText(200),
  auth_type: authType,
  auth_token: text(100_000),
  auth_details: text(20_000),
  api_endpoint: text(4_000),
  user_input: storedObject,
  username: text(1_000),
  password: text(100_000),
  refresh_token: text(100_000),
  tags: labels,
  access: authAccess,
})
const authPatch = authFields.partial()
export type ConnectorAuthPatch = z.output<typeof authPatch>

export const createConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths',
  summary: 'Store credentials for a connector',
  access: can('connector_auths', 'create'),
  status: 201,
  body: authPatch.required({ connector_id: true, name: true, auth_type: true }),
  readOnly: AUTH_READ_ONLY,
  result: connectorAuth,
})

export const listConnectorAuthsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths',
  summary: 'List the connector auths the caller may see',
  access: can('connector_auths', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(connectorAuth),
})

/** Beside the record, which stays the same while it is only used. */
export const connectorAuthUse = z.object({
  auth_id: z.string(),
  /** When its secrets were last taken for a call, a test included; noted at most once a minute. */
  last_used: timestamp.nullable(),
  last_tested: timestamp.nullable(),
  /** Whether that test worked. */
  last_test_ok: z.boolean().nullable(),
  /** Whose steps name it, of those that the caller may read. */
  flows: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type ConnectorAuthUse = z.output<typeof connectorAuthUse>

export const listConnectorAuthUsesRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/uses',
  name: 'list_connector_auth_uses',
  summary: 'When each connector auth was last used and tested, and the flows whose steps name it',
  access: can('connector_auths', 'read'),
  status: 200,
  result: z.array(connectorAuthUse),
})

export const readConnectorAuthRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/:id',
  summary: 'Read a connector auth; secrets are never part of it',
  access: can('connector_auths', 'read'),
  status: 200,
  params: idParams,
  result: connectorAuth,
})

export const updateConnectorAuthRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connector-auths/:id',
  summary: 'Change a connector auth; absent keys stay as they are',
  access: can('connector_auths', 'update'),
  status: 200,
  params: idParams,
  body: authPatch,
  readOnly: AUTH_READ_ONLY,
  result: connectorAuth,
})

export const deleteConnectorAuthRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/connector-auths/:id',
  summary: 'Delete a connector auth; refused while a flow uses it unless force=true',
  access: can('connector_auths', 'delete'),
  status: 204,
  params: idParams,
  query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
})

/** With the connector's name in lower case behind it: where a browser comes back to after a sign-in. */
export const OAUTH_CALLBACK_PATH = '/v1/oauth2/callback'

export const authorizeConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths/:id/authorize',
  summary:
    'Begin the sign-in of an OAuth auth: the browser is to open the address that is answered, within 10 minutes',
  access: can('connector_auths', 'update'),
  status: 200,
  params: idParams,
  body: z.strictObject({}),
  bodyOptional: true,
  /** Null where nobody has to sign in (client credentials): the auth has its token now. */
  result: z.object({ url: z.string().nullable() }),
})

export const listConnectorAuthFlowsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/:id/flows',
  summary: 'List the flows whose steps name a connector auth',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(z.object({ id: z.string(), name: z.string() })),
})

export const connectorAuthTest = z.object({
  ok: z.boolean(),
  /** The HTTP status; null where no answer came. */
  status: z.number().int().nullable(),
  /** A sentence: what was reached, or what is wrong. */
  message: z.string(),
  duration_ms: z.number(),
  /** Every call that was made, secrets as `***`. */
  http: z.array(exchange),
})
export type ConnectorAuthTest = z.output<typeof connectorAuthTest>

export const testConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths/:id/test',
  summary: "Call the connector's test action, another one, or a URL with these credentials, once",
  access: can('connector_auths', 'update'),
  status: 200,
  params: idParams,
  body: z
    .strictObject({
      action: text(100).optional().describe("The name of an action; absent: the connector's test action"),
      url: text(4_000)
        .optional()
        .describe("In place of an action: GET this URL, or this path of the connector's base URL"),
    })
    .refine(({ action, url }) => action === undefined || url === undefined, {
      error: 'is given beside url; send one of them',
      path: ['action'],
    }),
  bodyOptional: true,
  result: connectorAuthTest,
})
