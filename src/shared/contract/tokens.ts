import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, listQuery, nonEmptyText, text, timestamp, uuid } from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import { defineRoute } from './base/route.ts'
import { scopeList } from './base/scopes.ts'

/** Whole days until the token expires. */
export const expirationDays = z
  .int()
  .min(1)
  .max(LIMITS.expirationDays)
  .describe('Days until expiry, 1 to 36500')

const chosenIds = z.array(uuid).max(LIMITS.tokenRecords)
const flowIds = chosenIds
  .min(1)
  .nullable()
  .describe(
    'IDs of the only flows that the token reaches, with their runs and webhook requests. Null means all.',
  )
const authIds = chosenIds
  .nullable()
  .describe(
    'IDs of the only connector auths that the token reaches. An empty list means none, null means all.',
  )

export const token = z.object({
  id: z.string().describe("ID of the token. It isn't secret."),
  expiration: timestamp.nullable().describe('When the token expires, in UTC. Null means never.'),
  note: z.string().describe('What the token is for.'),
  last_used: timestamp.nullable().describe('When the token was last used, in UTC. Null if never.'),
  scopes: z.array(z.string()).describe('What the token can do, as it was requested.'),
  flow_ids: flowIds.meta({ examples: [null] }),
  auth_ids: authIds.meta({ examples: [null] }),
})
export const listedToken = token.extend({
  created_at: timestamp.describe('When the token was created, in UTC.'),
  last_four: z.string().describe('Last four characters of the token, to recognize it by.'),
  created_by: z
    .string()
    .nullable()
    .describe(
      'ID of the token that created this one; revoking that one revokes this one too. Null if a person created it.',
    )
    .meta({ examples: [null] }),
})
/** The only form of a token that contains its secret. */
export const issuedToken = token.extend({
  token: z.string().describe('The token itself. It is returned only once; store it now.'),
  last_used: z.null().describe("If null, a new token hasn't been used."),
})

export type Token = z.output<typeof listedToken>
export type IssuedToken = z.output<typeof issuedToken>

export const createTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens',
  summary: 'Create a personal access token; only this response contains its value',
  access: 'manage-tokens',
  chosen: 'own',
  status: 201,
  body: z.strictObject({
    expiration: expirationDays
      .nullable()
      .describe('Days until the token expires, 1 to 36500. Null means never.'),
    scopes: scopeList.describe('What the token can do. At least one scope, each once.'),
    note: text(LIMITS.noteLength).describe('What the token is for, at most 255 characters.'),
    flow_ids: flowIds.optional().meta({ examples: [null] }),
    auth_ids: authIds.optional().meta({ examples: [null] }),
  }),
  result: issuedToken,
  once: ['token'],
})

export const listTokensRoute = defineRoute({
  method: 'GET',
  path: '/v1/personal-access-tokens',
  summary: 'List your access tokens, newest first',
  access: 'list-tokens',
  chosen: 'own',
  status: 200,
  query: listQuery,
  result: z.array(listedToken),
})

export const regenerateTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens/:id/regenerate',
  summary: 'Regenerate a token with a new value and expiry; the old value stops working immediately',
  access: 'manage-tokens',
  chosen: 'own',
  changes: '/v1/personal-access-tokens/:id',
  status: 200,
  params: idParams,
  body: z.strictObject({
    expiration: expirationDays
      .nullable()
      .describe('Days until the new value expires, 1 to 36500. Null means never.'),
  }),
  result: issuedToken,
})

export const revokeTokenRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/personal-access-tokens/:id',
  summary: 'Revoke a token and every token created with it',
  access: 'manage-tokens',
  chosen: 'own',
  status: 204,
  params: idParams,
})

export const tokenCheck = z.object({
  kind: z
    .enum(['personal_access_token', 'webhook_token', 'other'])
    .describe('What the value is. `other`: not a Millrace token.'),
  state: z
    .enum(['valid', 'expired', 'revoked', 'regenerated', 'unknown', 'malformed'])
    .describe(
      'Whether it works now. `unknown`: well formed, but not from this Millrace; `malformed`: not a Millrace token, or incomplete.',
    ),
  message: z
    .string()
    .meta(doc('What was found, in a sentence.', 'The access token "The nightly export" is valid')),
  token: listedToken
    .nullable()
    .describe('The personal access token, as it was when it ended if it has ended. Null for other values.'),
  user: z
    .object({
      id: z.string().describe('ID of the user.'),
      name: z.string().describe('Name of the user, for display.'),
    })
    .nullable()
    .describe('The user whose token it is. Null if unknown.'),
  flow: z
    .object({
      id: z.string().describe('ID of the flow.'),
      name: z.string().describe('Name of the flow, for display.'),
    })
    .nullable()
    .meta(doc('The flow that a webhook token starts. Null for other values.', null)),
  ended_at: timestamp
    .nullable()
    .describe('When the token expired, was revoked or regenerated, in UTC. Null if it is valid or unknown.')
    .meta({ examples: [null] }),
})
export type TokenCheck = z.output<typeof tokenCheck>

export const checkTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens/check',
  summary: 'Identify a token, with its scopes and expiry; its value is neither stored nor logged',
  access: 'session',
  status: 200,
  body: z.strictObject({
    value: nonEmptyText(10_000)
      .describe('The value to check. A leading `Authorization: Bearer` is removed.')
      .meta({ examples: ['mr_pat_4fGh8kLmN2pQr6sTuV0wXyZ1aBcDeF3g'] }),
  }),
  rateLimited: true,
  result: tokenCheck,
})

export const tokenRoutes = {
  createTokenRoute,
  checkTokenRoute,
  listTokensRoute,
  regenerateTokenRoute,
  revokeTokenRoute,
}
