import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { tokenCreators } from '../../../src/main/store/migrations/0017-token-creators.ts'

it('an existing token counts as created by no other token', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, tokenCreators.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, expiration, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'script', '["automation"]', 9, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, tokenCreators.version))
  expect(db.prepare('SELECT json_array(id, note, expiration, created_by) FROM tokens').pluck().all()).toEqual(
    ['["t","script",9,null]'],
  )
  db.close()
})
