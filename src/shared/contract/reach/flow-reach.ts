/** The outside systems that a flow may reach, which are shown before its draft changes go live. */
import { z } from 'zod'
import { idParams } from '../base/common.ts'
import { doc } from '../base/doc.ts'
import { can, defineRoute } from '../base/route.ts'

export const REACH_KINDS = [
  'host',
  'connector',
  'auth',
  'program',
  'file',
  'email',
  'table',
  'flow',
  'plugin',
] as const
export type ReachKind = (typeof REACH_KINDS)[number]

const reached = z.object({
  kind: z
    .enum(REACH_KINDS)
    .describe(
      'What it is: `host` of HTTP calls, `connector`, `auth`, `program`, `file` (also folders and SQLite files), `email` address, `table`, another `flow`, or `plugin`.',
    ),
  name: z
    .string()
    .nullable()
    .meta(doc('Its name, path or address. Null means any: a template decides.', 'api.example.com')),
  id: z.string().nullable().meta(doc('ID of the connector, auth or flow. Null for everything else.', null)),
  steps: z.array(z.string()).meta(doc('Reference names of the steps that reach it.', ['order'])),
  is_new: z
    .boolean()
    .meta(doc('Whether only the draft changes reach it, and the saved steps do not.', false)),
})
export type FlowReach = z.output<typeof reached>

export const readFlowReachRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/reach',
  name: 'read_flow_reach',
  summary:
    'List what the draft changes of a flow may reach: hosts, auths, programs, files, addresses, tables',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(reached),
})

export const flowReachRoutes = { readFlowReachRoute }
