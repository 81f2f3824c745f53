/** Sends an alarm to one of its receivers. */
import { quoted, say, type Said, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type { SentAlarm } from '../../../../shared/contract/alarms.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { SendMail } from '../../../engine/flow/model/ports.ts'
import type { Clock, SendRequest } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { newRun } from '../execution/run-executor.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { storedJson } from '../../kit/json-codec.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import type { RunQueue } from '../runs/queue.ts'
import { type Alarm, errorInputOf, inputOf, isErrorFlow, type Receiver } from './alarm.ts'

export interface DeliveryOptions {
  readonly store: Pick<Store, 'flowRuns' | 'secretBox' | 'users' | 'write'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly queue: Pick<RunQueue, 'enqueue' | 'notifyEnqueued'>
  readonly settings: () => Settings
  readonly openAuth: (userId: string, authId: string) => Promise<OpenAuth>
  readonly sendMail: SendMail
  readonly sendRequest: SendRequest
  readonly events: Pick<EventsService, 'emit'>
  readonly clock: Pick<Clock, 'now'>
  /** Base URL of the app. */
  readonly url: () => string
}

export interface AlarmsOptions extends DeliveryOptions {
  readonly store: DeliveryOptions['store'] & Pick<Store, 'alarmReceivers' | 'alarms' | 'flows'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: DeliveryOptions['events'] & { listen: Listen }
  readonly log: Log
}

type Listen = (listener: (event: { noun: string | null; id: string | null }) => void) => void

/**
 * @param done called inside the write that records the delivery to this receiver; for a flow, that is the write that
 *   stores its run
 * @returns the destination, in words
 * @throws AppError or a network error
 */
export type Deliver = (alarm: Alarm, receiver: Receiver, done: () => void) => Promise<Said>

export function createDelivery(options: DeliveryOptions): Deliver {
  const { store, runnable, queue, settings, openAuth, sendMail, sendRequest, events, clock, url } = options

  async function sendEmail(alarm: Alarm, to: readonly string[]): Promise<Said> {
    const { alarm_mail: mail } = settings()
    if (mail === null)
      throw new AppError(
        'conflict',
        say('No mail server is chosen for alarms; choose one in Settings, Alarms'),
      )
    const auth = await openAuth(store.users.local().id, mail.auth_id)
    const from = mail.from ?? auth.username
    if (!from.includes('@'))
      throw new AppError(
        'validation',
        say('The sender of alarms must be an email address, got "{{value}}"; enter it in Settings', {
          value: from,
        }),
      )
    const link = alarm.flow_run_id === null ? null : `${url()}/runs/${alarm.flow_run_id}`
    await sendMail(
      {
        auth,
        messageId: `<${alarm.id}@millrace>`,
        from,
        to: [...to],
        cc: [],
        bcc: [],
        replyTo: null,
        subject: `[Millrace] ${alarm.message.replaceAll(/\s+/g, ' ').slice(0, 150)}`,
        text: `${alarm.message}\n${link === null ? '' : `\n${link}\n`}\n${alarm.at}\n`,
        html: '',
        attachments: [],
      },
      AbortSignal.timeout(SEND_WITHIN_MS),
    )
    return say('Sent to {{to}}', { to: to.join(', ') })
  }

  async function postTo(address: string, alarm: Alarm): Promise<Said> {
    const { status } = await sendRequest(
      {
        method: 'POST',
        url: address,
        headers: [
          ['Content-Type', 'application/json'],
          ['Idempotency-Key', alarm.id],
        ],
        body: storedJson.stringify(inputOf(alarm)),
      },
      { timeoutMs: SEND_WITHIN_MS, maxBodyBytes: 1_000_000 },
    )
    if (status < 300) return say('Sent to {{address}}, which responded with {{status}}', { address, status })
    throw new AppError('unavailable', say('{{address}} responded with {{status}}', { address, status }))
  }

  function requireFlow(id: string | null): RunnableFlow {
    const flow = id === null ? null : runnable.get(id)
    if (flow === null)
      throw new AppError(
        'not_found',
        say('The flow "{{id}}" for alarms no longer exists; choose another one', { id: String(id) }),
      )
    if (flow.status === 'paused')
      throw new AppError(
        'conflict',
        say('The flow "{{name}}" for alarms is paused; activate it', { name: flow.name }),
      )
    return flow
  }

  async function startFlow(receiver: Receiver, alarm: Alarm, done: () => void): Promise<Said> {
    const flow = requireFlow(receiver.flow_id)
    // For error flows, only tests get here, because failed runs start these flows in their own commit.
    const input = isErrorFlow(receiver) ? errorInputOf(alarm) : inputOf(alarm)
    if (store.secretBox.locked)
      throw new AppError(
        'unavailable',
        say('"{{name}}" can\'t be started while the master key is missing', { name: flow.name }),
      )
    const runId = store.flowRuns.newId()
    const at = new Date(clock.now()).toISOString()
    const run = {
      ...newRun(flow, { id: runId, trigger: 'flow' }, at),
      status: 'queued',
      started_at: null,
    } as const
    await store.write(() => {
      // A failure of this run must not cause another alarm.
      queue.enqueue({ flow, run, start: { input, webhook: null, handlesError: true } })
      done()
    })
    events.emit({ type: 'created', noun: 'flow_run', id: runId, flow_id: flow.id, status: 'queued' })
    queue.notifyEnqueued()
    return say('Started "{{name}}", run {{id}}', { name: flow.name, id: runId })
  }

  function notify({ id, kind, message, count, flow_id, flow_name, flow_run_id }: Alarm): Said {
    events.emit({
      type: 'created',
      noun: 'notice',
      id: flow_run_id ?? id,
      kind,
      message,
      count,
      flow_id,
      flow_name,
      flow_run_id,
    })
    return say('Shown in the app')
  }

  const sent = async (work: Promise<Said> | Said, done: () => void) => {
    const where = await work
    await store.write(done)
    return where
  }

  return (alarm, receiver, done) => {
    const { kind, email_to: to, url: address } = receiver
    if (kind === 'flow') return startFlow(receiver, alarm, done)
    if (kind === 'email') return sent(sendEmail(alarm, to), done)
    return sent(kind === 'url' && address !== null ? postTo(address, alarm) : notify(alarm), done)
  }
}

/** Makes an attempt, and puts its result in words. */
export async function attempt({ id, kind }: Receiver, work: () => Promise<Said>): Promise<SentAlarm> {
  const result = { alarm_id: id, channel: kind }
  try {
    return { ...result, ok: true, ...spoken(await work()) }
  } catch (error) {
    return {
      ...result,
      ok: false,
      ...spoken(error instanceof Error ? sentenceOf(error) : quoted(String(error))),
    }
  }
}

const SEND_WITHIN_MS = 30_000
