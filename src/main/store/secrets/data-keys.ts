/** The data keys in the database, each wrapped with the host's master key, and the secret box that uses them. */
import { say } from '../../../shared/contract/base/message.ts'
import type { Database } from 'better-sqlite3'
import {
  createSecretBox,
  newDataKey,
  toDataKey,
  type DataKey,
  type KeyRing,
  type MasterKey,
  type SecretBox,
} from './secret-box.ts'
import { rows, command } from '../sql/statement.ts'

export interface DataKeys {
  readonly box: SecretBox
  /** The keys in plain bytes, for moving them to another machine. */
  exportKeys(): readonly Uint8Array[]
  /** Stores another machine's keys wrapped with this host's master key; values they sealed are readable at once. */
  importKeys(keys: readonly Uint8Array[], now: number): Promise<void>
}

interface DataKeyRow {
  readonly id: string
  readonly wrapped: Buffer
}

/**
 * Unwraps the stored keys. If none can be unwrapped, or there are none yet, a new one is created. Values sealed with
 * the old keys stay unreadable until their key is imported, but everything else works. Without a working master key the
 * box is locked.
 */
export async function openDataKeys(
  db: Database,
  masterKey: MasterKey | null,
  now: number,
): Promise<DataKeys> {
  const stored = rows<DataKeyRow>(db, 'SELECT id, wrapped FROM data_keys ORDER BY created_at DESC, id')
  const store = command(
    db,
    `INSERT INTO data_keys (id, master_key_id, wrapped, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET master_key_id = excluded.master_key_id, wrapped = excluded.wrapped`,
  )
  const ring: KeyRing = { keys: [], unreadable: 0, problem: say('this machine has no master key') }

  async function load(master: MasterKey): Promise<void> {
    const found = stored.all()
    const keys = await Promise.all(found.map((row) => unwrap(row, master)))
    ring.keys = keys.filter((key) => key !== null)
    ring.unreadable = found.length - ring.keys.length
  }

  async function add(master: MasterKey, { id, bytes }: DataKey, at: number): Promise<void> {
    store.run(id, master.id, Buffer.from(await master.wrap(bytes)), at)
  }

  if (masterKey === null) {
    ring.unreadable = stored.all().length
  } else {
    await load(masterKey)
    if (ring.keys.length === 0) {
      const made = newDataKey()
      try {
        await add(masterKey, made, now)
        ring.keys = [made] // only once it is stored, or values it sealed could never be opened again
      } catch (error) {
        ring.problem = say("a new key couldn't be stored ({{reason}})", { reason: String(error) })
      }
    }
  }

  return {
    box: createSecretBox(ring),
    exportKeys: () => ring.keys.map((key) => key.bytes),
    async importKeys(keys, at) {
      if (masterKey === null)
        throw new Error('This machine has no master key to encrypt an imported key with')
      for (const key of keys.map(toDataKey)) await add(masterKey, key, at)
      await load(masterKey)
    },
  }
}

async function unwrap({ id, wrapped }: DataKeyRow, masterKey: MasterKey): Promise<DataKey | null> {
  try {
    const key = toDataKey(await masterKey.unwrap(wrapped))
    return key.id === id ? key : null
  } catch {
    return null // wrapped with another master key
  }
}
