import { z } from 'zod'
import { idParams, listQuery, nonEmptyText, text, timestamp } from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import { defineRoute } from './base/route.ts'
import { scopeList } from './base/scopes.ts'

/** Whole days from now until the token ends. */
export const expirationDays = z
  .number()
  .int()
  .min(1)
  .max(LIMITS.expirationDays)
  .describe('Days until expiry, 1 to 36500')

export const token = z.object({
  id: z.string(),
  expiration: timestamp.nullable(),
  note: z.string(),
  last_used: timestamp.nullable(),
  scopes: z.array(z.string()),
})
export const listedToken = token.extend({
  created_at: timestamp,
  last_four: z.string(),
  /** The token that made it; null if a person did. Revoking that one revokes this one too. */
  created_by: z.string().nullable(),
})
/** The only shape that carries the secret. */
export const issuedToken = token.extend({ token: z.string(), last_used: z.null() })

export type Token = z.output<typeof listedToken>
export type IssuedToken = z.output<typeof issuedToken>

export const createTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens',
  summary: 'Create a personal access token; the value is in this answer alone',
  access: 'manage-tokens',
  status: 201,
  body: z.strictObject({
    expiration: expirationDays.nullable(),
    scopes: scopeList,
    note: text(LIMITS.noteLength),
  }),
  result: issuedToken,
  once: ['token'],
})

export const listTokensRoute = defineRoute({
  method: 'GET',
  path: '/v1/personal-access-tokens',
  summary: "List the caller's own tokens, newest first",
  access: 'list-tokens',
  status: 200,
  query: listQuery,
  result: z.array(listedToken),
})

export const regenerateTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens/:id/regenerate',
  summary: 'Give a token a new value and a new expiry; the old value fails from that moment',
  access: 'manage-tokens',
  changes: '/v1/personal-access-tokens/:id',
  status: 200,
  params: idParams,
  body: z.strictObject({ expiration: expirationDays.nullable() }),
  result: issuedToken,
})

export const revokeTokenRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/personal-access-tokens/:id',
  summary: 'Revoke a token and every token that was made with it',
  access: 'manage-tokens',
  status: 204,
  params: idParams,
})

export const tokenCheck = z.object({
  kind: z.enum(['personal_access_token', 'webhook_token', 'other']),
  state: z
    .enum(['valid', 'expired', 'revoked', 'regenerated', 'unknown', 'malformed'])
    .describe(
      '`unknown`: well formed, but none of this machine; `malformed`: no token of Millrace, or mistyped',
    ),
  message: z.string().describe('What it is, in a sentence'),
  /** Of a personal access token; as it was when it ended, where it has ended. */
  token: listedToken.nullable(),
  user: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Of a webhook token: the flow that it starts. */
  flow: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** When it expired, was revoked or regenerated. */
  ended_at: timestamp.nullable(),
})
export type TokenCheck = z.output<typeof tokenCheck>

export const checkTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/personal-access-tokens/check',
  summary: 'Say which token a value is, what it may do and how long; nothing of it is stored or logged',
  access: 'session',
  status: 200,
  body: z.strictObject({
    value: nonEmptyText(10_000).describe(
      'The value as it was found; `Authorization: Bearer` before it is cut off',
    ),
  }),
  rateLimited: true,
  result: tokenCheck,
})
