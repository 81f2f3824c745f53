import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { connectorImages } from '../../../src/main/store/migrations/0021-connector-images.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('existing connectors stay, and an image is deleted with its connector', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, connectorImages.version - 1))
  db.exec(`
    INSERT INTO connectors (id, name, type, status, base_domain, auth_config, allowed_origins, short_description,
      long_description, image_url, external_docs, tags, built_in, created_at, updated_at)
    VALUES ('c', 'Shop', 'connector', 'active', '', '{}', '[]', '', '', 'https://a.example/x.png', '', '[]', 0, 1, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, connectorImages.version))
  db.exec(`INSERT INTO connector_images VALUES ('c', 'image/png', x'89')`)
  const count = db.prepare('SELECT count(*) FROM connector_images').pluck()
  const before = [db.prepare('SELECT name FROM connectors').pluck().get(), count.get()]
  db.exec(`DELETE FROM connectors WHERE id = 'c'`)
  expect({ before, after: count.get() }).toEqual({ before: ['Shop', 1], after: 0 })
  db.close()
})
