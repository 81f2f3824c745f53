/** Values that flows keep between runs. */
import type { Database } from 'better-sqlite3'
import { PLAIN_JSON } from '../sql/codec.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface KeyValue {
  readonly key: string
  /** JSON. */
  readonly text: string
  /** Unix time in milliseconds; null keeps the value until it is deleted. */
  readonly expiresAt: number | null
  /** The change that set this value. */
  readonly changeId: string
}

export type KeyValueRepository = ReturnType<typeof createKeyValueRepository>

interface Row {
  readonly name: string
  readonly sealed: Buffer
  readonly expires_at: number | null
  readonly change_id: string
}

const ownerOf = (name: string): SecretOwner => `key_values:${name}`
const SELECT = 'SELECT name, sealed, expires_at, change_id FROM key_values'
const ALIVE = '(expires_at IS NULL OR expires_at > @now)'
/** Prefix of the stored name if the real key must not be readable on the disk; that key is sealed with the value. */
const HIDDEN = '\u0001hidden:'

export function createKeyValueRepository(db: Database, box: SecretBox) {
  const byName = rows<Row>(db, `${SELECT} WHERE name = @name AND ${ALIVE}`)
  const byPrefix = rows<Row>(
    db,
    `${SELECT} WHERE name >= @prefix AND substr(name, 1, length(@prefix)) = @prefix AND ${ALIVE}
     ORDER BY name LIMIT @limit`,
  )
  const put = command(
    db,
    `INSERT INTO key_values (name, sealed, expires_at, change_id)
     VALUES (@name, @sealed, @expiresAt, @changeId)
     ON CONFLICT (name) DO UPDATE SET
       sealed = excluded.sealed, expires_at = excluded.expires_at, change_id = excluded.change_id`,
  )
  const remove = command(db, 'DELETE FROM key_values WHERE name = ?')
  const count = scalar<number>(db, 'SELECT count(*) FROM key_values')
  const sweep = command(db, 'DELETE FROM key_values WHERE expires_at <= ?')

  const hiddenNames = (key: string) => box.pseudonyms('key_values:name', key).map((name) => HIDDEN + name)
  /** The known secrets can have changed since the value was stored. */
  const namesOf = (key: string) => [key, ...hiddenNames(key)]

  function toValue({ name, sealed, expires_at, change_id }: Row): KeyValue {
    const opened = box.open(ownerOf(name), sealed)
    const [key, text] = name.startsWith(HIDDEN)
      ? (PLAIN_JSON.parse(opened) as [string, string])
      : ([name, opened] as const)
    return { key, text, expiresAt: expires_at, changeId: change_id }
  }

  /** Sorted by key. */
  function list(prefix: string, limit: number, now: number): readonly KeyValue[] {
    const hidden = byPrefix.all({ prefix: HIDDEN, limit: MOST_HIDDEN, now }).map(toValue)
    const plain = byPrefix
      .all({ prefix, limit, now })
      .filter(({ name }) => !name.startsWith(HIDDEN))
      .map(toValue)
    const added = hidden.filter(({ key }) => key.startsWith(prefix))
    if (added.length === 0) return plain
    return [...plain, ...added]
      .toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
      .slice(0, limit)
  }

  return {
    /** Null if it doesn't exist or has expired. */
    get(key: string, now: number): KeyValue | null {
      for (const name of namesOf(key)) {
        const row = byName.get({ name, now })
        if (row !== undefined) return toValue(row)
      }
      return null
    },
    list,
    /**
     * Stores or replaces a value. A key that contains a secret is sealed too. Throws `SecretBoxLockedError` while nothing
     * can be encrypted.
     */
    put({ key, text, expiresAt, changeId }: KeyValue, { hidesKey }: { readonly hidesKey: boolean }): void {
      const [hiddenName] = hidesKey ? hiddenNames(key) : []
      const name = hiddenName ?? key
      for (const other of namesOf(key)) if (other !== name) remove.run(other)
      const content = hiddenName === undefined ? text : PLAIN_JSON.stringify([key, text])
      put.run({ name, sealed: box.seal(ownerOf(name), content), expiresAt, changeId })
    },
    delete: (key: string) => namesOf(key).filter((name) => remove.run(name) > 0).length > 0,
    count: () => count.get() ?? 0,
    /** Deletes expired values. */
    sweep: (now: number) => void sweep.run(now),
  }
}

/** Limit for keys that contain a secret, which few do. */
const MOST_HIDDEN = 10_000
