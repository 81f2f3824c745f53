/** The entries that triggers were reading when Millrace died, and those that they can't read. */
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'
import { ONE_TRIGGER, type TriggerName } from './triggers.ts'

export interface Suspect {
  /** One of the trigger's entries, or `''` for everything it reads. */
  readonly item: string
  /**
   * `suspect`: Millrace has died while reading it. `set_aside`: it isn't read again. `retry`: a user wants it to be
   * read once more.
   */
  readonly state: 'suspect' | 'set_aside' | 'retry'
  readonly deaths: number
  readonly at: number
}

export type TriggerSuspectRepository = ReturnType<typeof createTriggerSuspectRepository>

const OF_TRIGGER = `trigger_key = (SELECT key FROM triggers WHERE ${ONE_TRIGGER})`
const ownerOf = ({ flowId }: TriggerName): SecretOwner => `triggers:${flowId}`

export function createTriggerSuspectRepository(db: Database, box: SecretBox) {
  const setReading = command(db, `UPDATE triggers SET reading = @item WHERE ${ONE_TRIGGER}`)
  const countDeath = command(
    db,
    `INSERT INTO trigger_suspects (trigger_key, item, state, deaths, at)
     SELECT key, reading, 'suspect', 1, @now FROM triggers WHERE reading IS NOT NULL
     ON CONFLICT (trigger_key, item) DO UPDATE SET deaths = deaths + 1, at = excluded.at`,
  )
  const clearReading = command(db, 'UPDATE triggers SET reading = NULL WHERE reading IS NOT NULL')
  const ofTrigger = rows<Suspect>(
    db,
    `SELECT item, state, deaths, at FROM trigger_suspects WHERE ${OF_TRIGGER} ORDER BY at DESC, length(item) DESC, item DESC`,
  )
  const sealed = rows<{ readonly sealed: Buffer | null }>(
    db,
    `SELECT sealed FROM trigger_suspects WHERE ${OF_TRIGGER} AND item = @item`,
  )
  const put = command(
    db,
    `INSERT INTO trigger_suspects (trigger_key, item, state, deaths, at, sealed)
     SELECT key, @item, 'set_aside', 0, @now, @sealed FROM triggers WHERE ${ONE_TRIGGER}
     ON CONFLICT (trigger_key, item) DO UPDATE SET state = 'set_aside', at = excluded.at, sealed = excluded.sealed`,
  )
  const again = command(
    db,
    `UPDATE trigger_suspects SET state = 'retry', deaths = min(deaths, 1) WHERE ${OF_TRIGGER} AND state = 'set_aside'`,
  )
  const remove = command(db, `DELETE FROM trigger_suspects WHERE ${OF_TRIGGER} AND item = @item`)
  return {
    /** Records what the trigger is about to read; null for nothing. */
    noteReading: (name: TriggerName, item: string | null) => void setReading.run({ ...name, item }),
    /** Call once at startup. If Millrace died, the entry that was being read becomes suspect. */
    recover(endedCleanly: boolean, now: number): void {
      if (!endedCleanly) countDeath.run({ now })
      clearReading.run()
    },
    of: (name: TriggerName): readonly Suspect[] => ofTrigger.all({ ...name }),
    /** The stored details, as JSON; null if there are none. Throws if it can't be decrypted. */
    details(name: TriggerName, item: string): string | null {
      const found = sealed.get({ ...name, item })?.sealed ?? null
      return found === null ? null : box.open(ownerOf(name), found)
    },
    setAside: (name: TriggerName, item: string, details: string, now: number) =>
      void put.run({ ...name, item, now, sealed: box.seal(ownerOf(name), details) }),
    /** Marks all entries that were set aside, so that they are read once more. */
    retry: (name: TriggerName) => void again.run({ ...name }),
    remove: (name: TriggerName, item: string) => void remove.run({ ...name, item }),
  }
}
