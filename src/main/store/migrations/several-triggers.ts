import type { Migration } from './migrate.ts'

/** Stores a flow's state by trigger. Until now, each flow had only one trigger, its first step. */
export const severalTriggers: Migration = {
  from: 43,
  version: 44,
  name: 'several triggers in a flow',
  up(db) {
    db.exec(`
      -- The trigger that started the run; null if its flow has only one.
      ALTER TABLE flow_runs ADD COLUMN trigger_ref TEXT;

      CREATE TABLE schedules_by_ref (
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        -- Reference name of the step.
        ref_id TEXT NOT NULL,
        -- Of the configuration: a change of it begins anew.
        fingerprint TEXT NOT NULL,
        -- Times up to this one are dealt with.
        handled_until INTEGER NOT NULL,
        last_fired_at INTEGER,
        PRIMARY KEY (flow_key, ref_id)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO schedules_by_ref SELECT flow_key, ${firstRef('t.flow_key')}, fingerprint, handled_until, last_fired_at
        FROM schedules t;
      DROP TABLE schedules;
      ALTER TABLE schedules_by_ref RENAME TO schedules;

      -- Times at which a run was accepted, so that none is accepted twice when the clock is set back.
      CREATE TABLE schedule_fires_by_ref (
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        ref_id TEXT NOT NULL,
        fire_at INTEGER NOT NULL,
        PRIMARY KEY (flow_key, ref_id, fire_at)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO schedule_fires_by_ref SELECT flow_key, ${firstRef('t.flow_key')}, fire_at FROM schedule_fires t;
      DROP TABLE schedule_fires;
      ALTER TABLE schedule_fires_by_ref RENAME TO schedule_fires;

      -- One row for each trigger that looks for what is new.
      CREATE TABLE triggers_by_ref (
        key INTEGER PRIMARY KEY,
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        -- Reference name of the step.
        ref_id TEXT NOT NULL,
        -- Of what it looks at: a change of it starts over.
        fingerprint TEXT NOT NULL,
        -- The first check has ended.
        is_started INTEGER NOT NULL DEFAULT 0,
        -- How far it has read, as JSON; null at the beginning.
        sealed_state BLOB,
        checked_at INTEGER,
        found_at INTEGER,
        found INTEGER NOT NULL DEFAULT 0,
        next_at INTEGER NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0,
        -- Redacted.
        error TEXT,
        error_at INTEGER,
        -- What the trigger is reading: one of its entries, or '' for all it looks at. Null while it doesn't look.
        reading TEXT,
        UNIQUE (flow_key, ref_id)
      ) STRICT;
      INSERT INTO triggers_by_ref (key, flow_key, ref_id, ${PROGRESS}) SELECT flow_key, flow_key, ${firstRef('t.flow_key')}, ${PROGRESS}
        FROM triggers t;

      -- What a trigger has found, as the first half of a SHA-256.
      CREATE TABLE entries_by_trigger (
        trigger_key INTEGER NOT NULL REFERENCES triggers_by_ref (key) ON DELETE CASCADE,
        id BLOB NOT NULL,
        -- When it was last there, in days since 1970.
        seen_day INTEGER NOT NULL,
        PRIMARY KEY (trigger_key, id)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO entries_by_trigger SELECT flow_key, id, seen_day FROM trigger_entries;

      -- What was being read when the program died, and what can't be read.
      CREATE TABLE suspects_by_trigger (
        trigger_key INTEGER NOT NULL REFERENCES triggers_by_ref (key) ON DELETE CASCADE,
        item TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('suspect', 'set_aside', 'retry')),
        deaths INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- What the user sees of it, as JSON; null until it is set aside.
        sealed BLOB,
        PRIMARY KEY (trigger_key, item)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO suspects_by_trigger SELECT flow_key, item, state, deaths, at, sealed FROM trigger_suspects;

      DROP TABLE trigger_entries;
      DROP TABLE trigger_suspects;
      DROP TABLE triggers;
      ALTER TABLE triggers_by_ref RENAME TO triggers;
      ALTER TABLE entries_by_trigger RENAME TO trigger_entries;
      ALTER TABLE suspects_by_trigger RENAME TO trigger_suspects;
      CREATE INDEX trigger_entries_by_day ON trigger_entries (trigger_key, seen_day);
    `)
  },
}

const PROGRESS =
  'fingerprint, is_started, sealed_state, checked_at, found_at, found, next_at, failures, error, error_at, reading'

/** The name of the flow's first step, which was its only trigger. */
const firstRef = (flowKey: string) => `coalesce((
  SELECT json_extract(v.steps, '$[0].ref_id') FROM flow_versions v
  WHERE v.flow_key = ${flowKey} ORDER BY v.version DESC LIMIT 1), '')`
