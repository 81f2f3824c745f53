/**
 * Alarms notify people if a flow fails, is silent for too long or misses its scheduled time, and when it works again.
 */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, nonEmptyText, text, timestamp, uuid } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

export const ALARM_KINDS = ['failed', 'silent', 'missed', 'recovered'] as const
/** A recovery isn't counted as a failure. */
export type TroubleKind = Exclude<AlarmKind, 'recovered'>
export type AlarmKind = (typeof ALARM_KINDS)[number]

/**
 * Like error flows, `run_failed` covers every failed run: immediately, without a limit, even drafts and manual runs.
 */
export const ALARM_EVENTS = [...ALARM_KINDS, 'run_failed'] as const
export type AlarmEvent = (typeof ALARM_EVENTS)[number]

/** The ways to notify a receiver. */
export const RECEIVER_KINDS = ['notification', 'email', 'flow', 'url'] as const
export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

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

const hookUrl = nonEmptyText(2_000).regex(/^https?:\/\/[^/?#]/i, 'must begin with http:// or https://')

export const eventHook = z.strictObject({
  events: z
    .array(z.enum(ALARM_KINDS))
    .min(1, 'needs at least one event')
    .describe('Events of all active flows that it receives: `failed`, `silent`, `missed`, `recovered`.')
    .meta({ examples: [['failed', 'recovered']] }),
  flow_id: uuid
    .nullable()
    .meta(doc('ID of a flow to start with the alarm as its input. Null means none.', null)),
  url: hookUrl
    .nullable()
    .describe('URL to send the alarm to, as JSON by POST. Null means none.')
    .meta({ examples: ['https://alerts.example.com/millrace'] }),
})

/** An alarm: the events to report and their receivers. */
export const alarm = z.object({
  id: z.string().describe('ID of the alarm.'),
  kind: z
    .enum(RECEIVER_KINDS)
    .describe(
      'How it reaches you: `notification` in the app, `email`, `flow`, which it starts, or `url`, to which it is sent as JSON by POST.',
    )
    .meta({ examples: ['notification'] }),
  email_to: z
    .array(emailAddress)
    .max(20)
    .describe('Email addresses, at most 20, if `kind` is `email`. They need `alarm_mail` in the settings.')
    .meta({ examples: [[]] }),
  flow_id: uuid.nullable().meta(doc('ID of the flow to start, if `kind` is `flow`.', null)),
  url: hookUrl.nullable().meta(doc('URL to send it to, if `kind` is `url`.', null)),
  events: z
    .array(z.enum(ALARM_EVENTS))
    .describe(
      'Events that it reports: `failed`, `silent`, `missed`, `recovered`, at most once in ten minutes per flow, or `run_failed`, which is each failed run, for `kind` `flow` only.',
    )
    .meta({ examples: [['failed', 'recovered']] }),
  flows: z
    .enum(['all', 'default', 'chosen'])
    .describe(
      'Whose events: of `all` active flows, by `default` of those without alarm settings of their own, or of those in `flow_ids`.',
    )
    .meta({ examples: ['all'] }),
  flow_ids: z.array(uuid).max(1_000).meta(doc('IDs of the flows, if `flows` is `chosen`; at most 1000.', [])),
  settings_of: z
    .string()
    .nullable()
    .meta(
      doc('ID of the flow whose settings it is part of. It is changed there. Null for all others.', null),
    ),
  created_at: timestamp.describe('When it was created, in UTC.'),
  updated_at: timestamp.describe('When it was last changed, in UTC.'),
})
export type AlarmReceiver = z.output<typeof alarm>

/**
 * The input of a flow that an alarm starts, and the body that a hook receives. Templates can read these names
 * anywhere.
 */
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

const READ_ONLY = ['id', 'settings_of', 'created_at', 'updated_at'] as const
const alarmPatch = z.strictObject(
  alarm.omit({ id: true, settings_of: true, created_at: true, updated_at: true }).partial().shape,
)
export type AlarmPatch = z.output<typeof alarmPatch>
const newAlarm = alarmPatch.required({ kind: true, events: true })
export type NewAlarm = z.output<typeof newAlarm>

const sentAlarm = z.object({
  alarm_id: z
    .string()
    .meta(doc('ID of the alarm in the list of alarms.', '7c9e6679-7425-40de-944b-e07fc1f90ae7')),
  channel: z
    .enum(RECEIVER_KINDS)
    .describe('Where it went: `notification`, `email`, `flow` or `url`.')
    .meta({ examples: ['email'] }),
  ok: z.boolean().describe('Whether it was delivered.'),
  message: z
    .string()
    .meta(doc('The destination, or the reason why it was not delivered.', 'Sent to ada@example.com')),
})
export type SentAlarm = z.output<typeof sentAlarm>

export const testAlarmsRoute = defineRoute({
  method: 'POST',
  path: '/v1/alarms/test',
  name: 'test_alarms',
  summary: 'Send a test alarm now, to all that a flow or any flow has',
  access: can('settings', 'update'),
  status: 200,
  body: z.strictObject({
    flow_id: uuid
      .nullable()
      .meta(
        doc(
          'ID of the flow that it is about. If null, it is sent to all alarms that are not in the settings of a flow.',
          null,
        ),
      ),
  }),
  result: z
    .array(sentAlarm)
    .describe("One result per alarm that it was sent to. If empty, alarms aren't sent anywhere."),
})

export const listAlarmsRoute = defineRoute({
  method: 'GET',
  path: '/v1/alarms',
  summary: 'List alarms: who hears of what, with those in the settings of flows',
  access: can('settings', 'read'),
  status: 200,
  result: z.array(alarm),
})

export const createAlarmRoute = defineRoute({
  method: 'POST',
  path: '/v1/alarms',
  summary:
    'Add an alarm; like the settings that expose this computer, it is for the app and the command line',
  access: 'session',
  status: 201,
  body: newAlarm,
  readOnly: READ_ONLY,
  result: alarm,
})

export const readAlarmRoute = defineRoute({
  method: 'GET',
  path: '/v1/alarms/:id',
  summary: 'Read an alarm',
  access: can('settings', 'read'),
  status: 200,
  params: idParams,
  result: alarm,
})

export const updateAlarmRoute = defineRoute({
  method: 'PUT',
  path: '/v1/alarms/:id',
  summary: 'Change an alarm; absent keys stay as they are',
  access: 'session',
  status: 200,
  params: idParams,
  body: alarmPatch,
  readOnly: READ_ONLY,
  result: alarm,
})

export const deleteAlarmRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/alarms/:id',
  summary: 'Delete an alarm',
  access: 'session',
  status: 204,
  params: idParams,
})

export const testAlarmRoute = defineRoute({
  method: 'POST',
  path: '/v1/alarms/:id/test',
  name: 'test_alarm',
  summary: 'Send a test alarm now, to one alarm of the list',
  access: can('settings', 'update'),
  status: 200,
  params: idParams,
  result: sentAlarm,
})

export const alarmRoutes = {
  testAlarmsRoute,
  listAlarmsRoute,
  createAlarmRoute,
  readAlarmRoute,
  updateAlarmRoute,
  deleteAlarmRoute,
  testAlarmRoute,
}
