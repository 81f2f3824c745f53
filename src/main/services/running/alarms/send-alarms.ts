/** Sends alarms that are due, and test alarms, to each of their channels. */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type { AlarmChannel, SentAlarm } from '../../../../shared/contract/alarms.ts'
import type { Store } from '../../../store/index.ts'
import { type Alarm, hookChannels, ownChannels, settingsOf } from './alarm.ts'
import { type AlarmsOptions, attempt, createDelivery } from './deliver.ts'

type DueAlarm = ReturnType<Store['alarms']['due']>[number]

export function createSending(options: AlarmsOptions, isRunning: () => boolean) {
  const { store, runnable, settings, random, clock, log } = options
  const deliver = createDelivery(options)

  /** Each channel separately: a failed one is retried, the others don't get the alarm again. */
  async function send({ id, attempts, ...due }: DueAlarm): Promise<void> {
    const alarm = due.body as Alarm
    let left = due.channels as readonly AlarmChannel[]
    for (const channel of left) {
      if (!isRunning()) return
      const others = left.filter((name) => name !== channel)
      // Due again at once, in case the process is killed before the other channels have it.
      const done = () => store.alarms.keep(id, { channels: others, attempts, at: clock.now() })
      const { ok, message } = await attempt(channel, () => deliver(alarm, channel, done))
      if (ok) left = others
      else log.warn({ channel, alarmId: alarm.id, flowId: alarm.flow_id, reason: message }, FAILED)
    }
    if (left.length === 0) return
    const isLast = attempts >= RETRY_AFTER_MS.length
    const at = clock.now() + (RETRY_AFTER_MS[attempts] ?? 0)
    await store.write(() =>
      store.alarms.keep(id, { channels: isLast ? [] : left, attempts: attempts + 1, at }),
    )
    if (isLast) log.error({ channels: left, alarmId: alarm.id, flowId: alarm.flow_id }, GIVEN_UP)
  }

  /** @throws AppError `not_found` */
  async function test(flowId: string | null): Promise<SentAlarm[]> {
    const flow = flowId === null ? null : runnable.get(flowId)
    if (flowId !== null && flow === null)
      throw new AppError(
        'not_found',
        say('There is no flow "{{id}}"; see the list of flows', { id: flowId.slice(0, 60) }),
      )
    const defaults = settings()
    const own = ownChannels(settingsOf(flow?.settings.alarms ?? null, defaults), defaults)
    const alarm: Alarm = {
      id: random.uuid(),
      kind: 'test',
      flow_id: flowId,
      flow_name: flow?.name ?? null,
      flow_run_id: null,
      message: flow === null ? 'This is a test alarm' : `This is a test alarm of "${flow.name}"`,
      count: 1,
      at: new Date(clock.now()).toISOString(),
    }
    const channels = [...own, ...(flow === null ? hookChannels(defaults) : [])]
    return Promise.all(
      channels.map((channel) => attempt(channel, () => deliver(alarm, channel, () => undefined))),
    )
  }

  return { send, test }
}

const FAILED = "An alarm couldn't be sent"
const GIVEN_UP = "An alarm couldn't be sent, also after several attempts"
const RETRY_AFTER_MS: readonly number[] = [1, 5, 15, 60].map((minutes) => minutes * 60_000)
