import type { Migration } from './migrate.ts'

export const webhookReasons: Migration = {
  version: 35,
  name: 'webhook reasons',
  up(db) {
    db.exec(`
      -- Key and values of "reason", as JSON.
      ALTER TABLE webhook_requests ADD COLUMN said TEXT;
    `)
  },
}
