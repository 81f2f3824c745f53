import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('the tokens of an older database reach all flows and auths', () => {
  const db = aDatabase({ version: 46 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ada', 'ada@example.com', 'owner', 0);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, created_at)
      VALUES ('t', 'u', 'h', '3f3f', 'Export', '["automation"]', 0);
    INSERT INTO former_tokens (hash, token_id, user_id, last_four, note, scopes, created_at, ended_at, ended_by)
      VALUES ('f', 't', 'u', '4a4a', 'Export', '["automation"]', 0, 1, 'revoked');
  `)
  migrateTo(47, db)
  const chosen = (table: string) =>
    db.prepare(`SELECT json_array(flow_ids, auth_ids) FROM ${table}`).pluck().all()
  expect([chosen('tokens'), chosen('former_tokens')]).toEqual([['[null,null]'], ['[null,null]']])
})
