/**
 * The last uses and tests of auths. Stored separately from the auths' own records, because a use doesn't change those.
 */
import type { ConnectorAuthUse } from '../../../../shared/contract/connector-auths.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { Clock, OutgoingResponse, SendRequest } from '../../../engine/ports.ts'
import { headerValue } from '../../../engine/request/headers.ts'
import type { Store } from '../../../store/index.ts'
import { may, reachesAuth, reachesFlow, type Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'

export interface ConnectorAuthUsesService {
  /** The uses of all auths that the caller's user can see. */
  list(caller: Caller): ConnectorAuthUse[]
  /** Called when an auth's secrets are read for a call. */
  readonly noteUse: (authId: string) => void
  readonly noteTest: (authId: string, ok: boolean) => void
  /** Call after an auth has changed, so that its next use is recorded at once. */
  readonly noteChange: (authId: string) => void
  /** Call when a server that isn't reached by HTTP has accepted a login. */
  readonly noteLogin: (authId: string) => void
  /** The same sender, which also counts the calls that show whether the credentials work. */
  readonly watched: (auth: OpenAuth | null, send: SendRequest) => SendRequest
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
  /** Time of the last recorded use, by auth, so that a flow that makes a thousand calls writes once. */
  const notedAt = new Map<string, number>()
  /** Counts for the current minute, by auth. A commit for each call would cost too much. */
  const pending = new Map<string, Pending>()

  /** Never fails: if a use can't be recorded, this is only logged. */
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

  /** Stores the result at once if it is the day's first or differs from the last call's; otherwise once a minute. */
  function noteResult(authId: string, ok: boolean): void {
    const now = clock.now()
    const known = pending.get(authId)
    const isNews =
      known === undefined ||
      known.ok !== ok ||
      now < known.storedAt ||
      now - known.storedAt >= NOTED_EVERY_MS ||
      Math.floor(now / DAY_MS) !== Math.floor(known.storedAt / DAY_MS)
    const { worked = 0, rejected = 0 } = known ?? {}
    const counts = { worked: worked + (ok ? 1 : 0), rejected: rejected + (ok ? 0 : 1) }
    if (!isNews) {
      pending.set(authId, { ...known, ...counts })
      return
    }
    pending.set(authId, { ok, storedAt: now, worked: 0, rejected: 0 })
    const at = new Date(now).toISOString()
    void note(authId, at, () => store.connectorAuthUses.noteResults(authId, { at, ok, ...counts }))
  }

  return {
    list(caller) {
      const noted = new Map(store.connectorAuthUses.list(clock.now()).map((use) => [use.auth_id, use]))
      const flows = may(caller, 'flows', 'read') ? store.flows.namedIds() : null
      const auths = store.connectorAuths.list({}, caller.userId).records
      return auths
        .filter(({ id }) => reachesAuth(caller, id))
        .map(({ id }) => ({
          ...(noted.get(id) ?? { auth_id: id, ...NEVER }),
          flows: [...(flows?.get(id) ?? [])].filter((flow) => reachesFlow(caller, flow.id)),
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
    noteChange: (authId) => void pending.delete(authId),
    noteLogin: (authId) => noteResult(authId, true),
    watched(auth, send) {
      if (auth === null || auth.auth_type === 'none') return send
      return async (request, options) => {
        const response = await send(request, options)
        const ok = verdictOf(response)
        if (ok !== null) noteResult(auth.id, ok)
        return response
      }
    },
  }
}

interface Pending {
  /** Whether the last call worked. */
  readonly ok: boolean
  readonly worked: number
  readonly rejected: number
  readonly storedAt: number
}

const DAY_MS = 86_400_000
const NEVER = {
  last_used: null,
  last_tested: null,
  last_test_ok: null,
  last_result: null,
  last_result_ok: null,
  days: [],
}

/** Null if the response says nothing about the credentials. */
function verdictOf({ status, headers, body }: OutgoingResponse): boolean | null {
  if (status < 400) return true
  if (status === 401) return false
  if (status !== 403) return null
  // Usually the credentials are valid but lack the permission for this call.
  const said = Buffer.from(body.subarray(0, 4_000)).toString('latin1')
  const isRejected = headerValue(headers, 'WWW-Authenticate') !== null || ABOUT_CREDENTIALS.test(said)
  return isRejected ? false : null
}

const ABOUT_CREDENTIALS =
  /\b(?:invalid|expired|revoked|missing|wrong|unknown|bad)[ _-](?:api[ _-]?|access[ _-]?|auth(?:entication)?[ _-]?)?(?:key|token|credentials?)\b|\b(?:key|token|credentials?) (?:is|are|has|have) (?:been )?(?:invalid|expired|revoked|missing|not valid)\b/iu
