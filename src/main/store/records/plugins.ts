import type { Database } from 'better-sqlite3'
import { toIso, toTime } from '../sql/codec.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface ConfirmedPlugin {
  readonly name: string
  readonly hash: string
  readonly confirmed_by: string
  readonly confirmed_at: string
}

export interface PluginRepository {
  all(): readonly ConfirmedPlugin[]
  /** All files, packed. */
  filesOf(name: string): Uint8Array
  /** Replaces the earlier confirmation. */
  put(plugin: ConfirmedPlugin & { readonly files: Uint8Array }): void
  delete(name: string): void
}

export function createPluginRepository(db: Database): PluginRepository {
  const all = rows<Omit<ConfirmedPlugin, 'confirmed_at'> & { readonly confirmed_at: number }>(
    db,
    'SELECT name, hash, confirmed_by, confirmed_at FROM plugins ORDER BY name',
  )
  const files = scalar<Buffer>(db, 'SELECT files FROM plugins WHERE name = ?')
  const put = command(
    db,
    `INSERT INTO plugins (name, hash, files, confirmed_by, confirmed_at)
     VALUES (@name, @hash, @files, @confirmed_by, @confirmed_at)
     ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, files = excluded.files,
       confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at`,
  )
  const remove = command(db, 'DELETE FROM plugins WHERE name = ?')
  return {
    all: () => all.all().map((row) => ({ ...row, confirmed_at: toIso(row.confirmed_at) })),
    filesOf: (name) => files.get(name) ?? Buffer.alloc(0),
    put: (plugin) => void put.run({ ...plugin, confirmed_at: toTime(plugin.confirmed_at) }),
    delete: (name) => void remove.run(name),
  }
}
