/** Questions that runs ask people, with their answers. */
import type { Database } from 'better-sqlite3'
import { runKey } from '../history/ids.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, rows } from '../sql/statement.ts'

/** Times in milliseconds since 1970. */
export interface StoredQuestion {
  readonly id: string
  readonly runId: string
  readonly refId: string
  readonly askedAt: number
  readonly expiresAt: number
  readonly answeredAt: number | null
  readonly closedAt: number | null
  /** Whether its run has ended, or the run's flow has been deleted. */
  readonly isRunOver: boolean
}

export interface NewStoredQuestion extends Pick<StoredQuestion, 'id' | 'refId' | 'askedAt' | 'expiresAt'> {
  readonly stepKey: string
  readonly tokenHash: string
  /** Sealed in the database. */
  readonly content: string
}

export type QuestionRepository = ReturnType<typeof createQuestionRepository>

const SELECT = `
  SELECT q.id, r.id AS runId, q.ref_id AS refId, q.asked_at AS askedAt, q.expires_at AS expiresAt,
    q.answered_at AS answeredAt, q.closed_at AS closedAt,
    r.finished_at IS NOT NULL OR f.deleted_at IS NOT NULL AS isRunOver
  FROM questions q JOIN flow_runs r ON r.key = q.run_key JOIN flows f ON f.key = r.flow_key`

const ownerOf = (id: string): SecretOwner => `questions:${id}`

export function createQuestionRepository(db: Database, box: SecretBox) {
  const questions = createRecordMapper<StoredQuestion>(db, { isRunOver: 'flag' })
  const byId = questions.query(`${SELECT} WHERE q.id = ?`)
  const byToken = questions.query(`${SELECT} WHERE q.token_hash = ?`)
  const byStep = questions.query(`${SELECT} WHERE q.run_key = ? AND q.step_key = ?`)
  const open = questions.query(
    `${SELECT} WHERE q.run_key = ? AND q.answered_at IS NULL AND q.closed_at IS NULL AND q.expires_at > ?
     ORDER BY q.key`,
  )
  const sealed = rows<{ readonly sealed: Buffer; readonly sealed_answer: Buffer | null }>(
    db,
    'SELECT sealed, sealed_answer FROM questions WHERE id = ?',
  )
  const insert = command(
    db,
    `INSERT INTO questions (id, run_key, step_key, ref_id, token_hash, sealed, asked_at, expires_at)
     SELECT ?, key, ?, ?, ?, ?, ?, ? FROM flow_runs WHERE key = ? AND id = ?`,
  )
  const answer = command(
    db,
    `UPDATE questions SET sealed_answer = ?, answered_at = ?
     WHERE id = ? AND answered_at IS NULL AND closed_at IS NULL AND expires_at > ?`,
  )
  const close = command(db, 'UPDATE questions SET closed_at = ? WHERE id = ? AND answered_at IS NULL')

  return {
    get: (id: string) => byId.get(id),
    findByToken: (tokenHash: string) => byToken.get(tokenHash),
    /** The content stored when the question was asked. Throws if it can't be decrypted. */
    contentOf(id: string): string {
      const row = sealed.get(id)
      if (row === undefined) throw new Error(`There is no question ${id}`)
      return box.open(ownerOf(id), row.sealed)
    },
    /** The answer as it was stored; null if there is none. Throws if it can't be decrypted. */
    answerOf(id: string): string | null {
      const content = sealed.get(id)?.sealed_answer ?? null
      return content === null ? null : box.open(ownerOf(id), content)
    },
    /** The question that this step of the run has asked; null if it hasn't asked one. */
    findOfStep: (runId: string, stepKey: string) => byStep.get(runKey(runId) ?? -1, stepKey),
    /** Questions of the run that can still be answered, oldest first. */
    openOf: (runId: string, now: number): readonly StoredQuestion[] =>
      open.all(runKey(runId) ?? -1, now).filter((one) => one.runId === runId && !one.isRunOver),
    /**
     * False if the run doesn't exist.
     *
     * @throws SecretBoxLockedError while nothing can be encrypted
     */
    insert(
      runId: string,
      { id, stepKey, refId, tokenHash, content, askedAt, expiresAt }: NewStoredQuestion,
    ): boolean {
      const bytes = box.seal(ownerOf(id), content)
      const key = runKey(runId) ?? -1
      return insert.run(id, stepKey, refId, tokenHash, bytes, askedAt, expiresAt, key, runId) > 0
    },
    /** False if it can no longer be answered. */
    answer: (id: string, content: string, at: number) =>
      answer.run(box.seal(ownerOf(id), content), at, id, at) > 0,
    /** False if it has been answered. */
    close: (id: string, at: number) => close.run(at, id) > 0,
  }
}
