/** The settings `alarms` and `event_hook`, which are read from and written to the list of alarms. */
import { ALARM_KINDS, type AlarmEvent, type AlarmSettings } from '../../../../shared/contract/alarms.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { Store, StoredReceiver } from '../../../store/index.ts'

type Setting = NonNullable<StoredReceiver['setting']>
type Named = Pick<Settings, 'alarms' | 'event_hook'>

/** @param settings the stored settings, whose `alarms` contain no receivers */
export function readAlarmSettings(
  { alarms }: Pick<Settings, 'alarms'>,
  receivers: readonly StoredReceiver[],
): Named {
  const of = (name: Setting) => receivers.find(({ setting }) => setting === name)
  const [notification, email, flow] = [of('notification'), of('email'), of('flow')]
  const [hookFlow, hookUrl] = [of('hook_flow'), of('hook_url')]
  const own = [notification, email, flow].filter((one) => one !== undefined)
  const hooks = [hookFlow, hookUrl].filter((one) => one !== undefined)
  const hears = (kind: AlarmEvent, all: readonly StoredReceiver[]) =>
    all.some(({ events }) => events.includes(kind))
  return {
    alarms: {
      ...alarms,
      on_failure: own.length === 0 ? alarms.on_failure : hears('failed', own),
      on_missed: own.length === 0 ? alarms.on_missed : hears('missed', own),
      notify: notification !== undefined,
      email_to: [...(email?.email_to ?? [])],
      flow_id: flow?.flow_id ?? null,
    },
    event_hook:
      hooks.length === 0
        ? null
        : {
            events: ALARM_KINDS.filter((kind) => hears(kind, hooks)),
            flow_id: hookFlow?.flow_id ?? null,
            url: hookUrl?.url ?? null,
          },
  }
}

/** The part of a patch that is stored in `store.settings`. */
export function keptOf({ alarms, event_hook: _hook, ...patch }: Partial<Settings>): Partial<Settings> {
  return alarms === undefined ? patch : { ...patch, alarms: { ...alarms, ...NOBODY } }
}

const NOBODY: Pick<AlarmSettings, 'notify' | 'email_to' | 'flow_id'> = {
  notify: false,
  email_to: [],
  flow_id: null,
}

interface Written {
  readonly patch: { readonly [K in keyof Named]?: Named[K] | undefined }
  readonly before: Named
  readonly receivers: Store['alarmReceivers']
  readonly newId: () => string
  readonly at: string
}

/** Call it inside a write. Only applies differences, so that sending all settings back changes no receiver. */
export function writeAlarmSettings({ patch, before, receivers, newId, at }: Written): void {
  const known = receivers.all()

  function put(setting: Setting, target: Target | null, events: Events): void {
    const held = known.find((receiver) => receiver.setting === setting)
    if (target === null) {
      if (held !== undefined) receivers.delete(held.id)
      return
    }
    const receiver = held ?? {
      ...EMPTY,
      id: newId(),
      flows: setting.startsWith('hook_') ? ('all' as const) : ('default' as const),
      setting,
      created_at: at,
      updated_at: at,
    }
    const next = {
      ...receiver,
      ...target,
      events: [...(held === undefined ? events.first : events.next(held.events))],
    }
    if (held === undefined) receivers.insert(next)
    else if (JSON.stringify(next) !== JSON.stringify(held)) receivers.update({ ...next, updated_at: at })
  }

  const { alarms, event_hook: hook } = patch
  if (alarms !== undefined) {
    const events = alarmEvents(alarms, before.alarms)
    put('notification', alarms.notify ? { kind: 'notification' } : null, events)
    put('email', alarms.email_to.length > 0 ? { kind: 'email', email_to: alarms.email_to } : null, events)
    put('flow', alarms.flow_id === null ? null : { kind: 'flow', flow_id: alarms.flow_id }, events)
  }
  if (hook !== undefined) {
    const first = hook?.events ?? []
    const isSame =
      JSON.stringify(ALARM_KINDS.filter((kind) => first.includes(kind))) ===
      JSON.stringify(before.event_hook?.events)
    const events: Events = { first, next: (held) => (isSame ? held : first) }
    put('hook_flow', hook?.flow_id ? { kind: 'flow', flow_id: hook.flow_id } : null, events)
    put('hook_url', hook?.url ? { kind: 'url', url: hook.url } : null, events)
  }
}

type Target = Pick<StoredReceiver, 'kind'> & Partial<Pick<StoredReceiver, 'email_to' | 'flow_id' | 'url'>>

interface Events {
  /** The events of a new receiver. */
  readonly first: readonly AlarmEvent[]
  /** The events of an existing receiver. */
  readonly next: (held: readonly AlarmEvent[]) => readonly AlarmEvent[]
}

/** The limit for silence determines whether there are such alarms, so every receiver gets them. */
function alarmEvents(alarms: AlarmSettings, before: AlarmSettings): Events {
  const wanted = (kind: AlarmEvent, { on_failure, on_missed }: AlarmSettings) =>
    kind === 'failed' ? on_failure : kind === 'missed' ? on_missed : true
  return {
    first: ALARM_KINDS.filter((kind) => wanted(kind, alarms)),
    next: (held) =>
      ALARM_KINDS.filter((kind) =>
        wanted(kind, alarms) === wanted(kind, before) ? held.includes(kind) : wanted(kind, alarms),
      ),
  }
}

const EMPTY = { email_to: [], flow_id: null, url: null, flow_ids: [] }
