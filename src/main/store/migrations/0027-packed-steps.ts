import type { Migration } from './migrate.ts'

export const packedSteps: Migration = {
  version: 27,
  name: 'packed steps',
  up(db) {
    // Zstandard of a long list of steps that have all ended; `steps` is null then.
    db.exec('ALTER TABLE history_parts ADD COLUMN packed BLOB')
  },
}
