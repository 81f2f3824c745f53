import { doc } from './base/doc.ts'
import { z } from 'zod'
import {
  idParams,
  jsonObject,
  labels,
  listQuery,
  nonEmptyText,
  origin,
  storedObject,
  text,
  timestamp,
} from './base/common.ts'
import { authType } from './connectors.ts'
import { exchange } from './flow-runs.ts'
import { can, defineRoute, defineStream } from './base/route.ts'

export const AUTH_VISIBILITIES = ['account', 'selected', 'private'] as const
export const AUTH_STATES = ['ok', 'needs_reentry', 'needs_authorization', 'expired'] as const

export const authAccess = z.strictObject({
  visibility: z
    .enum(AUTH_VISIBILITIES)
    .describe(
      'Who can use these credentials: `account` everybody, `selected` the users in `user_ids` and the owner, `private` only the owner.',
    ),
  user_ids: z
    .array(text(200))
    .max(1_000)
    .default([])
    .describe('IDs of the users who can use the credentials if `visibility` is `selected`.')
    .meta({ examples: [['7c9e6679-7425-40de-944b-e07fc1f90ae7']] }),
})

/** The visible part of an auth. It never contains a secret, only which secrets are set. */
export const connectorAuth = z.object({
  id: z.string().describe('ID of the connector auth, which steps name as `auth_id`.'),
  connector_id: z
    .string()
    .describe("ID of the connector that these credentials belong to. It can't be changed later."),
  name: z.string().meta(doc("Label shown in lists and menus, such as the account's name.", 'Shop of ACME')),
  auth_type: authType
    .describe(
      "How the credentials are sent. The connector's `auth_config.auth_types` says which types it accepts.",
    )
    .meta({ examples: ['bearer'] }),
  auth_details: z
    .string()
    .meta(doc('Notes about the account. Not sent anywhere.', 'Owned by the sales team')),
  api_endpoint: z
    .string()
    .describe(
      "Base URL of this account; replaces the connector's `base_domain`. If empty, the connector's is used. A password in the URL reads `***`.",
    )
    .meta({ examples: ['https://api.example.com'] }),
  user_input: jsonObject.describe(
    'Values of the fields that the connector asks for in `auth_config.auth_form`. Templates read them as `auth.user_input`. Secret ones are left out.',
  ),
  username: z.string().meta(doc('User name for `username_password`, SFTP, SMTP and SQL databases.', 'acme')),
  tags: z.array(z.string()).meta(doc('Labels to group and filter credentials by.', ['acme'])),
  access: authAccess.describe('Who can see and use the credentials.'),
  secrets: z
    .record(z.string(), z.boolean())
    .describe(
      'Which secrets are stored, by field: `{"auth_token": true, "user_input.client_secret": true}`. The values are never returned.',
    )
    .meta({ examples: [{ auth_token: true }] }),
  references: z
    .record(z.string(), z.string())
    .optional()
    .meta(
      doc('Where secrets are that are kept in a vault, by field. Absent if there are none.', {
        auth_token: 'op://Work/Shop/credential',
      }),
    ),
  state: z
    .enum(AUTH_STATES)
    .describe(
      "`ok`; `needs_reentry`: enter the secrets again; `needs_authorization`: sign in; `expired`: the access ended and can't be renewed.",
    ),
  new_origins: z
    .array(z.string())
    .optional()
    .describe(
      "Origins that the credentials would now be sent to but haven't been confirmed for. Absent if there are none.",
    ),
  token_expires_at: timestamp
    .nullable()
    .describe(
      'When the current OAuth access token expires, which Millrace renews by itself if it can; or a client certificate, or an entered token that is a JWT. Null if unknown.',
    )
    .meta({ examples: [null] }),
  created_at: timestamp.describe('When the credentials were stored, in UTC.'),
  updated_at: timestamp.describe('When the credentials were last changed, in UTC.'),
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
  connector_id: text(200).describe(
    "ID of the connector that these credentials are for. It can't be changed later.",
  ),
  name: nonEmptyText(200).describe("Label shown in lists and menus, such as the account's name."),
  auth_type: authType.describe(
    'How the credentials are sent: as a header or parameter, by signing in, or by a signature of each request.',
  ),
  auth_token: text(100_000).describe(
    'The token or API key for `bearer`, `basic_auth` (prefix included) and `api_key`; the token of `oauth1`, and one that accompanies a `client_certificate`. Encrypted, never returned.',
  ),
  auth_details: text(20_000).describe('Notes about the account. Not sent anywhere.'),
  api_endpoint: text(4_000).describe(
    "Base URL of this account; replaces the connector's `base_domain`. If empty, the connector's is used.",
  ),
  user_input: storedObject.describe(
    'Values of the fields that the connector asks for in `auth_config.auth_form`. `***` keeps a stored secret.',
  ),
  username: text(1_000).describe(
    'User name for `username_password`, `digest`, SFTP, SMTP and SQL databases; the consumer key of `oauth1`, the access key ID of `aws_sigv4`.',
  ),
  password: text(100_000).describe(
    'Password for `username_password`, `digest`, SFTP, SMTP and SQL databases; the consumer secret of `oauth1`, the secret access key of `aws_sigv4`, the secret of `hmac`. Encrypted, never returned.',
  ),
  refresh_token: text(100_000).describe(
    'OAuth refresh token, if you already have one. Encrypted, never returned.',
  ),
  references: z
    .record(text(300), text(1_000).nullable())
    .refine((references) => Object.keys(references).length <= 50, 'must have at most 50 fields')
    .describe(
      'Where secrets are that are read from a vault when they are used, by field: `{"auth_token": "op://Work/Shop/credential"}`. Null removes one. Only the app and the command line of this computer can change them, never a token.',
    )
    .meta({ examples: [{ auth_token: 'op://Work/Shop/credential' }] }),
  tags: labels.describe('Labels to group and filter credentials by.'),
  access: authAccess.describe('Who can see and use the credentials. Default: everybody.'),
})
const authPatch = authFields.partial()
export type ConnectorAuthPatch = z.output<typeof authPatch>
/** The fields of an auth that contain only a secret. */
export type AuthSecret = 'auth_token' | 'password' | 'refresh_token'

/**
 * Types whose secrets are only sent or used for signing. Millrace neither renews them nor keeps connections
 * open with them.
 */
export const VAULT_TYPES: ReadonlySet<ConnectorAuth['auth_type']> = new Set([
  'bearer',
  'basic_auth',
  'api_key',
  'username_password',
  'digest',
  'oauth1',
  'aws_sigv4',
  'hmac',
])

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
  summary: 'List the connector auths that you can see',
  access: can('connector_auths', 'read'),
  chosen: 'own',
  status: 200,
  query: listQuery,
  result: z.array(connectorAuth),
})

/** Separate from the record, so that using an auth doesn't change it. */
export const connectorAuthUse = z.object({
  auth_id: z.string().describe('ID of the connector auth.'),
  last_used: timestamp
    .nullable()
    .describe(
      'When the credentials were last used for a call, tests included. Accurate to a minute. Null if never.',
    ),
  last_tested: timestamp
    .nullable()
    .meta(doc('When the credentials were last tested. Null if never.', '2026-03-01T12:00:00.000Z')),
  last_test_ok: z.boolean().nullable().describe('Whether that test succeeded. Null if there was none.'),
  last_result: timestamp
    .nullable()
    .meta(
      doc(
        'When an API last accepted or rejected the credentials, in any call: of a flow, a test or the page. Null if never, or not since they were changed.',
        '2026-03-01T12:00:00.000Z',
      ),
    ),
  last_result_ok: z
    .boolean()
    .nullable()
    .describe(
      'True if they were accepted, false if they were rejected: status 401, or 403 with words about the credentials. Other failures say nothing about them.',
    ),
  days: z
    .array(
      z.object({
        date: z.string().meta(doc('The day, in UTC.', '2026-03-01')),
        worked: z.int().describe('Calls whose credentials were accepted.'),
        rejected: z.int().describe('Calls whose credentials were rejected.'),
      }),
    )
    .describe('The last 30 days, oldest first. Days without a call are left out.')
    .meta({ examples: [[{ date: '2026-03-01', worked: 12, rejected: 0 }]] }),
  flows: z
    .array(
      z.object({
        id: z.string().describe('ID of the flow.'),
        name: z.string().describe('Name of the flow, for display.'),
      }),
    )
    .describe('Flows whose steps name these credentials, limited to those the caller can read.'),
})
export type ConnectorAuthUse = z.output<typeof connectorAuthUse>

export const listConnectorAuthUsesRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/uses',
  name: 'list_connector_auth_uses',
  summary: 'List when each connector auth was last used and tested, and the flows that use it',
  access: can('connector_auths', 'read'),
  chosen: 'own',
  status: 200,
  result: z.array(connectorAuthUse),
})

export const readConnectorAuthRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/:id',
  summary: 'Read a connector auth, without its secrets',
  access: can('connector_auths', 'read'),
  status: 200,
  params: idParams,
  result: connectorAuth,
})

export const updateConnectorAuthRoute = defineRoute({
  method: 'PUT',
  path: '/v1/connector-auths/:id',
  summary: 'Change a connector auth; absent keys keep their value',
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
  summary: 'Delete a connector auth; rejected while a flow uses it, unless force=true',
  access: can('connector_auths', 'delete'),
  status: 204,
  params: idParams,
  query: z.strictObject({
    force: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` deletes the credentials even if flows use them. Those flows fail from then on.'),
  }),
})

/** The path to which a browser returns after a sign-in; the connector's name in lower case is appended. */
export const OAUTH_CALLBACK_PATH = '/v1/oauth2/callback'

export const authorizeConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths/:id/authorize',
  summary:
    'Begin the sign-in of an OAuth auth: the browser is to open the address that is answered, within 10 minutes',
  access: can('connector_auths', 'update'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    origin: origin
      .optional()
      .describe(
        'Origin of the page that asks. If it is that of the setting `page_url`, the browser returns there after the sign-in; otherwise to this computer.',
      ),
  }),
  bodyOptional: true,
  /** Null if nobody has to sign in (client credentials), because the auth already has its token. */
  result: z.object({
    url: z
      .string()
      .nullable()
      .describe(
        'URL to open in the browser to sign in, valid for 10 minutes. Null if nobody has to sign in (client credentials): the token was fetched.',
      )
      .meta({ examples: ['https://accounts.example.com/authorize?client_id=your-app'] }),
  }),
})

export const signInByCodeRoute = defineStream({
  method: 'POST',
  path: '/v1/connector-auths/:id/device-sign-in',
  name: 'sign_in_by_code',
  summary:
    'Sign in to an OAuth auth whose grant type is `device_code`: stream the code to enter elsewhere, then the outcome. Closing the connection cancels the sign-in',
  access: can('connector_auths', 'update'),
  params: idParams,
  event: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('code').describe('The code is waiting to be entered.'),
      user_code: z.string().meta(doc('The code to enter.', 'WDJB-MJHT')),
      url: z.string().meta(doc('Where to enter it, in any browser.', 'https://example.com/device')),
      complete_url: z
        .string()
        .nullable()
        .meta(
          doc(
            'The same with the code in it. Null if there is none.',
            'https://example.com/device?user_code=WDJB-MJHT',
          ),
        ),
      expires_at: timestamp.meta(doc('When the code stops working, in UTC.', '2026-03-01T12:30:00.000Z')),
    }),
    z.object({ type: z.literal('done').describe('Signed in. Flows can use the auth.') }),
    z.object({
      type: z.literal('failed').describe('Not signed in: refused, expired or rejected.'),
      message: z.string().describe('What went wrong, in a sentence.'),
    }),
  ]),
})

export const listConnectorAuthFlowsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/:id/flows',
  summary: 'List the flows that use a connector auth',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(
    z.object({
      id: z.string().describe('ID of a flow that uses the credentials.'),
      name: z.string().describe('Name of the flow, for display.'),
    }),
  ),
})

const rateLimit = z.object({
  origin: z
    .string()
    .describe('The API that was called.')
    .meta({ examples: ['https://api.example.com'] }),
  limit: z
    .int()
    .nullable()
    .meta(
      doc(
        "Calls of a whole window, as the API says, or else the connector's `rate_limit`. Null if unknown.",
        100,
      ),
    ),
  remaining: z.int().nullable().meta(doc("Calls left until `resets_at`. Null if the API doesn't say.", 88)),
  resets_at: timestamp
    .nullable()
    .meta(
      doc(
        "When all calls of the limit are available again. Null if the API doesn't say.",
        '2026-03-01T12:01:00.000Z',
      ),
    ),
  waits_until: timestamp
    .nullable()
    .meta(doc("Until when Millrace holds back all calls. Null if it doesn't.", null)),
  minutes: z
    .array(
      z.object({
        at: timestamp.describe('Start of the minute.'),
        calls: z.int().meta(doc('Calls made in it.', 12)),
        remaining: z
          .int()
          .nullable()
          .meta(doc("Fewest calls that were left, as the API said. Null if it didn't.", 88)),
      }),
    )
    .describe('The last 60 minutes, oldest first. Minutes without a call are left out.'),
})
export type RateLimit = z.output<typeof rateLimit>

export const listRateLimitsRoute = defineRoute({
  method: 'GET',
  path: '/v1/connector-auths/:id/rate-limits',
  name: 'list_rate_limits',
  summary:
    'List the rate limits of the APIs that were called with a connector auth since Millrace was started',
  access: can('connector_auths', 'read'),
  status: 200,
  params: idParams,
  result: z.array(rateLimit),
})

export const connectorAuthTest = z.object({
  ok: z.boolean().describe('True if the call succeeded.'),
  status: z.int().nullable().meta(doc('HTTP status of the response. Null if none arrived.', 200)),
  message: z
    .string()
    .describe('A sentence about the result: what was reached, or what went wrong and what to do.')
    .meta({ examples: ['The credentials work: status 200'] }),
  account: z
    .string()
    .nullable()
    .describe(
      'Who is signed in: what `auth_config.account` of the connector selects in the response. Null if unknown.',
    )
    .meta({ examples: ['ann@example.com'] }),
  advice: z
    .string()
    .nullable()
    .meta(doc('What to do about an error that is known of the provider. Null if there is none.', null)),
  duration_ms: z.number().describe('How long the test took, in milliseconds.'),
  http: z.array(exchange).describe('Every call that was made, in order. Secrets read `***`.'),
})
export type ConnectorAuthTest = z.output<typeof connectorAuthTest>

const TEST_CALL = {
  action: text(100)
    .optional()
    .describe(
      "Name of the action to call. Defaults to the connector's test action. Credentials of a database or mail server are tested by signing in.",
    ),
  url: text(4_000)
    .optional()
    .describe("URL to GET instead of calling an action: absolute, or a path below the connector's base URL."),
}

export const testConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths/:id/test',
  summary:
    "Test credentials: with the connector's test action, another action or a URL, or by signing in to their database or mail server",
  access: can('connector_auths', 'update'),
  status: 200,
  params: idParams,
  body: z
    .strictObject({
      ...TEST_CALL,
      changes: authPatch
        .optional()
        .describe(
          'Fields as for changing the auth: the test uses them, checked as a change would be, and stores nothing. If absent, the stored credentials are tested.',
        ),
    })
    .refine(({ action, url }) => action === undefined || url === undefined, {
      error: "can't be combined with url; send only one of them",
      path: ['action'],
    }),
  bodyOptional: true,
  result: connectorAuthTest,
})

export const testNewConnectorAuthRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-auths/test',
  name: 'test_new_connector_auth',
  summary: 'Test credentials before they are stored',
  access: can('connector_auths', 'create'),
  status: 200,
  body: z.strictObject({
    auth: createConnectorAuthRoute.body.describe('The auth as it would be created. Nothing is stored.'),
    ...TEST_CALL,
  }),
  result: connectorAuthTest,
})

export const connectorAuthRoutes = {
  createConnectorAuthRoute,
  listConnectorAuthsRoute,
  listConnectorAuthUsesRoute,
  testNewConnectorAuthRoute,
  readConnectorAuthRoute,
  updateConnectorAuthRoute,
  deleteConnectorAuthRoute,
  authorizeConnectorAuthRoute,
  listConnectorAuthFlowsRoute,
  listRateLimitsRoute,
  testConnectorAuthRoute,
}
