/**
 * Webhook requests with a delivery id from their sender, and the responses to them; a repeated delivery doesn't run the
 * flow again.
 */
import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'

export interface DeliveryAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export type SeenDeliveryRepository = ReturnType<typeof createSeenDeliveryRepository>

const PORTION = 500

export function createSeenDeliveryRepository(db: Database, box: SecretBox) {
  const find = rows<{ sealed: Buffer }>(
    db,
    `SELECT sealed FROM seen_deliveries
     WHERE flow_key = (SELECT key FROM flows WHERE id = ? AND deleted_at IS NULL) AND hash = ?`,
  )
  const insert = command(
    db,
    `INSERT INTO seen_deliveries (flow_key, hash, at, sealed) SELECT key, ?, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key, hash) DO NOTHING`,
  )
  const forget = command(
    db,
    `DELETE FROM seen_deliveries WHERE key IN (
       SELECT key FROM (SELECT key, at FROM seen_deliveries ORDER BY key LIMIT ${PORTION}) WHERE at < ?)`,
  )
  return {
    /** Null if it hasn't been seen, or not for a long time. */
    get(flowId: string, id: string): DeliveryAnswer | null {
      const row = find.get(flowId, hashOf(id))
      return row === undefined ? null : (JSON.parse(box.open(ownerOf(flowId), row.sealed)) as DeliveryAnswer)
    },
    /** False if it was seen before, in which case nothing is stored. */
    insert(flowId: string, id: string, answer: DeliveryAnswer, at: number): boolean {
      return insert.run(hashOf(id), at, box.seal(ownerOf(flowId), JSON.stringify(answer)), flowId) > 0
    },
    /** Deletes a batch of deliveries before that time; true if there may be more. */
    forget: (before: number) => forget.run(before) === PORTION,
  }
}

const hashOf = (id: string) => hash('sha256', id, 'buffer')
const ownerOf = (flowId: string): SecretOwner => `seen_deliveries:${flowId}`
