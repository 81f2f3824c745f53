import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { formerTokens } from '../../../src/main/store/migrations/0012-former-tokens.ts'
import { createTokenRepository } from '../../../src/main/store/records/tokens.ts'

it('existing tokens keep their values, and are still recognized after they end', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, formerTokens.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'CI', '["embed"]', 1);
  `)
  migrate(db, MIGRATIONS)
  const tokens = createTokenRepository(db)
  expect({ current: tokens.findByHash('h')?.note, former: tokens.findFormer('h') }).toEqual({
    current: 'CI',
    former: null,
  })
  tokens.delete('u', 't', '2026-03-01T00:00:00.000Z')
  expect({ current: tokens.findByHash('h'), former: tokens.findFormer('h')?.note }).toEqual({
    current: null,
    former: 'CI',
  })
  db.close()
})
