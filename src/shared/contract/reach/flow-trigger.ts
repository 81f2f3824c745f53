/** The state of a flow's trigger that polls for new items: its last check, and whether it works. */
import { doc } from '../base/doc.ts'
import { type Spoken } from '../base/message.ts'
import { z } from 'zod'
import { idParams, text, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'

export const flowTrigger = z.object({
  type: z
    .string()
    .nullable()
    .describe('Type of the trigger if it checks for something new. Null if the flow has none that does.')
    .meta({ examples: ['list_trigger'] }),
  active: z
    .boolean()
    .describe(
      'True if the trigger is active. False if the flow is a draft or paused, or the step is disabled.',
    ),
  checked_at: timestamp
    .nullable()
    .meta(doc('When a check last succeeded, in UTC. Null if none did.', '2026-03-02T08:00:00.000Z')),
  found_at: timestamp
    .nullable()
    .meta(doc('When it last found something, in UTC. Null if it never did.', '2026-03-02T07:15:00.000Z')),
  found: z.int().meta(doc('Number of entries that have started runs so far.', 12)),
  next_check_at: timestamp
    .nullable()
    .meta(doc('When the next check is due, in UTC. Null if none is.', '2026-03-02T08:15:00.000Z')),
  checking: z.boolean().describe('True while it looks.'),
  failures: z
    .int()
    .describe('Number of checks that have failed in a row. The pauses between them grow to an hour.'),
  error: z
    .object({
      message: z.string().describe('Why the last check failed.'),
      at: timestamp.describe('When it failed, in UTC.'),
    })
    .nullable()
    .meta(doc('The failure of the last check. Null if it worked.', null)),
  listening: z
    .object({
      connected: z.boolean().describe('True if the server reports new entries by itself now.'),
      alive_at: timestamp
        .nullable()
        .describe('When the server last responded, in UTC. Null if it never did.'),
      error: z.string().nullable().describe('Why it is not connected. Null if nothing failed.'),
    })
    .nullable()
    .describe(
      'The connection on which a mail server reports new emails between two checks. Null if the trigger has none.',
    )
    .meta({ examples: [null] }),
  note: z
    .string()
    .nullable()
    .describe(
      'What happened to what it looks at, such as a mailbox that its server renumbered. Null if nothing did.',
    )
    .meta({ examples: [null] }),
  set_aside: z
    .array(
      z.object({
        title: z.string().describe('Subject and sender of the email.'),
        reason: z.string().describe('Why it was set aside.'),
        file_id: z
          .string()
          .nullable()
          .describe('ID of the uploaded file with its content. Null if it is only in the mailbox.'),
        at: timestamp.describe('When it was set aside, in UTC.'),
      }),
    )
    .describe(
      'Entries that started no run because they cannot be read, or because Millrace stopped unexpectedly twice while it read them. The newest 20.',
    )
    .meta({ examples: [[]] }),
})
/** Its message is `note`. */
export type FlowTrigger = z.output<typeof flowTrigger> & Spoken

/** Selects one of a flow's triggers, if it has several. */
const ofTrigger = z.strictObject({
  ref_id: text(100)
    .optional()
    .describe(
      'Reference name of the trigger, if the flow has several. Defaults to the first that checks for something new.',
    )
    .meta({ examples: ['orders'] }),
})

export const readFlowTriggerRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/trigger',
  summary: 'Read when the trigger of a flow last checked for something new, and whether it works',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  query: ofTrigger,
  result: flowTrigger,
})

export const checkFlowTriggerRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/trigger/check',
  name: 'check_flow_trigger',
  summary: 'Check for something new now instead of waiting for the next check',
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  query: ofTrigger,
  result: flowTrigger,
})

export const restartFlowTriggerRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/trigger/restart',
  name: 'restart_flow_trigger',
  summary: 'Forget what the trigger of a flow has found, so that its next check is the first again',
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  query: ofTrigger,
  result: flowTrigger,
})

export const retryFlowTriggerRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/trigger/retry',
  name: 'retry_flow_trigger',
  summary: 'Read again what the trigger of a flow has set aside',
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  query: ofTrigger,
  result: flowTrigger,
})

export const flowTriggerRoutes = {
  readFlowTriggerRoute,
  checkFlowTriggerRoute,
  restartFlowTriggerRoute,
  retryFlowTriggerRoute,
}
