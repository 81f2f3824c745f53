/** Alarms: notifications when a flow fails, is silent for too long or misses its time, and when it works again. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { nonEmptyText, text, uuid } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

export const ALARM_KINDS = ['failed', 'silent', 'missed', 'recovered'] as const
/** A recovery isn't counted as a failure. */
export type TroubleKind = Exclude<AlarmKind, 'recovered'>
export type AlarmKind = (typeof ALARM_KINDS)[number]

const emailAddress = text(320).regex(
  /^[^\s@,;<>]+@[^\s@,;<>]+$/,
  'must be an email address such as me@example.com',
)

export const alarmSettings = z.strictObject({
  on_failure: z.boolean().describe('If true, notifies when a run fails. Manual runs are left out.'),
  on_missed: z
    .boolean()
    .describe(
      "If true, notifies when a scheduled time was missed by more than a minute, for example because Millrace wasn't running.",
    ),
  silent_after_minutes: z
    .int()
    .min(1)
    .max(525_600)
    .nullable()
    .describe(
      "Minutes without a run after which to notify, 1 to 525600 (a year). Time when Millrace isn't running doesn't count. Null means never.",
    )
    .meta({ examples: [null] }),
  notify: z.boolean().describe('If true, notifies in the app, and with browser and desktop notifications.'),
  email_to: z
    .array(emailAddress)
    .max(20)
    .describe('Email addresses to notify, at most 20. They need `alarm_mail` in the settings.')
    .meta({ examples: [['ada@example.com']] }),
  flow_id: uuid
    .nullable()
    .meta(doc('ID of a flow to start with the alarm as its input. Null means none.', null)),
})
export type AlarmSettings = z.output<typeof alarmSettings>

export const DEFAULT_ALARMS: AlarmSettings = {
  on_failure: true,
  on_missed: false,
  silent_after_minutes: null,
  notify: true,
  email_to: [],
  flow_id: null,
}

export const alarmMail = z.strictObject({
  auth_id: uuid.describe('ID of a connector auth for SMTP, the mail server.').meta({
    examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  }),
  from: text(320)
    .nullable()
    .meta(doc('Email address of the sender. Null means the username of the auth.', 'millrace@example.com')),
})

export const eventHook = z.strictObject({
  events: z
    .array(z.enum(ALARM_KINDS))
    .min(1, 'needs at least one event')
    .describe('Events of all active flows that it receives: `failed`, `silent`, `missed`, `recovered`.')
    .meta({ examples: [['failed', 'recovered']] }),
  flow_id: uuid
    .nullable()
    .meta(doc('ID of a flow to start with the alarm as its input. Null means none.', null)),
  url: nonEmptyText(2_000)
    .regex(/^https?:\/\/[^/?#]/i, 'must begin with http:// or https://')
    .nullable()
    .describe('URL to send the alarm to, as JSON by POST. Null means none.')
    .meta({ examples: ['https://alerts.example.com/millrace'] }),
})

/** The input of a flow that an alarm starts, and the body that a hook gets; templates can read these names anywhere. */
export const ALARM_INPUT = [
  'alarm_id',
  'alarm_kind',
  'alarm_message',
  'alarm_count',
  'alarm_at',
  'alarm_flow_id',
  'alarm_flow_name',
  'alarm_flow_run_id',
] as const

export const ALARM_CHANNELS = ['notification', 'email', 'flow', 'hook_flow', 'hook_url'] as const
export type AlarmChannel = (typeof ALARM_CHANNELS)[number]

const sentAlarm = z.object({
  channel: z
    .enum(ALARM_CHANNELS)
    .describe(
      'Where it went: `notification`, `email`, `flow`, or `hook_flow` and `hook_url` of the hook for all flows.',
    )
    .meta({ examples: ['email'] }),
  ok: z.boolean().describe('Whether it was delivered.'),
  message: z
    .string()
    .meta(doc('The destination, or the reason why it was not delivered.', 'Sent to ada@example.com')),
})
export type SentAlarm = z.output<typeof sentAlarm>

export const testAlarmRoute = defineRoute({
  method: 'POST',
  path: '/v1/alarms/test',
  name: 'test_alarm',
  summary:
    'Send a test alarm now, by the saved settings of a flow or by the defaults with the hook for all flows',
  access: can('settings', 'update'),
  status: 200,
  body: z.strictObject({
    flow_id: uuid
      .nullable()
      .meta(doc('ID of the flow whose settings are used. Null means the defaults.', null)),
  }),
  result: z
    .array(sentAlarm)
    .describe("One result per channel that alarms are sent to. If empty, alarms aren't sent anywhere."),
})

export const alarmRoutes = {
  testAlarmRoute,
}
