import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createCatalogueStateRepository } from '../../../src/main/store/records/catalogue-state.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('the catalogue of an older database counts as never synchronized', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, 2))
  migrate(db, MIGRATIONS.slice(0, 3))
  const state = createCatalogueStateRepository(db)
  const before = state.fingerprint()
  state.setFingerprint('a')
  state.setFingerprint('b')
  expect({
    userVersion: db.pragma('user_version', { simple: true }),
    before,
    fingerprint: state.fingerprint(),
  }).toEqual({ userVersion: 3, before: null, fingerprint: 'b' })
  db.close()
})
