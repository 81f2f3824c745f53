import type { Migration } from './migrate.ts'

export const webhookOutcomes: Migration = {
  version: 42,
  name: 'outcomes of webhook requests',
  up(db) {
    db.exec(`
      -- Null: it started a run, or was rejected if there is a reason.
      ALTER TABLE webhook_requests ADD COLUMN outcome TEXT;
    `)
  },
}
