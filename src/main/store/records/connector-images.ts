import type { Database } from 'better-sqlite3'
import { command, rows } from '../sql/statement.ts'

export interface ConnectorImage {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface ConnectorImageRepository {
  get(connectorId: string): ConnectorImage | null
  /** Replaces the previous image; null removes it. */
  put(connectorId: string, image: ConnectorImage | null): void
  /** Copies the image to a copy of the connector. */
  copy(fromId: string, toId: string): void
}

export function createConnectorImageRepository(db: Database): ConnectorImageRepository {
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
    get(connectorId) {
      const row = get.get(connectorId)
      return row === undefined ? null : { contentType: row.content_type, bytes: row.bytes }
    },
    put(connectorId, image) {
      if (image === null) remove.run(connectorId)
      else put.run(connectorId, image.contentType, image.bytes)
    },
    copy: (fromId, toId) => void copy.run(toId, fromId),
  }
}
