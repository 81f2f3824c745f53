import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createConnectorAuthUseRepository } from '../../../src/main/store/records/connector-auth-uses.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { connectorAuthUses } from '../../../src/main/store/migrations/0015-connector-auth-uses.ts'

it('existing auths have no known use, and uses are deleted with their auth', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, connectorAuthUses.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, created_at, updated_at)
    VALUES ('a', 'c', 'u', 'Main', 'bearer', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', 1, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, connectorAuthUses.version))
  db.pragma('foreign_keys = ON')
  const uses = createConnectorAuthUseRepository(db)
  const before = uses.list()
  uses.noteUse('a', '2026-03-01T00:00:00.000Z')
  uses.noteTest('a', '2026-03-02T00:00:00.000Z', false)
  const noted = uses.list()
  db.exec("DELETE FROM connector_auths WHERE id = 'a'")
  expect({ before, noted, after: uses.list() }).toEqual({
    before: [],
    noted: [
      {
        auth_id: 'a',
        last_used: '2026-03-01T00:00:00.000Z',
        last_tested: '2026-03-02T00:00:00.000Z',
        last_test_ok: false,
      },
    ],
    after: [],
  })
  db.close()
})
