/** Values that flows keep from run to run. */
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from './secret-box.ts'
import { command, rows, scalar } from './statement.ts'

export interface KeyValue {
  readonly key: string
  /** JSON text. */
  readonly text: string
  /** Milliseconds of the Unix epoch; null is kept until it is deleted. */
  readonly expiresAt: number | null
  /** Of the change that made it so. */
  readonly changeId: string
}

export interface KeyValueRepository {
  /** Null where there is none, or its time has passed. */
  get(key: string, now: number): KeyValue | null
  /** In the order of their keys. */
  list(prefix: string, limit: number, now: number): readonly KeyValue[]
  /** Stores or replaces it. Throws `SecretBoxLockedError` while nothing can be encrypted. */
  put(value: KeyValue): void
  delete(key: string): boolean
  count(): number
  /** Forgets those whose time has passed. */
  sweep(now: number): void
}

interface Row {
  readonly name: string
  readonly sealed: Buffer
  readonly expires_at: number | null
  readonly change_id: string
}

const ownerOf = (key: string): SecretOwner => `key_values:${key}`
const SELECT = 'SELECT name, sealed, expires_at, change_id FROM key_values'
const ALIVE = '(expires_at IS NULL OR expires_at > @now)'

export function createKeyValueRepository(db: Database, box: SecretBox): KeyValueRepository {
  const byName = rows<Row>(db, `${SELECT} WHERE name = @key AND ${ALIVE}`)
  const byPrefix = rows<Row>(
    db,
    `${SELECT} WHERE name >= @prefix AND substr(name, 1, length(@prefix)) = @prefix AND ${ALIVE}
     ORDER BY name LIMIT @limit`,
  )
  const put = command(
    db,
    `INSERT INTO key_values (name, sealed, expires_at, change_id)
     VALUES (@key, @sealed, @expiresAt, @changeId)
     ON CONFLICT (name) DO UPDATE SET
       sealed = excluded.sealed, expires_at = excluded.expires_at, change_id = excluded.change_id`,
  )
  const remove = command(db, 'DELETE FROM key_values WHERE name = ?')
  const count = scalar<number>(db, 'SELECT count(*) FROM key_values')
  const sweep = command(db, 'DELETE FROM key_values WHERE expires_at <= ?')

  const toValue = ({ name, sealed, expires_at, change_id }: Row): KeyValue => ({
    key: name,
    text: box.open(ownerOf(name), sealed),
    expiresAt: expires_at,
    changeId: change_id,
  })

  return {
    get(key, now) {
      const row = byName.get({ key, now })
      return row === undefined ? null : toValue(row)
    },
    list: (prefix, limit, now) => byPrefix.all({ prefix, limit, now }).map(toValue),
    put({ key, text, expiresAt, changeId }) {
      put.run({ key, sealed: box.seal(ownerOf(key), text), expiresAt, changeId })
    },
    delete: (key) => remove.run(key) > 0,
    count: () => count.get() ?? 0,
    sweep: (now) => void sweep.run(now),
  }
}
