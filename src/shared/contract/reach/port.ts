import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { can, defineRoute } from '../base/route.ts'

const port = z.int().min(1).max(65_535)

const listening = z.object({
  port: z.int().meta(doc('Port at which Millrace listens now.', 4800)),
  url: z.string().meta(doc('Base URL at that port, for programs on this computer.', 'http://127.0.0.1:4800')),
  saved: port
    .nullable()
    .meta(doc('Port set in the settings, used at the next start too. Null if none was set.', 4800)),
  is_given: z
    .boolean()
    .describe(
      'True if this start got its port from `--port` or `MILLRACE_PORT`, which override the saved one.',
    )
    .meta({ examples: [false] }),
})
export type Listening = z.output<typeof listening>

export const readPortRoute = defineRoute({
  method: 'GET',
  path: '/v1/port',
  summary: 'Read the port that Millrace listens on, and the one that is set',
  access: can('settings', 'read'),
  status: 200,
  result: listening,
})

export const changePortRoute = defineRoute({
  method: 'PUT',
  path: '/v1/port',
  name: 'change_port',
  summary: 'Switch to another port at once and for later starts; the old one accepts no more requests',
  access: 'session',
  status: 200,
  body: z.strictObject({
    port: port.meta(doc('Port to listen at from now on, 1 to 65535.', 4800)),
  }),
  result: listening,
})

export const portRoutes = {
  readPortRoute,
  changePortRoute,
}
