import { expect, it } from 'vitest'
import { createPluginRepository } from '../../../src/main/store/records/plugins.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('an older database has no plug-ins, and keeps each once', () => {
  const db = aDatabase({ version: 33 })
  migrateTo(34, db)
  const plugins = createPluginRepository(db)
  const before = plugins.all().length
  const confirmed = { name: 'tools', confirmed_by: 'u', confirmed_at: '2026-03-01T12:00:00.000Z' }
  for (const hash of ['a', 'b']) plugins.put({ ...confirmed, hash, files: new Uint8Array() })
  const kept = plugins.all().map(({ name, hash }) => [name, hash])
  expect({ before, kept }).toEqual({ before: 0, kept: [['tools', 'b']] })
})
