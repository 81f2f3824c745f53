/** Signs in the browser that is opened for the user, with a code that is worthless once it was used. */
import { z } from 'zod'
import { timestamp } from './base/common.ts'
import { defineRoute } from './base/route.ts'

/** In the fragment of the app's URL. */
export const SIGN_IN_FRAGMENT = '#code='

const code = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a sign-in code')
  .meta({ examples: [`${'Zk3'.repeat(14)}A`] })

export const createSignInCodeRoute = defineRoute({
  method: 'POST',
  path: '/v1/sign-in-codes',
  summary: 'Create a code that signs one browser in, once and within two minutes',
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
  summary: "Exchange a sign-in code for the page's session; the code is worth nothing after it",
  access: 'open',
  status: 200,
  body: z.strictObject({ code: code.describe("A sign-in code that hasn't been used.") }),
  result: z.object({
    session: z
      .string()
      .describe('The session to send as `Authorization: Bearer …` until Millrace stops.')
      .meta({ examples: ['mr_ses_…'] }),
  }),
})
