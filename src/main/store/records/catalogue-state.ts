import type { Database } from 'better-sqlite3'
import { command, scalar } from '../sql/statement.ts'

/** Which catalogue files the built-in connectors were last updated from. */
export interface CatalogueStateRepository {
  /** Null before the first time. */
  fingerprint(): string | null
  setFingerprint(fingerprint: string): void
}

export function createCatalogueStateRepository(db: Database): CatalogueStateRepository {
  const get = scalar<string>(db, 'SELECT fingerprint FROM catalogue_state')
  const set = command(
    db,
    `INSERT INTO catalogue_state (only_row, fingerprint) VALUES (1, ?)
     ON CONFLICT (only_row) DO UPDATE SET fingerprint = excluded.fingerprint`,
  )
  return {
    fingerprint: () => get.get() ?? null,
    setFingerprint: (fingerprint) => void set.run(fingerprint),
  }
}
