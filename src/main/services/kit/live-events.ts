/** Live events: every change is announced here and reaches all open streams whose callers can see it. */
import type { LiveEvent, Noun } from '../../../shared/contract/host.ts'
import type { Entity } from '../../../shared/contract/base/scopes.ts'
import { may, reachesAuth, reachesFlow, type Caller } from './caller.ts'

export type EventsService = ReturnType<typeof createEventsService>

/** Events buffered for a slow reader. */
const MAX_WAITING = 1_000

const READY: LiveEvent = Object.freeze({ type: 'ready', noun: null, id: null })

const ENTITIES: { readonly [N in Noun]: Entity | 'own' } = {
  flow: 'flows',
  working_copy: 'flows',
  flow_trigger: 'flows',
  flow_run: 'flow_runs',
  flow_run_step: 'flow_runs',
  webhook_request: 'flow_runs',
  webhook_hold: 'flow_runs',
  plugin: 'flows',
  connector: 'connectors',
  connector_action: 'connectors',
  connector_auth: 'connector_auths',
  env_variable: 'env_variables',
  data_table: 'data_tables',
  file_upload: 'file_uploads',
  user: 'users',
  team: 'teams',
  settings: 'settings',
  tunnel: 'settings',
  notice: 'flow_runs',
  /** A token is only visible to its own user. */
  token: 'own',
  page_session: 'own',
}

/** @param now Unix time in milliseconds */
export function createEventsService(now: () => number = Date.now) {
  const subscriptions = new Set<Subscription>()
  const listeners: ((event: LiveEvent) => void)[] = []
  return {
    /**
     * Announces a change of a record, once it is committed.
     *
     * @param visibleTo ids of the users who can know of the record; defaults to everybody who can read its kind
     */
    emit(event: LiveEvent, visibleTo?: readonly string[]): void {
      for (const listener of listeners) listener(event)
      for (const subscription of subscriptions) subscription.offer(event, visibleTo)
    },
    /** Calls the listener with every event before `emit` returns. For Millrace's own caches. */
    listen: (listener: (event: LiveEvent) => void) => void listeners.push(listener),
    /**
     * Yields changes from now on. Starts with `ready`; a later `ready` means that events were lost and lists have to be
     * reloaded.
     */
    async *subscribe(caller: Caller, signal: AbortSignal): AsyncGenerator<LiveEvent, void, void> {
      const subscription = createSubscription(caller, now)
      subscriptions.add(subscription)
      const wake = () => subscription.wake()
      signal.addEventListener('abort', wake)
      try {
        while (!signal.aborted && !subscription.ended()) {
          yield* subscription.take()
          await subscription.more()
        }
      } finally {
        signal.removeEventListener('abort', wake)
        subscriptions.delete(subscription)
      }
    },
  }
}

interface Subscription {
  offer(event: LiveEvent, visibleTo: readonly string[] | undefined): void
  /** Removes and returns all buffered events. */
  take(): readonly LiveEvent[]
  /** Resolves once an event is buffered, or the subscription is woken. */
  more(): Promise<void>
  wake(): void
  ended(): boolean
}

function createSubscription(caller: Caller, now: () => number): Subscription {
  let waiting: LiveEvent[] = [READY]
  let ended = false
  let bell = Promise.withResolvers<void>()
  return {
    offer(event, visibleTo) {
      ended ||= endsToken(event, caller) || now() >= (caller.endsAt ?? Infinity)
      if (ended) return bell.resolve()
      if (!concerns(event, caller, visibleTo)) return
      // A reader that reloads its lists needs none of the earlier events.
      if (waiting.length >= MAX_WAITING) waiting = [READY]
      else waiting.push(event)
      bell.resolve()
    },
    take() {
      const taken = waiting
      waiting = []
      bell = Promise.withResolvers()
      return taken
    },
    async more() {
      if (waiting.length === 0 && !ended) await bell.promise
    },
    wake: () => bell.resolve(),
    ended: () => ended,
  }
}

function concerns(event: LiveEvent, caller: Caller, visibleTo: readonly string[] | undefined): boolean {
  if (visibleTo && !visibleTo.includes(caller.userId)) return false
  if (event.noun === null) return true
  const entity = ENTITIES[event.noun]
  return (entity === 'own' || may(caller, entity, 'read')) && isReached(event, caller)
}

/** Whether a token for chosen flows or auths may know about the event. */
function isReached({ noun, id, ...about }: LiveEvent, caller: Caller): boolean {
  if (noun === 'connector_auth') return reachesAuth(caller, id ?? '')
  if (caller.flowIds === undefined || noun === null) return true
  if (noun === 'token') return id === caller.tokenId
  if (noun === 'connector' || noun === 'connector_action') return true
  const isOfFlow = noun === 'flow' || noun === 'working_copy' || noun === 'flow_trigger'
  return reachesFlow(caller, isOfFlow ? id : about['flow_id'])
}

/**
 * A token that is revoked or gets a new value, and a browser that is signed out, end the streams opened with them.
 * Using a token, such as to open the stream, doesn't end it.
 */
function endsToken(event: LiveEvent, caller: Caller): boolean {
  const { noun, type, id } = event
  if (noun === 'page_session') return type === 'deleted' && id === caller.pageSessionId
  return noun === 'token' && type !== 'created' && id === caller.tokenId && !('last_used' in event)
}
