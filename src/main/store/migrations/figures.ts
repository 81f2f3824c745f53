import type { Migration } from './migrate.ts'

/**
 * Triggers do the counting, so that no statement that ends a run can forget it. Each only adds a row;
 * `records/figures.ts` adds up many of them at once. What was stored before is counted later, from the newest key down.
 * The triggers ignore changes of a run below `fill_to`, because it will be counted in its state at that time.
 */
export const figures: Migration = {
  version: 37,
  name: 'figures',
  up(db) {
    db.exec(`
      -- Counts of what began in a time of this size (in ms), of all flows (flow_key 0) and of each, and of their durations
      -- by range (sql/bins.ts). They are kept when the runs they were counted from are deleted.
      CREATE TABLE figures (
        size INTEGER NOT NULL,
        of TEXT NOT NULL,
        flow_key INTEGER NOT NULL,
        at INTEGER NOT NULL,
        status TEXT NOT NULL,
        count INTEGER NOT NULL,
        bins BLOB,
        PRIMARY KEY (size, of, flow_key, at, status)
      ) STRICT, WITHOUT ROWID;

      -- Not added up yet.
      CREATE TABLE figures_new (
        key INTEGER PRIMARY KEY,
        of TEXT NOT NULL,
        flow_key INTEGER,
        at INTEGER NOT NULL,
        status TEXT NOT NULL,
        duration_ms REAL,
        count INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE figures_state (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
        fill_to INTEGER NOT NULL
      ) STRICT;
      INSERT INTO figures_state (only_row, fill_to)
        SELECT 1, coalesce(max(key) + 1, 0) FROM
          (SELECT max(key) AS key FROM flow_runs UNION ALL SELECT max(key) FROM webhook_requests);

      CREATE TRIGGER flow_runs_counted AFTER INSERT ON flow_runs
        WHEN NEW.finished_at IS NOT NULL AND NEW.trigger <> 'test' BEGIN ${countRun('NEW', 1)} END;
      CREATE TRIGGER flow_runs_uncounted AFTER UPDATE OF status, finished_at ON flow_runs
        WHEN OLD.finished_at IS NOT NULL AND OLD.trigger <> 'test' AND ${isCounted('OLD')} BEGIN ${countRun('OLD', -1)} END;
      CREATE TRIGGER flow_runs_counted_later AFTER UPDATE OF status, finished_at ON flow_runs
        WHEN NEW.finished_at IS NOT NULL AND NEW.trigger <> 'test' AND ${isCounted('NEW')} BEGIN ${countRun('NEW', 1)} END;

      CREATE TRIGGER webhook_requests_counted AFTER INSERT ON webhook_requests BEGIN
        INSERT INTO figures_new (of, flow_key, at, status, duration_ms, count)
          VALUES ('webhooks', NEW.flow_key, NEW.at, (NEW.status / 100) || 'xx', NEW.duration_ms, 1);
      END;
    `)
  },
}

const countRun = (row: 'NEW' | 'OLD', count: 1 | -1) =>
  `INSERT INTO figures_new (of, flow_key, at, status, duration_ms, count)
     VALUES ('runs', ${row}.flow_key, ${row}.created_at, ${row}.status, ${row}.duration_ms, ${count});`

function isCounted(row: 'NEW' | 'OLD'): string {
  return `${row}.key >= (SELECT fill_to FROM figures_state)`
}
