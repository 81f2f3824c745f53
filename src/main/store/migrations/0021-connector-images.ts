import type { Migration } from './migrate.ts'

/** The image that `image_url` named when the connector was saved. */
export const connectorImages: Migration = {
  version: 21,
  name: 'connector images',
  up(db) {
    db.exec(`
      CREATE TABLE connector_images (
        connector_id TEXT PRIMARY KEY REFERENCES connectors (id) ON DELETE CASCADE,
        content_type TEXT NOT NULL,
        bytes BLOB NOT NULL
      ) STRICT;
    `)
  },
}
