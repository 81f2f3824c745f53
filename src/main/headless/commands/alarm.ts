import {
  ALARM_EVENTS,
  type AlarmEvent,
  type AlarmReceiver,
  createAlarmRoute,
  deleteAlarmRoute,
  listAlarmsRoute,
  type NewAlarm,
  testAlarmRoute,
} from '../../../shared/contract/alarms.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findFlow } from '../support/find-record.ts'
import type { HostClient } from '../support/host-client.ts'
import { formatTable } from '../support/output.ts'
import { withHost } from '../support/with-host.ts'

export async function listAlarms({ config, output }: CommandContext): Promise<void> {
  const alarms = await withHost(config, (host) => host.call(listAlarmsRoute))
  output.answer(alarms, alarms.length === 0 ? 'There are no alarms.' : describeAlarms(alarms))
}

export interface CreateAlarmOptions {
  readonly email?: readonly string[]
  readonly url?: string
  readonly startFlow?: string
  readonly notification?: boolean
  readonly on?: string
  readonly flow?: readonly string[]
}

export async function createAlarm(
  { config, output }: CommandContext,
  options: CreateAlarmOptions,
): Promise<void> {
  const created = await withHost(config, async (host) =>
    host.call(createAlarmRoute, { body: await toBody(host, options) }),
  )
  output.answer(created, `Created alarm ${created.id}: ${targetOf(created)}.`)
}

export async function deleteAlarm(
  { config, output }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  await withHost(config, (host) => host.call(deleteAlarmRoute, { params: { id } }))
  output.answer({ id, deleted: true }, `Deleted alarm ${id}.`)
}

export async function testAlarm(
  { config, output }: CommandContext,
  _options: unknown,
  id: string,
): Promise<ExitCode> {
  const sent = await withHost(config, (host) => host.call(testAlarmRoute, { params: { id } }))
  output.answer(sent, sent.message)
  return sent.ok ? EXIT.ok : EXIT.failed
}

async function toBody(host: HostClient, options: CreateAlarmOptions): Promise<NewAlarm> {
  const { email = [], url, startFlow, notification, on = 'failed,recovered', flow = [] } = options
  const targets: NewAlarm[] = []
  const events = readEvents(on)
  if (email.length > 0) targets.push({ kind: 'email', email_to: [...email], events })
  if (url !== undefined) targets.push({ kind: 'url', url, events })
  if (startFlow !== undefined)
    targets.push({ kind: 'flow', flow_id: (await findFlow(host, startFlow)).id, events })
  if (notification === true) targets.push({ kind: 'notification', events })
  const [target, ...others] = targets
  if (target === undefined || others.length > 0)
    throw new HostError(
      EXIT.usage,
      'Say whom to notify with exactly one of --email, --url, --start-flow and --notification',
    )
  if (flow.length === 0) return target
  const flowIds: string[] = []
  for (const wanted of flow) flowIds.push((await findFlow(host, wanted)).id)
  return { ...target, flows: 'chosen', flow_ids: flowIds }
}

function readEvents(text: string): AlarmEvent[] {
  return text.split(',').map((part) => {
    const event = ALARM_EVENTS.find((name) => name === part.trim())
    if (event !== undefined) return event
    throw new HostError(
      EXIT.usage,
      `--on has "${part.trim()}", but its events are ${ALARM_EVENTS.join(', ')}`,
    )
  })
}

function describeAlarms(alarms: readonly AlarmReceiver[]): string {
  return formatTable(
    ['ID', 'NOTIFIES', 'ON', 'FLOWS'],
    alarms.map((alarm) => [
      alarm.id,
      targetOf(alarm),
      alarm.events.join(','),
      alarm.flows === 'chosen' ? alarm.flow_ids.join(',') : alarm.flows,
    ]),
  )
}

function targetOf({ kind, email_to: to, flow_id: flowId, url }: AlarmReceiver): string {
  if (kind === 'email') return to.join(',')
  if (kind === 'flow') return `flow ${flowId}`
  return url ?? 'in the app'
}
