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

export type TriggerSuspectRepository = ReturnType<typeof createTriggerSuspectRepository>

const OF_FLOW = 'flow_key = (SELECT key FROM flows WHERE id = @id)'
const ownerOf = (flowId: string): SecretOwner => `triggers:${flowId}`

export function createTriggerSuspectRepository(db: Database, box: SecretBox) {
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
    /** Marks what the trigger reads from now on; null: nothing. */
    noteReading: (id: string, item: string | null) => void setReading.run({ id, item }),
    /** Call once at the start: what was being read becomes suspect if the program died. */
    recover(endedCleanly: boolean, now: number): void {
      if (!endedCleanly) countDeath.run({ now })
      clearReading.run()
    },
    of: (id: string): readonly Suspect[] => ofFlow.all({ id }),
    /** What was stored with it, as JSON; null if nothing was. Throws if it can't be decrypted. */
    details(id: string, item: string): string | null {
      const found = sealed.get({ id, item })?.sealed ?? null
      return found === null ? null : box.open(ownerOf(id), found)
    },
    setAside: (id: string, item: string, details: string, now: number) =>
      void put.run({ id, item, now, sealed: box.seal(ownerOf(id), details) }),
    /** Everything that was set aside is to be read once more. */
    retry: (id: string) => void again.run({ id }),
    remove: (id: string, item: string) => void remove.run({ id, item }),
  }
}
