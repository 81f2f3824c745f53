/**
 * The list of alarms: receivers and their events. Alarms in the settings of flows are listed too, but changed there.
 */
import {
  ALARM_EVENTS,
  ALARM_KINDS,
  type AlarmPatch,
  type AlarmReceiver,
  type NewAlarm,
  type SentAlarm,
} from '../../../../shared/contract/alarms.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type { Store, StoredReceiver } from '../../../store/index.ts'
import { sentKeys } from '../../kit/patch.ts'
import { ownReceivers, type Receiver } from './alarm.ts'
import type { AlarmsOptions } from './deliver.ts'

interface ReceiversOptions extends Pick<AlarmsOptions, 'random' | 'clock' | 'events'> {
  readonly store: Pick<Store, 'alarmReceivers' | 'flows' | 'write'>
  readonly test: (receiver: Receiver) => Promise<SentAlarm>
}

export function createReceivers({ store, random, clock, events, test }: ReceiversOptions) {
  const now = () => new Date(clock.now()).toISOString()

  const shown = ({ setting: _setting, ...receiver }: StoredReceiver): AlarmReceiver => ({
    ...receiver,
    settings_of: null,
  })

  function ofFlows(): AlarmReceiver[] {
    return store.flows.list().records.flatMap((flow) =>
      ownReceivers(flow).map((receiver) => ({
        ...receiver,
        created_at: flow.created_at,
        updated_at: flow.updated_at,
      })),
    )
  }

  const list = (): AlarmReceiver[] => [...store.alarmReceivers.all().map(shown), ...ofFlows()]

  /** @throws AppError `not_found` */
  function read(id: string): AlarmReceiver {
    const stored = store.alarmReceivers.get(id)
    const found = stored === null ? ofFlows().find((one) => one.id === id) : shown(stored)
    if (found === undefined)
      throw new AppError(
        'not_found',
        say('There is no alarm "{{id}}"; see the list of alarms', { id: id.slice(0, 60) }),
      )
    return found
  }

  /** @throws AppError `conflict` if it is part of the settings of a flow */
  function requireStored(id: string): StoredReceiver {
    const stored = store.alarmReceivers.get(id)
    if (stored !== null) return stored
    const flow = read(id).settings_of
    throw new AppError(
      'conflict',
      say('This alarm is in the settings of the flow {{flow}}; change it there', { flow: String(flow) }),
    )
  }

  /** Leaves out fields that don't belong to the receiver's kind. */
  function sound(receiver: StoredReceiver, before: StoredReceiver | null): StoredReceiver {
    const { kind, flows } = receiver
    const next: StoredReceiver = {
      ...receiver,
      email_to: kind === 'email' ? receiver.email_to : [],
      flow_id: kind === 'flow' ? receiver.flow_id : null,
      url: kind === 'url' ? receiver.url : null,
      events: ALARM_EVENTS.filter((event) => receiver.events.includes(event)),
      flow_ids: flows === 'chosen' ? [...new Set(receiver.flow_ids)] : [],
    }
    requireTarget(next, before)
    requireEvents(next)
    requireFlows(next, before)
    return next
  }

  function requireFlow(field: string, id: string): void {
    if (store.flows.get(id) === null)
      throw fieldErrors({ [field]: [say('there is no flow "{{id}}"; choose another one', { id })] })
  }

  function requireTarget(
    { kind, email_to, flow_id, url }: StoredReceiver,
    before: StoredReceiver | null,
  ): void {
    if (kind === 'email' && email_to.length === 0)
      throw fieldErrors({ email_to: [say('needs at least one email address')] })
    if (kind === 'url' && url === null) throw fieldErrors({ url: [say('needs a URL')] })
    if (kind !== 'flow') return
    if (flow_id === null) throw fieldErrors({ flow_id: [say('needs a flow to start')] })
    // A flow that has been deleted in the meantime must not block all other changes.
    if (flow_id !== before?.flow_id) requireFlow('flow_id', flow_id)
  }

  function requireEvents({ kind, events: heard }: StoredReceiver): void {
    if (heard.length === 0) throw fieldErrors({ events: [say('needs at least one event')] })
    if (kind !== 'flow' && heard.includes('run_failed'))
      throw fieldErrors({
        events: [say('has "run_failed", which can only start flows; choose "failed"')],
      })
  }

  function requireFlows(
    { flow_id, flows, flow_ids: ids }: StoredReceiver,
    before: StoredReceiver | null,
  ): void {
    if (flows !== 'chosen') return
    if (ids.length === 0) throw fieldErrors({ flow_ids: [say('needs at least one flow')] })
    for (const [at, id] of ids.entries()) {
      if (id === flow_id)
        throw fieldErrors({
          [`flow_ids[${at}]`]: [say('is the flow that it starts; choose another flow')],
        })
      if (before?.flow_ids.includes(id) !== true) requireFlow(`flow_ids[${at}]`, id)
    }
  }

  /** The settings contain some of the receivers under their former names. */
  const announce = () => events.emit({ type: 'updated', noun: 'settings', id: null })

  return {
    list,
    read,
    /** @throws AppError `validation` */
    async create(body: NewAlarm): Promise<AlarmReceiver> {
      const at = now()
      const receiver = sound(
        { ...NEW, ...sentKeys(body), id: random.uuid(), created_at: at, updated_at: at } as StoredReceiver,
        null,
      )
      await store.write(() => store.alarmReceivers.insert(receiver))
      announce()
      return shown(receiver)
    },
    /**
     * Absent keys stay unchanged.
     *
     * @throws AppError `not_found`, `validation`, `conflict` if it is part of the settings of a flow
     */
    async update(id: string, patch: AlarmPatch): Promise<AlarmReceiver> {
      const receiver = await store.write(() => {
        const before = requireStored(id)
        const next = sound({ ...before, ...sentKeys(patch), updated_at: now() }, before)
        // If its kind or flows change, or it is no longer told about any event, the former setting can't express it.
        const isSame =
          next.kind === before.kind &&
          next.flows === before.flows &&
          ALARM_KINDS.some((event) => next.events.includes(event))
        const changed = isSame ? next : { ...next, setting: null }
        store.alarmReceivers.update(changed)
        return changed
      })
      announce()
      return shown(receiver)
    },
    /** @throws AppError `not_found`, `conflict` if it is part of the settings of a flow */
    async remove(id: string): Promise<void> {
      await store.write(() => store.alarmReceivers.delete(requireStored(id).id))
      announce()
    },
    /** @throws AppError `not_found` */
    test: async (id: string): Promise<SentAlarm> => test(read(id)),
  }
}

const NEW = { email_to: [], flow_id: null, url: null, flows: 'all', flow_ids: [], setting: null }
