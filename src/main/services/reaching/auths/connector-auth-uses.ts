/** When and where auths were last used and tested. Stored apart from their records, which a use doesn't change. */
import type { ConnectorAuthUse } from '../../../../shared/contract/connector-auths.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { may, type Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'

export interface ConnectorAuthUsesService {
  /** For all auths that the caller's user can see. */
  list(caller: Caller): ConnectorAuthUse[]
  /** Called when an auth's secrets are read for a call. */
  readonly noteUse: (authId: string) => void
  readonly noteTest: (authId: string, ok: boolean) => void
}

export interface ConnectorAuthUsesOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectorAuthUses' | 'flows' | 'users' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
}

const NOTED_EVERY_MS = 60_000

export function createConnectorAuthUsesService(options: ConnectorAuthUsesOptions): ConnectorAuthUsesService {
  const { store, clock, events, log } = options
  /** When a use was last recorded, by auth: a flow that makes a thousand calls writes once. */
  const notedAt = new Map<string, number>()

  /** Nothing waits for it, and its failure has no consequences. */
  async function note(authId: string, at: string, work: () => void): Promise<void> {
    try {
      await store.write(work)
      const users = store.users.list().records.map(({ id }) => id)
      const viewers = users.filter((id) => store.connectorAuths.get(authId, id) !== null)
      events.emit({ type: 'updated', noun: 'connector_auth', id: authId, last_used: at }, viewers)
    } catch (error) {
      log.warn({ err: error }, "The last use of a connector auth couldn't be stored")
    }
  }

  return {
    list(caller) {
      const noted = new Map(store.connectorAuthUses.list().map((use) => [use.auth_id, use]))
      const flows = may(caller, 'flows', 'read') ? store.flows.namedIds() : null
      return store.connectorAuths.list({}, caller.userId).records.map(({ id }) => ({
        ...(noted.get(id) ?? { auth_id: id, last_used: null, last_tested: null, last_test_ok: null }),
        flows: [...(flows?.get(id) ?? [])],
      }))
    },
    noteUse(authId) {
      const now = clock.now()
      const last = notedAt.get(authId)
      if (last !== undefined && now >= last && now - last < NOTED_EVERY_MS) return
      notedAt.set(authId, now)
      const at = new Date(now).toISOString()
      void note(authId, at, () => store.connectorAuthUses.noteUse(authId, at))
    },
    noteTest(authId, ok) {
      const at = new Date(clock.now()).toISOString()
      void note(authId, at, () => store.connectorAuthUses.noteTest(authId, at, ok))
    },
  }
}
