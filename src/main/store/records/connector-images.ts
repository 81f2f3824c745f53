import type { Database } from 'better-sqlite3'
import { command, rows } from '../sql/statement.ts'

export interface ConnectorImage {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export type ConnectorImageRepository = ReturnType<typeof createConnectorImageRepository>

export function createConnectorImageRepository(db: Database) {
  const get = rows<{ content_type: string; bytes: Uint8Array }>(
    db,
    'SELECT content_type, bytes FROM connector_images WHERE connector_id = ?',
  )
  const put = command(
    db,
    `INSERT INTO connector_images (connector_id, content_type, bytes) VALUES (?, ?, ?)
     ON CONFLICT (connector_id) DO UPDATE SET content_type = excluded.content_type, bytes = excluded.bytes`,
  )
  const remove = command(db, 'DELETE FROM connector_images WHERE connector_id = ?')
  const copy = command(
    db,
    `INSERT INTO connector_images (connector_id, content_type, bytes)
     SELECT ?, content_type, bytes FROM connector_images WHERE connector_id = ?`,
  )
  return {
    get(connectorId: string): ConnectorImage | null {
      const row = get.get(connectorId)
      return row === undefined ? null : { contentType: row.content_type, bytes: row.bytes }
    },
    /** Replaces the previous image; null removes it. */
    put(connectorId: string, image: ConnectorImage | null): void {
      if (image === null) remove.run(connectorId)
      else put.run(connectorId, image.contentType, image.bytes)
    },
    /** Copies the image to a copy of the connector. */
    copy: (fromId: string, toId: string) => void copy.run(toId, fromId),
  }
}
