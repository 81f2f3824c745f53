/** The content of alarms, and their receivers. */
import {
  ALARM_INPUT,
  type AlarmEvent,
  type AlarmKind,
  type AlarmReceiver,
  type AlarmSettings,
} from '../../../../shared/contract/alarms.ts'
import { ERROR_FLOW_INPUT } from '../../../../shared/contract/flows.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { StoredReceiver } from '../../../store/index.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'

/** A receiver, and the events it is told about. */
export type Receiver = Omit<AlarmReceiver, 'created_at' | 'updated_at'>

/** An alarm that is waiting to be sent. */
export interface Alarm {
  /** The same for every attempt, so that receivers can recognize a repeat. */
  readonly id: string
  readonly kind: AlarmKind | 'test'
  readonly flow_id: string | null
  readonly flow_name: string | null
  readonly flow_run_id: string | null
  readonly message: string
  /** The number of events it reports. */
  readonly count: number
  readonly at: string
}

type Defaults = Pick<Settings, 'alarms'>
/** The part of a flow that determines the receivers of its alarms. */
type HeardFlow = Pick<RunnableFlow, 'id' | 'settings'>

/** The flow's own alarm settings, or else the defaults. */
export const settingsOf = (own: AlarmSettings | null, { alarms }: Defaults): AlarmSettings => own ?? alarms

/** The receivers in the settings of a flow: its error flow and its own alarms. */
export function ownReceivers({ id, settings }: HeardFlow): readonly Receiver[] {
  const { error_handling_flow_id: errorFlow, alarms } = settings
  const one = (name: string, parts: Pick<Receiver, 'kind' | 'events'> & Partial<Receiver>): Receiver => ({
    id: `${id}.${name}`,
    email_to: [],
    flow_id: null,
    url: null,
    flows: 'chosen',
    flow_ids: [id],
    settings_of: id,
    ...parts,
  })
  const events = alarms === null ? [] : eventsOf(alarms)
  return [
    ...(errorFlow === null
      ? []
      : [one('error_flow', { kind: 'flow', flow_id: errorFlow, events: ['run_failed'] })]),
    ...(alarms?.notify ? [one('notification', { kind: 'notification', events })] : []),
    ...(alarms && alarms.email_to.length > 0
      ? [one('email', { kind: 'email', email_to: alarms.email_to, events })]
      : []),
    ...(alarms && alarms.flow_id !== null
      ? [one('flow', { kind: 'flow', flow_id: alarms.flow_id, events })]
      : []),
  ]
}

function eventsOf({ on_failure, on_missed, silent_after_minutes }: AlarmSettings): AlarmEvent[] {
  const troubles = [
    ...(on_failure ? (['failed'] as const) : []),
    ...(silent_after_minutes === null ? [] : (['silent'] as const)),
    ...(on_missed ? (['missed'] as const) : []),
  ]
  return troubles.length === 0 ? [] : [...troubles, 'recovered']
}

/** All receivers that are told about a flow. */
export function receiversOf(flow: HeardFlow, stored: readonly StoredReceiver[]): readonly Receiver[] {
  const isHeard = ({ flows, flow_ids: ids }: StoredReceiver) =>
    flows === 'chosen' ? ids.includes(flow.id) : flows === 'all' || flow.settings.alarms === null
  return [...ownReceivers(flow), ...stored.filter(isHeard).map(toReceiver)]
}

export const toReceiver = ({ setting: _setting, ...receiver }: StoredReceiver): Receiver => ({
  ...receiver,
  settings_of: null,
})

/** Whether the receiver is told about an event; for `recovered`, `from` is the event that the flow recovers from. */
export function hears({ events }: Pick<Receiver, 'events'>, kind: AlarmKind, from: AlarmKind): boolean {
  return events.includes(kind) && (kind === from || events.includes(from) || events.length === 1)
}

/** Whether failed runs of an active flow are announced in the app. */
export function tellsFailures(flow: HeardFlow, stored: readonly StoredReceiver[]): boolean {
  return receiversOf(flow, stored).some(
    ({ kind, events }) => kind === 'notification' && events.includes('failed'),
  )
}

/** Whether the receiver is told about each failed run, and about nothing else. */
export const isErrorFlow = ({ events }: Pick<Receiver, 'events'>): boolean => events.join() === 'run_failed'

/** The flows that each failed run of this flow starts, whatever started the run. */
export function errorFlowsOf(flow: HeardFlow, stored: readonly StoredReceiver[]): readonly string[] {
  const ids = receiversOf(flow, stored).flatMap(({ events, flow_id: id }) =>
    events.includes('run_failed') && id !== null && id !== flow.id ? [id] : [],
  )
  return [...new Set(ids)]
}

/** The input of a flow that receives alarms, and the body of a request to a URL. */
export function inputOf(alarm: Alarm): Data {
  const values: Record<(typeof ALARM_INPUT)[number], Data> = {
    alarm_id: alarm.id,
    alarm_kind: alarm.kind,
    alarm_message: alarm.message,
    alarm_count: alarm.count,
    alarm_at: alarm.at,
    alarm_flow_id: alarm.flow_id,
    alarm_flow_name: alarm.flow_name,
    alarm_flow_run_id: alarm.flow_run_id,
  }
  return dictionaryOf(ALARM_INPUT.map((name) => [name, values[name]]))
}

/** The input for testing a flow that is told about each failed run. */
export function errorInputOf(alarm: Alarm): Data {
  const values: Record<(typeof ERROR_FLOW_INPUT)[number], string | null> = {
    error_flow_id: alarm.flow_id,
    error_flow_name: alarm.flow_name,
    error_flow_run_id: alarm.flow_run_id,
    error_step: null,
    error_message: alarm.message,
  }
  return dictionaryOf(ERROR_FLOW_INPUT.map((name) => [name, values[name]]))
}

export function failedMessage(name: string, reason: string): string {
  return `A run of "${name}" failed${reason === '' ? '' : `: ${reason}`}`
}

export function checkFailedMessage(name: string, reason: string): string {
  return `"${name}" can't look for anything new: ${reason}`
}

export function failedAgainMessage(name: string, count: number, latest: string): string {
  return `"${name}" failed ${times(count)} more within ten minutes. The latest: ${latest}`
}

export function missedMessage(name: string, due: number, { wasOff, isSkipped }: MissedTime): string {
  const why = wasOff ? ' while Millrace was off' : ''
  return `"${name}" missed its time ${new Date(due).toISOString()}${why}; ${isSkipped ? 'it was skipped' : 'it runs now'}`
}

export interface MissedTime {
  readonly wasOff: boolean
  /** If false, the flow runs late. */
  readonly isSkipped: boolean
}

export function silentMessage(name: string, { silentMs, offMs, limit }: Silence): string {
  const off = offMs < MINUTE_MS ? '' : `, not counting ${inWords(offMs)} while Millrace was off`
  return `"${name}" hasn't run for ${inWords(silentMs)}${off}; its limit is ${inWords(limit * MINUTE_MS)}`
}

export interface Silence {
  readonly silentMs: number
  readonly offMs: number
  /** The limit in minutes. */
  readonly limit: number
}

export function recoveredMessage(name: string, heldBack: number): string {
  return `"${name}" works again${heldBack === 0 ? '' : `, after ${times(heldBack)} more that it failed`}`
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

function inWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS))
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)]
  const parts = [
    [days, 'day'],
    [hours, 'hour'],
    [minutes % 60, 'minute'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ')
}

const MINUTE_MS = 60_000
