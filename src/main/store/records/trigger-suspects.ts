/** What triggers were reading when the program died, and what they can't read. */
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'

export interface Suspect {
  /** One of the trigger's entries, or `''` for all it looks at. */
  readonly item: string
  /**
   * `suspect`: the program has died while it was read. `set_aside`: it isn't read again. `retry`: somebody wants it read
   * once more.
   */
  readonly state: 'suspect' | 'set_aside' | 'retry'
  readonly deaths: number
  readonly at: number
}

export interface TriggerSuspectRepository {
  /** Marks what the trigger reads from now on; null: nothing. */
  noteReading(flowId: string, item: string | null): void
  /** Call once at the start: what was being read becomes suspect if the program died. */
  recover(endedCleanly: boolean, now: number): void
  of(flowId: string): readonly Suspect[]
  /** What was stored with it, as JSON; null if nothing was. Throws if it can't be decrypted. */
  details(flowId: string, item: string): string | null
  setAside(flowId: string, item: string, details: string, now: number): void
  /** Everything that was set aside is to be read once more. */
  retry(flowId: string): void
  remove(flowId: string, item: string): void
}

const OF_FLOW = 'flow_key = (SELECT key FROM flows WHERE id = @id)'
const ownerOf = (flowId: string): SecretOwner => `triggers:${flowId}`

export function createTriggerSuspectRepository(db: Database, box: SecretBox): TriggerSuspectRepository {
  const setReading = command(db, `UPDATE triggers SET reading = @item WHERE ${OF_FLOW}`)
  const countDeath = command(
    db,
    `INSERT INTO trigger_suspects (flow_key, item, state, deaths, at)
     SELECT flow_key, reading, 'suspect', 1, @now FROM triggers WHERE reading IS NOT NULL
     ON CONFLICT (flow_key, item) DO UPDATE SET deaths = deaths + 1, at = excluded.at`,
  )
  const clearReading = command(db, 'UPDATE triggers SET reading = NULL WHERE reading IS NOT NULL')
  const ofFlow = rows<Suspect>(
    db,
    `SELECT item, state, deaths, at FROM trigger_suspects WHERE ${OF_FLOW} ORDER BY at DESC, length(item) DESC, item DESC`,
  )
  const sealed = rows<{ readonly sealed: Buffer | null }>(
    db,
    `SELECT sealed FROM trigger_suspects WHERE ${OF_FLOW} AND item = @item`,
  )
  const put = command(
    db,
    `INSERT INTO trigger_suspects (flow_key, item, state, deaths, at, sealed)
     SELECT flow_key, @item, 'set_aside', 0, @now, @sealed FROM triggers WHERE ${OF_FLOW}
     ON CONFLICT (flow_key, item) DO UPDATE SET state = 'set_aside', at = excluded.at, sealed = excluded.sealed`,
  )
  const again = command(
    db,
    `UPDATE trigger_suspects SET state = 'retry', deaths = min(deaths, 1) WHERE ${OF_FLOW} AND state = 'set_aside'`,
  )
  const remove = command(db, `DELETE FROM trigger_suspects WHERE ${OF_FLOW} AND item = @item`)
  return {
    noteReading: (id, item) => void setReading.run({ id, item }),
    recover(endedCleanly, now) {
      if (!endedCleanly) countDeath.run({ now })
      clearReading.run()
    },
    of: (id) => ofFlow.all({ id }),
    details(id, item) {
      const found = sealed.get({ id, item })?.sealed ?? null
      return found === null ? null : box.open(ownerOf(id), found)
    },
    setAside: (id, item, details, now) =>
      void put.run({ id, item, now, sealed: box.seal(ownerOf(id), details) }),
    retry: (id) => void again.run({ id }),
    remove: (id, item) => void remove.run({ id, item }),
  }
}
