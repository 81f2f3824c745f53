/** The large part of the history – steps, states and headers – in rows; a short run has a single one. */
import type { Database } from 'better-sqlite3'
import { keyInRun, keysOfRun } from './ids.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface HistoryPart {
  readonly steps: string | null
  readonly sealed: Buffer | null
  readonly headers: string | null
}

export interface StepsPart {
  readonly key: number
  readonly run_id: string
  readonly steps: string
}

export interface HistoryParts {
  insert(runKey: number, position: number, part: HistoryPart): void
  putSteps(runKey: number, position: number, steps: string): void
  putSealed(runKey: number, position: number, sealed: Buffer): void
  putHeaders(runKey: number, headers: string): void
  sealedOf(runKey: number): readonly Buffer[]
  /** Deletes the sealed parts from this position on. */
  dropSealed(runKey: number, position: number): void
  /** The part that holds the step at this position, if any: the last one that starts at or before it. */
  stepsAt(runKey: number, position: number): StepsPart | null
  /** Parts that can contain a step that is `running` or `retrying`. */
  stepsInFlight(runKey: number): readonly StepsPart[]
  /** Parts that start between two keys, both included, in order. */
  stepsUp(from: number, to: number): Iterable<StepsPart>
  /** The same, in reverse order. */
  stepsDown(from: number, to: number): Iterable<StepsPart>
}

export function createHistoryParts(db: Database): HistoryParts {
  const insert = command(db, 'INSERT INTO history_parts (key, steps, sealed, headers) VALUES (?, ?, ?, ?)')
  const putSteps = command(
    db,
    `INSERT INTO history_parts (key, steps) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET steps = excluded.steps`,
  )
  const putSealed = command(
    db,
    `INSERT INTO history_parts (key, sealed) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET sealed = excluded.sealed`,
  )
  const putHeaders = command(
    db,
    `INSERT INTO history_parts (key, headers) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET headers = excluded.headers`,
  )
  const sealedOf = scalar<Buffer>(
    db,
    'SELECT sealed FROM history_parts WHERE key BETWEEN ? AND ? AND sealed IS NOT NULL ORDER BY key',
  )
  const dropSealed = command(db, 'UPDATE history_parts SET sealed = NULL WHERE key BETWEEN ? AND ?')
  const SELECT_STEPS = `
    SELECT p.key, (SELECT id FROM flow_runs WHERE key = p.key >> 20) AS run_id, p.steps FROM history_parts p
    WHERE p.key BETWEEN ? AND ? AND p.steps IS NOT NULL`
  const stepsUp = rows<StepsPart>(db, `${SELECT_STEPS} ORDER BY p.key`)
  const stepsDown = rows<StepsPart>(db, `${SELECT_STEPS} ORDER BY p.key DESC`)
  // If a step's data happens to contain these words, a part is read needlessly; that is the only harm.
  const stepsInFlight = rows<StepsPart>(
    db,
    `${SELECT_STEPS} AND (instr(p.steps, '"status":"running"') > 0 OR instr(p.steps, '"status":"retrying"') > 0)
     ORDER BY p.key`,
  )
  const stepsAt = rows<StepsPart>(db, `${SELECT_STEPS} ORDER BY p.key DESC LIMIT 1`)
  return {
    insert: (runKey, position, { steps, sealed, headers }) =>
      void insert.run(keyInRun(runKey, position), steps, sealed, headers),
    putSteps: (runKey, position, steps) => void putSteps.run(keyInRun(runKey, position), steps),
    putSealed: (runKey, position, sealed) => void putSealed.run(keyInRun(runKey, position), sealed),
    putHeaders: (runKey, headers) => void putHeaders.run(keyInRun(runKey, 0), headers),
    sealedOf: (runKey) => sealedOf.all(...keysOfRun(runKey)),
    dropSealed: (runKey, position) => void dropSealed.run(keyInRun(runKey, position), keysOfRun(runKey)[1]),
    stepsAt: (runKey, position) => stepsAt.get(keysOfRun(runKey)[0], keyInRun(runKey, position)) ?? null,
    stepsInFlight: (runKey) => stepsInFlight.all(...keysOfRun(runKey)),
    stepsUp: (from, to) => stepsUp.each(from, to),
    stepsDown: (from, to) => stepsDown.each(from, to),
  }
}
