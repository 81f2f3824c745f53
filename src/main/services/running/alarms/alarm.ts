/** What an alarm says, and where it goes. */
import {
  ALARM_INPUT,
  type AlarmChannel,
  type AlarmKind,
  type AlarmSettings,
} from '../../../../shared/contract/alarms.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'

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

type Defaults = Pick<Settings, 'alarms' | 'alarm_mail' | 'event_hook'>

export const settingsOf = (own: AlarmSettings | null, { alarms }: Defaults): AlarmSettings => own ?? alarms

/** Where an event goes; for `recovered`, `from` is the event it recovers from. */
export function channelsFor(
  kind: AlarmKind,
  from: AlarmKind,
  own: AlarmSettings | null,
  defaults: Defaults,
): readonly AlarmChannel[] {
  const alarms = settingsOf(own, defaults)
  return [
    ...(isWanted(from, alarms) ? ownChannels(alarms, defaults) : []),
    ...(defaults.event_hook?.events.includes(kind) ? hookChannels(defaults) : []),
  ]
}

/** Whether failed runs of an active flow are announced in the app. */
export function tellsFailures(own: AlarmSettings | null, defaults: Defaults): boolean {
  const { on_failure: isWanted, notify } = settingsOf(own, defaults)
  return isWanted && notify
}

function isWanted(kind: AlarmKind, alarms: AlarmSettings): boolean {
  if (kind === 'failed') return alarms.on_failure
  if (kind === 'missed') return alarms.on_missed
  return kind === 'silent' && alarms.silent_after_minutes !== null
}

export function ownChannels(alarms: AlarmSettings, { alarm_mail: mail }: Defaults): readonly AlarmChannel[] {
  return [
    ...(alarms.notify ? (['notification'] as const) : []),
    ...(alarms.email_to.length > 0 && mail !== null ? (['email'] as const) : []),
    ...(alarms.flow_id === null ? [] : (['flow'] as const)),
  ]
}

export function hookChannels({ event_hook: hook }: Defaults): readonly AlarmChannel[] {
  return [...(hook?.flow_id ? (['hook_flow'] as const) : []), ...(hook?.url ? (['hook_url'] as const) : [])]
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
  /** Otherwise the flow runs late. */
  readonly isSkipped: boolean
}

export function silentMessage(name: string, { silentMs, offMs, limit }: Silence): string {
  const off = offMs < MINUTE_MS ? '' : `, not counting ${inWords(offMs)} while Millrace was off`
  return `"${name}" hasn't run for ${inWords(silentMs)}${off}; its limit is ${inWords(limit * MINUTE_MS)}`
}

export interface Silence {
  readonly silentMs: number
  readonly offMs: number
  /** In minutes. */
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
