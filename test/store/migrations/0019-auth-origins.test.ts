import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { authOrigins } from '../../../src/main/store/migrations/0019-auth-origins.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('existing auths are bound to no origin yet, and none of them waits', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, authOrigins.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', 'https://a.example', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, sealed, created_at, updated_at)
    VALUES ('a', 'c', 'u', 'Key', 'bearer', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', x'01', 1, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, authOrigins.version))
  const auth = db.prepare('SELECT json_array(id, hex(sealed), origins, new_origins) FROM connector_auths')
  const connector = db.prepare('SELECT json_array(id, origins) FROM connectors')
  expect([auth.pluck().get(), connector.pluck().get()]).toEqual(['["a","01",null,"[]"]', '["c",null]'])
  db.close()
})
