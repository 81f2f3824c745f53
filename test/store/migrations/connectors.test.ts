import { expect, it } from 'vitest'
import { createCatalogueStateRepository } from '../../../src/main/store/records/catalogue-state.ts'
import { createConnectorAuthUseRepository } from '../../../src/main/store/records/connector-auth-uses.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('the catalogue of an older database counts as never synchronized', () => {
  const db = aDatabase({ version: 2 })
  migrateTo(3, db)
  const state = createCatalogueStateRepository(db)
  const before = state.fingerprint()
  state.setFingerprint('a')
  state.setFingerprint('b')
  expect({
    userVersion: db.pragma('user_version', { simple: true }),
    before,
    fingerprint: state.fingerprint(),
  }).toEqual({ userVersion: 3, before: null, fingerprint: 'b' })
})

it('existing tokens have no known expiry', () => {
  const db = aDatabase({ version: 8 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, created_at, updated_at)
    VALUES ('x', 'c', 'u', 'Main', 'oauth2', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', 1, 1);
  `)
  migrateTo(9, db)
  const row = db.prepare('SELECT id, token_issued_at, token_expires_at FROM connector_auths').raw().get()
  expect({ row, userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    row: ['x', null, null],
    userVersion: 9,
  })
})

it('existing auths have no known use, and uses are deleted with their auth', () => {
  const db = aDatabase({ version: 14 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, created_at, updated_at)
    VALUES ('a', 'c', 'u', 'Main', 'bearer', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', 1, 1);
  `)
  migrateTo(15, db)
  db.exec(
    'INSERT INTO connector_auth_uses (auth_key, last_tested, last_test_ok) SELECT key, 5000, 1 FROM connector_auths',
  )
  // The last result counts as the last test until there is another one.
  migrateTo(36, db)
  const uses = createConnectorAuthUseRepository(db)
  const now = Date.parse('2026-03-02T12:00:00.000Z')
  const before = uses.list(now)
  uses.noteUse('a', '2026-03-01T00:00:00.000Z')
  uses.noteTest('a', '2026-03-02T00:00:00.000Z', false)
  uses.noteResults('a', { at: '2026-01-31T00:00:00.000Z', ok: true, worked: 3, rejected: 0 })
  uses.noteResults('a', { at: '2026-03-02T00:00:00.000Z', ok: false, worked: 2, rejected: 1 })
  const noted = uses.list(now)
  db.exec("DELETE FROM connector_auths WHERE id = 'a'")
  expect({ before, noted, after: uses.list(now) }).toEqual({
    before: [
      {
        auth_id: 'a',
        last_used: null,
        last_tested: '1970-01-01T00:00:05.000Z',
        last_test_ok: true,
        last_result: '1970-01-01T00:00:05.000Z',
        last_result_ok: true,
        days: [],
      },
    ],
    noted: [
      {
        auth_id: 'a',
        last_used: '2026-03-01T00:00:00.000Z',
        last_tested: '2026-03-02T00:00:00.000Z',
        last_test_ok: false,
        last_result: '2026-03-02T00:00:00.000Z',
        last_result_ok: false,
        days: [{ date: '2026-03-02', worked: 2, rejected: 1 }],
      },
    ],
    after: [],
  })
})

it('existing auths are bound to no origin yet, and none of them waits', () => {
  const db = aDatabase({ version: 18 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', 'https://a.example', '{}', '[]', '', '', '', '', '[]', 0, 1, 1);
    INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
      username, tags, visibility, user_ids, secret_names, state, sealed, created_at, updated_at)
    VALUES ('a', 'c', 'u', 'Key', 'bearer', '', '', '{}', '', '[]', 'account', '[]', '[]', 'ok', x'01', 1, 1);
  `)
  migrateTo(19, db)
  const auth = db.prepare('SELECT json_array(id, hex(sealed), origins, new_origins) FROM connector_auths')
  const connector = db.prepare('SELECT json_array(id, origins) FROM connectors')
  expect([auth.pluck().get(), connector.pluck().get()]).toEqual(['["a","01",null,"[]"]', '["c",null]'])
})

it('existing connectors stay, and an image is deleted with its connector', () => {
  const db = aDatabase({ version: 20 })
  db.exec(`
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', 'https://a.example/x.png', '', '[]', 0, 1, 1);
  `)
  migrateTo(21, db)
  db.exec(`INSERT INTO connector_images VALUES ('c', 'image/png', x'89')`)
  const count = db.prepare('SELECT count(*) FROM connector_images').pluck()
  const before = [db.prepare('SELECT name FROM connectors').pluck().get(), count.get()]
  db.exec(`DELETE FROM connectors WHERE id = 'c'`)
  expect({ before, after: count.get() }).toEqual({ before: ['Shop', 1], after: 0 })
})
