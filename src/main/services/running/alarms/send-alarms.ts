/** Sends alarms that are due, and test alarms, to each of their receivers. */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type { SentAlarm } from '../../../../shared/contract/alarms.ts'
import type { Store } from '../../../store/index.ts'
import { type Alarm, isErrorFlow, ownReceivers, type Receiver, receiversOf, toReceiver } from './alarm.ts'
import { type AlarmsOptions, attempt, createDelivery } from './deliver.ts'

type DueAlarm = ReturnType<Store['alarms']['due']>[number]

export function createSending(options: AlarmsOptions, isRunning: () => boolean) {
  const { store, runnable, random, clock, log } = options
  const deliver = createDelivery(options)

  /** The receivers in the list, and those in the settings of the flow. */
  function receiversFor(flowId: string | null): readonly Receiver[] {
    const stored = store.alarmReceivers.all()
    const flow = flowId === null ? null : runnable.get(flowId)
    return [...(flow === null ? [] : ownReceivers(flow)), ...stored.map(toReceiver)]
  }

  /** Sends to each receiver separately: a failed delivery is retried, and the others don't get the alarm again. */
  async function send({ id, attempts, ...due }: DueAlarm): Promise<void> {
    const alarm = due.body as Alarm
    const known = receiversFor(alarm.flow_id)
    // Receivers that were deleted in the meantime are left out.
    let left = due.channels.filter((name) => known.some((receiver) => receiver.id === name))
    if (left.length === 0)
      await store.write(() => store.alarms.keep(id, { channels: [], attempts, at: clock.now() }))
    for (const receiver of known.filter((one) => due.channels.includes(one.id))) {
      if (!isRunning()) return
      const others = left.filter((name) => name !== receiver.id)
      // The alarm is due again at once, in case the process is killed before the other receivers have it.
      const done = () => store.alarms.keep(id, { channels: others, attempts, at: clock.now() })
      const { ok, message } = await attempt(receiver, () => deliver(alarm, receiver, done))
      if (ok) left = others
      else
        log.warn(
          { channel: receiver.kind, alarmId: alarm.id, flowId: alarm.flow_id, reason: message },
          FAILED,
        )
    }
    if (left.length === 0) return
    const isLast = attempts >= RETRY_AFTER_MS.length
    const at = clock.now() + (RETRY_AFTER_MS[attempts] ?? 0)
    await store.write(() =>
      store.alarms.keep(id, { channels: isLast ? [] : left, attempts: attempts + 1, at }),
    )
    if (isLast) log.error({ channels: left, alarmId: alarm.id, flowId: alarm.flow_id }, GIVEN_UP)
  }

  const testOf = (flow: { readonly id: string; readonly name: string } | null): Alarm => ({
    id: random.uuid(),
    kind: 'test',
    flow_id: flow?.id ?? null,
    flow_name: flow?.name ?? null,
    flow_run_id: null,
    message: flow === null ? 'This is a test alarm' : `This is a test alarm of "${flow.name}"`,
    count: 1,
    at: new Date(clock.now()).toISOString(),
  })

  const tryOne = (alarm: Alarm, receiver: Receiver) =>
    attempt(receiver, () => deliver(alarm, receiver, () => undefined))

  /**
   * Sends a test to all receivers of a flow, or to the whole list, but not to error flows, which would try to repair
   * something.
   *
   * @throws AppError `not_found`
   */
  async function testAll(flowId: string | null): Promise<SentAlarm[]> {
    const flow = flowId === null ? null : runnable.get(flowId)
    if (flowId !== null && flow === null)
      throw new AppError(
        'not_found',
        say('There is no flow "{{id}}"; see the list of flows', { id: flowId.slice(0, 60) }),
      )
    const stored = store.alarmReceivers.all()
    const receivers = flow === null ? stored.map(toReceiver) : receiversOf(flow, stored)
    const alarm = testOf(flow)
    const told = receivers.filter((receiver) => !isErrorFlow(receiver))
    return Promise.all(told.map((receiver) => tryOne(alarm, receiver)))
  }

  const test = (receiver: Receiver): Promise<SentAlarm> =>
    tryOne(testOf(receiver.settings_of === null ? null : runnable.get(receiver.settings_of)), receiver)

  return { send, test, testAll }
}

const FAILED = "An alarm couldn't be sent"
const GIVEN_UP = "An alarm couldn't be sent, even after several attempts"
const RETRY_AFTER_MS: readonly number[] = [1, 5, 15, 60].map((minutes) => minutes * 60_000)
