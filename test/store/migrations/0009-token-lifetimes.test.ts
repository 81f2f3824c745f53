import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('existing tokens have no known expiry', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, 8))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, created_at, updated_at)
    VALUES ('x', 'c', 'u', 'Main', 'oauth2', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', 1, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, 9))
  const row = db.prepare('SELECT id, token_issued_at, token_expires_at FROM connector_auths').raw().get()
  expect({ row, userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    row: ['x', null, null],
    userVersion: 9,
  })
  db.close()
})
