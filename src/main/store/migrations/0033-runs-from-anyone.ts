import type { Migration } from './migrate.ts'

/** Runs that a caller without credentials caused: when the history is too large, they are deleted before all others. */
export const runsFromAnyone: Migration = {
  version: 33,
  name: 'runs from anyone',
  up(db) {
    db.exec(`
      ALTER TABLE flow_runs ADD COLUMN from_anyone INTEGER NOT NULL DEFAULT 0 CHECK (from_anyone IN (0, 1));

      UPDATE flow_runs SET from_anyone = 1 WHERE "trigger" = 'mail';
      UPDATE flow_runs SET from_anyone = 1 WHERE "trigger" IN ('webhook', 'form') AND flow_key IN (
        SELECT f.key FROM flows f LEFT JOIN flow_versions v ON v.flow_key = f.key AND v.version = f.version
        WHERE json_extract(f.settings, '$.webhook_token_enabled') = 0
          AND json_extract(v.steps, '$[0].config.signature') IS NULL);

      CREATE INDEX flow_runs_from_anyone ON flow_runs (from_anyone) WHERE from_anyone = 1;
    `)
  },
}
