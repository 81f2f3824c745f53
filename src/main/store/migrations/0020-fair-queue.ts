import type { Migration } from './migrate.ts'

/** The queue is read flow by flow, so that each flow gets its share. */
export const fairQueue: Migration = {
  version: 20,
  name: 'fair queue',
  up(db) {
    db.exec(`
      DROP INDEX run_queue_by_state;
      CREATE INDEX run_queue_by_flow ON run_queue (state, flow_key, run_key);
    `)
  },
}
