/**
 * Signs browsers in to the app: with a one-time code on this computer, and on other devices through the proxy that
 * the setting `page_url` names.
 */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, text, timestamp } from './base/common.ts'
import { defineRoute } from './base/route.ts'

/** Begins the fragment of the app's URL, which servers and logs never see. */
export const SIGN_IN_LINK_FRAGMENT = '#link='

const link = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the code of a sign-in link')
  .meta({ examples: [`${'Qx7'.repeat(14)}A`] })

export const pageSession = z.object({
  id: z.string().describe("ID of the session. It isn't secret."),
  user_id: z
    .string()
    .meta(doc('ID of the user that the browser acts as.', '0b7f3c52-6a0e-4f0b-9d57-2c1e8a4f6d90')),
  token_id: z
    .string()
    .describe('ID of the token that the browser signed in with, whose scopes and expiry apply.')
    .meta({ examples: ['9f1c2b34-5d6e-4f70-8a91-b2c3d4e5f607'] }),
  token_note: z.string().meta(doc('What that token is for.', 'My phone')),
  scopes: z.array(z.string()).describe('What the session can do: the scopes of the token.'),
  client: z.string().meta(doc('IP address of the browser at sign-in, as the proxy named it.', '203.0.113.7')),
  user_agent: z
    .string()
    .meta(doc("The browser's user agent.", 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0')),
  created_at: timestamp.describe('When the browser signed in, in UTC.'),
  last_seen: timestamp
    .describe('When it last sent a request, to the minute, in UTC.')
    .meta({ examples: ['2026-03-01T14:20:00.000Z'] }),
  expires_at: timestamp.meta(doc('When it must sign in again, in UTC.', '2026-03-31T12:00:00.000Z')),
  current: z.boolean().meta(doc('True for the session that asks.', false)),
})
export type PageSession = z.output<typeof pageSession>

export const listPageSessionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/page-sessions',
  summary:
    "List the caller's browsers that are signed in from elsewhere, newest first; the app lists those of all users",
  access: 'list-tokens',
  status: 200,
  result: z.array(pageSession),
})

export const readCurrentPageSessionRoute = defineRoute({
  method: 'GET',
  path: '/v1/page-sessions/current',
  name: 'find_own_page_session',
  summary: 'Read the session of this browser; null for other callers',
  access: 'any-token',
  chosen: 'free',
  status: 200,
  result: pageSession.nullable(),
})

export const signInRoute = defineRoute({
  method: 'POST',
  path: '/v1/page-sessions/sign-in',
  name: 'sign_in_to_page',
  refusals: [401],
  summary:
    'Sign a browser in behind the proxy, with a token or a one-time link; sets the cookie of the session',
  access: 'open',
  status: 200,
  body: z.strictObject({
    token: text(1_000)
      .optional()
      .describe('A personal access token. Either this or `link`.')
      .meta({ examples: ['mr_pat_4fGh8kLmN2pQr6sTuV0wXyZ1aBcDeF3g'] }),
    link: link.optional().describe('The code of a sign-in link. Either this or `token`.'),
  }),
  rateLimited: true,
  result: pageSession,
})

export const signOutRoute = defineRoute({
  method: 'POST',
  path: '/v1/page-sessions/sign-out',
  name: 'sign_out_of_page',
  summary: 'Sign out this browser',
  access: 'any-token',
  chosen: 'free',
  status: 204,
})

export const createSignInLinkRoute = defineRoute({
  method: 'POST',
  path: '/v1/page-sessions/links',
  name: 'issue_sign_in_link',
  summary: 'Create a link that signs in one browser through the proxy, once and within 15 minutes',
  access: 'session',
  status: 200,
  result: z.object({
    url: z
      .string()
      .describe('The link. Whoever opens it first can act as the user of this computer.')
      .meta({ examples: [`https://box.example.com/#link=${'Qx7'.repeat(14)}A`] }),
    expires_at: timestamp
      .describe('When the link stops working, 15 minutes after it was created, in UTC.')
      .meta({ examples: ['2026-03-01T12:15:00.000Z'] }),
  }),
})

export const endPageSessionRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/page-sessions/:id',
  name: 'end_page_session',
  summary: 'Sign out a browser',
  access: 'manage-tokens',
  status: 204,
  params: idParams,
})

/** Begins the fragment of the app's URL for a browser on this computer. */
export const SIGN_IN_FRAGMENT = '#code='

const code = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a sign-in code')
  .meta({ examples: [`${'Zk3'.repeat(14)}A`] })

export const createSignInCodeRoute = defineRoute({
  method: 'POST',
  path: '/v1/sign-in-codes',
  summary: 'Create a code that signs in one browser, once and within two minutes',
  access: 'session',
  status: 200,
  result: z.object({
    code: code.describe('The code. It signs one browser in, once.'),
    expires_at: timestamp
      .describe('When the code stops working, two minutes after it was created.')
      .meta({ examples: ['2026-03-01T12:02:00.000Z'] }),
  }),
})

export const exchangeSignInCodeRoute = defineRoute({
  method: 'POST',
  path: '/v1/sign-in-codes/exchange',
  summary: "Exchange a sign-in code for the app's session; the code works once",
  access: 'open',
  status: 200,
  body: z.strictObject({ code: code.describe("A sign-in code that hasn't been used.") }),
  result: z.object({
    session: z
      .string()
      .meta(doc('The session to send as `Authorization: Bearer …` until Millrace stops.', 'mr_ses_…')),
  }),
})

export const signInCodeRoutes = {
  createSignInCodeRoute,
  exchangeSignInCodeRoute,
}

export const pageSessionRoutes = {
  createSignInLinkRoute,
  endPageSessionRoute,
  listPageSessionsRoute,
  readCurrentPageSessionRoute,
  signInRoute,
  signOutRoute,
}
