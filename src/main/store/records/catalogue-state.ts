import type { Database } from 'better-sqlite3'
import { command, scalar } from '../sql/statement.ts'

/** The catalog files from which the built-in connectors were last updated. */
export type CatalogueStateRepository = ReturnType<typeof createCatalogueStateRepository>

export function createCatalogueStateRepository(db: Database) {
  const get = scalar<string>(db, 'SELECT fingerprint FROM catalogue_state')
  const set = command(
    db,
    `INSERT INTO catalogue_state (only_row, fingerprint) VALUES (1, ?)
     ON CONFLICT (only_row) DO UPDATE SET fingerprint = excluded.fingerprint`,
  )
  return {
    /** Null before the first update. */
    fingerprint: () => get.get() ?? null,
    setFingerprint: (fingerprint: string) => void set.run(fingerprint),
  }
}
