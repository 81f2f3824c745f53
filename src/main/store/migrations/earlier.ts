import type { Database } from 'better-sqlite3'
import { scalar } from '../sql/statement.ts'
import { CATALOGUE_STATE, CONNECTOR_AUTH_USES, CONNECTOR_IMAGES } from './connectors.ts'
import { DATA_TABLES, FILE_UPLOADS, KEY_VALUES } from './data.ts'
import { ALARMS, SCHEDULES, STEP_PINS, TRIGGER_SUSPECTS, TRIGGERS } from './flows.ts'
import type { Migration } from './migrate.ts'
import { IDEMPOTENCY_KEYS, TUNNEL } from './program.ts'
import { FORMER_SECRETS, QUESTIONS, REJECTED_BODIES, RUN_SEARCH, SEEN_DELIVERIES } from './runs.ts'
import { FORMER_TOKENS, PAGE_SESSIONS, TEAMS } from './users.ts'

/** Migrates older folders from version 1 to the schema that new folders begin with. */
export const EARLIER: readonly Migration[] = [
  step(2, 'teams', TEAMS),
  step(3, 'catalogue state', CATALOGUE_STATE),
  step(4, 'idempotency keys', IDEMPOTENCY_KEYS),
  // Before that, all flows ran with the permissions of the local user.
  step(
    5,
    'flow owners',
    add('flows', 'owner_id TEXT REFERENCES users (id)'),
    'UPDATE flows SET owner_id = (SELECT id FROM users ORDER BY key LIMIT 1);',
  ),
  step(6, 'schedules', SCHEDULES),
  step(7, 'file uploads', FILE_UPLOADS),
  step(8, 'seen deliveries', SEEN_DELIVERIES),
  step(9, 'token lifetimes', add('connector_auths', 'token_issued_at INTEGER', 'token_expires_at INTEGER')),
  step(10, 'key-values', KEY_VALUES),
  step(11, 'step pins', STEP_PINS),
  step(12, 'former tokens', FORMER_TOKENS),
  step(13, 'run search', RUN_SEARCH),
  step(14, 'step authors', add('flow_versions', 'author_id TEXT'), add('working_copies', 'author_id TEXT')),
  step(15, 'connector auth uses', CONNECTOR_AUTH_USES),
  step(16, 'pin origins', add('step_pins', 'author_id TEXT', 'flow_run_id TEXT')),
  step(
    17,
    'token creators',
    add('tokens', 'created_by TEXT'),
    'CREATE INDEX tokens_by_creator ON tokens (created_by) WHERE created_by IS NOT NULL;',
  ),
  step(
    18,
    'former secrets',
    FORMER_SECRETS,
    add('step_pins', 'sealed BLOB', 'newest_key INTEGER NOT NULL DEFAULT 0'),
  ),
  step(
    19,
    'auth origins',
    add('connector_auths', 'origins TEXT', "new_origins TEXT NOT NULL DEFAULT '[]'"),
    add('connectors', 'origins TEXT'),
  ),
  step(
    20,
    'fair queue',
    'DROP INDEX run_queue_by_state; CREATE INDEX run_queue_by_flow ON run_queue (state, flow_key, run_key);',
  ),
  step(21, 'connector images', CONNECTOR_IMAGES),
  step(22, 'version names', add('flow_versions', "name TEXT NOT NULL DEFAULT ''")),
  step(23, 'rejected bodies', REJECTED_BODIES),
  step(24, 'alarms', ALARMS),
  step(25, 'tunnel', TUNNEL),
  step(26, 'page sessions', PAGE_SESSIONS),
  step(27, 'packed steps', add('history_parts', 'packed BLOB')),
  step(28, 'triggers', TRIGGERS),
  step(29, 'data tables', DATA_TABLES),
  step(30, 'questions', QUESTIONS),
  step(31, 'run deaths', add('run_queue', 'deaths INTEGER NOT NULL DEFAULT 0')),
  step(32, 'trigger suspects', add('triggers', 'reading TEXT'), TRIGGER_SUSPECTS),
  step(
    33,
    'runs from anyone',
    add('flow_runs', 'from_anyone INTEGER NOT NULL DEFAULT 0 CHECK (from_anyone IN (0, 1))'),
    `
      UPDATE flow_runs SET from_anyone = 1 WHERE "trigger" = 'mail';
      UPDATE flow_runs SET from_anyone = 1 WHERE "trigger" IN ('webhook', 'form') AND flow_key IN (
        SELECT f.key FROM flows f LEFT JOIN flow_versions v ON v.flow_key = f.key AND v.version = f.version
        WHERE json_extract(f.settings, '$.webhook_token_enabled') = 0
          AND json_extract(v.steps, '$[0].config.signature') IS NULL);
      CREATE INDEX flow_runs_from_anyone ON flow_runs (from_anyone) WHERE from_anyone = 1;
    `,
  ),
]

type Change = string | ((db: Database) => void)

function step(version: number, name: string, ...changes: readonly Change[]): Migration {
  return {
    version,
    name,
    up(db) {
      for (const change of changes) {
        if (typeof change === 'string') db.exec(change)
        else change(db)
      }
    },
  }
}

/** Adds the columns, except those that a table already has because an earlier step created it in its current form. */
function add(table: string, ...columns: readonly string[]): Change {
  return (db) => {
    const existing = scalar<string>(db, 'SELECT name FROM pragma_table_info(?)').all(table)
    for (const column of columns)
      if (!existing.includes(column.slice(0, column.indexOf(' '))))
        db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`)
  }
}
