import { z } from 'zod'
import { can, defineRoute } from './base/route.ts'

const port = z.number().int().min(1).max(65_535)

const listening = z.object({
  /** At which the program listens now. */
  port: z.number().int(),
  /** Where that is, for programs on this machine. */
  url: z.string(),
  /** Set here, for this start and the next ones; null: never set. */
  saved: port.nullable(),
  /** This start was given its port by `--port` or `MILLRACE_PORT`, which go before what is set here. */
  is_given: z.boolean(),
})
export type Listening = z.output<typeof listening>

export const readPortRoute = defineRoute({
  method: 'GET',
  path: '/v1/port',
  summary: 'At which port the program listens, and which one was set',
  access: can('settings', 'read'),
  status: 200,
  result: listening,
})

export const changePortRoute = defineRoute({
  method: 'PUT',
  path: '/v1/port',
  name: 'change_port',
  summary: 'Listen at another port at once, and at the next starts; the one before takes no more requests',
  access: 'session',
  status: 200,
  body: z.strictObject({ port }),
  result: listening,
})
