import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('the states of the only trigger of each flow go on under its name', () => {
  const db = aDatabase({ version: 43 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (7, 'f', 'F', '', '[]', 'active', '{}', 2, 1, 1, 'u'), (8, 'g', 'G', '', '[]', 'active', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_versions (flow_key, version, steps, author_id, created_at)
    VALUES (7, 1, '[{"ref_id": "old"}]', 'u', 1), (7, 2, '[{"ref_id": "orders"}, {"ref_id": "b"}]', 'u', 1),
      (8, 1, '[{"ref_id": "nightly"}]', 'u', 1);
    INSERT INTO triggers (flow_key, fingerprint, is_started, sealed_state, next_at, reading)
    VALUES (7, 'p', 1, x'01', 5, '');
    INSERT INTO trigger_entries (flow_key, id, seen_day) VALUES (7, x'aa', 3);
    INSERT INTO trigger_suspects (flow_key, item, state, deaths, at) VALUES (7, '', 'suspect', 1, 4);
    INSERT INTO schedules (flow_key, fingerprint, handled_until, last_fired_at) VALUES (8, 'q', 9, 8);
    INSERT INTO schedule_fires (flow_key, fire_at) VALUES (8, 8);
  `)
  migrateTo(44, db)
  const all = (sql: string) => db.prepare(sql).raw().all()
  expect({
    triggers: all('SELECT flow_key, ref_id, fingerprint, is_started, next_at, reading FROM triggers'),
    entries: all(
      'SELECT t.ref_id, e.seen_day FROM trigger_entries e JOIN triggers t ON t.key = e.trigger_key',
    ),
    suspects: all(
      'SELECT t.ref_id, s.deaths FROM trigger_suspects s JOIN triggers t ON t.key = s.trigger_key',
    ),
    schedules: all('SELECT ref_id, fingerprint, handled_until, last_fired_at FROM schedules'),
    fires: all('SELECT ref_id, fire_at FROM schedule_fires'),
  }).toEqual({
    triggers: [[7, 'orders', 'p', 1, 5, '']],
    entries: [['orders', 3]],
    suspects: [['orders', 1]],
    schedules: [['nightly', 'q', 9, 8]],
    fires: [['nightly', 8]],
  })

  db.exec("DELETE FROM flows WHERE id = 'f'")
  expect(all('SELECT count(*) FROM trigger_entries')).toEqual([[0]])
})
