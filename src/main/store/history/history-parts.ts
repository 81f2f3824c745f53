/** The large part of the history – steps, states and headers – in rows; a short run has a single one. */
import { zstdDecompressSync } from 'node:zlib'
import type { Database } from 'better-sqlite3'
import { compress } from './compress.ts'
import { keyInRun, keysOfRun } from './ids.ts'
import { command, isRecording, rows, scalar, UnmadeValue } from '../sql/statement.ts'
import type { WrittenSteps } from './step-format.ts'

export interface HistoryPart {
  readonly steps: WrittenSteps | null
  readonly sealed: Buffer | UnmadeValue | null
  readonly headers: string | null
}

export interface StepsPart {
  readonly key: number
  readonly run_id: string
  readonly steps: string
  /** The concatenated long bodies of calls. */
  readonly bodies: Uint8Array
}

export type HistoryParts = ReturnType<typeof createHistoryParts>

interface StepsRow extends Omit<StepsPart, 'steps' | 'bodies'> {
  readonly steps: string | null
  readonly packed: Buffer | null
}

export function createHistoryParts(db: Database) {
  const insert = command(
    db,
    'INSERT INTO history_parts (key, steps, packed, sealed, headers) VALUES (?, ?, ?, ?, ?)',
  )
  // Recorded work can't check whether the run still exists, so the statement checks it.
  const putIfStored = (columns: string) => {
    const [, ...others] = columns.split(', ')
    return command(
      db,
      `INSERT INTO history_parts (${columns})
       SELECT * FROM (SELECT ? AS key, ${others.map(() => '?').join(', ')}) AS part
       WHERE EXISTS (SELECT 1 FROM flow_runs WHERE key = part.key >> 20)
       ON CONFLICT (key) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  }
  const putSteps = putIfStored('key, steps, packed')
  const putSealed = putIfStored('key, sealed')
  const putHeaders = command(
    db,
    `INSERT INTO history_parts (key, headers) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET headers = excluded.headers`,
  )
  const sealedOf = scalar<Buffer>(
    db,
    'SELECT sealed FROM history_parts WHERE key BETWEEN ? AND ? AND sealed IS NOT NULL ORDER BY key',
  )
  const firstSealedOf = scalar<Buffer | null>(db, 'SELECT sealed FROM history_parts WHERE key = ?')
  const dropSealed = command(db, 'UPDATE history_parts SET sealed = NULL WHERE key BETWEEN ? AND ?')
  const SELECT_STEPS = `
    SELECT p.key, (SELECT id FROM flow_runs WHERE key = p.key >> 20) AS run_id, p.steps, p.packed FROM history_parts p
    WHERE p.key BETWEEN ? AND ? AND (p.steps IS NOT NULL OR p.packed IS NOT NULL)`
  const stepsUp = rows<StepsRow>(db, `${SELECT_STEPS} ORDER BY p.key`)
  const stepsDown = rows<StepsRow>(db, `${SELECT_STEPS} ORDER BY p.key DESC`)
  const stepsInFlight = rows<StepsRow>(
    db,
    `${SELECT_STEPS} AND (${IN_FLIGHT.map((words) => `instr(p.steps, '${words}') > 0`).join(' OR ')})
     ORDER BY p.key`,
  )
  const stepsAt = rows<StepsRow>(db, `${SELECT_STEPS} ORDER BY p.key DESC LIMIT 1`)
  return {
    insert: (runKey: number, position: number, { steps, sealed, headers }: HistoryPart) =>
      void insert.run(
        keyInRun(runKey, position),
        ...packSteps(steps?.text ?? null, steps?.bodies),
        sealed,
        headers,
      ),
    putSteps: (runKey: number, position: number, { text, bodies }: WrittenSteps) =>
      void putSteps.run(keyInRun(runKey, position), ...packSteps(text, bodies)),
    putSealed: (runKey: number, position: number, sealed: Buffer | UnmadeValue) =>
      void putSealed.run(keyInRun(runKey, position), sealed),
    putHeaders: (runKey: number, headers: string) => void putHeaders.run(keyInRun(runKey, 0), headers),
    sealedOf: (runKey: number): readonly Buffer[] => sealedOf.all(...keysOfRun(runKey)),
    firstSealedOf: (runKey: number): Buffer | undefined =>
      firstSealedOf.get(keyInRun(runKey, 0)) ?? undefined,
    /** Deletes the sealed parts from this position on. */
    dropSealed: (runKey: number, position: number) =>
      void dropSealed.run(keyInRun(runKey, position), keysOfRun(runKey)[1]),
    /** The part that holds the step at this position, if any: the last one that starts at or before it. */
    stepsAt(runKey: number, position: number): StepsPart | null {
      const row = stepsAt.get(keysOfRun(runKey)[0], keyInRun(runKey, position))
      return row === undefined ? null : toPart(row)
    },
    /** Parts that can contain a step that is `running` or `retrying`. */
    stepsInFlight: (runKey: number): readonly StepsPart[] =>
      stepsInFlight.all(...keysOfRun(runKey)).map(toPart),
    /** Parts that start between two keys, inclusive, in order. */
    *stepsUp(from: number, to: number): Iterable<StepsPart> {
      for (const row of stepsUp.each(from, to)) yield toPart(row)
    },
    /** The same, in reverse order. */
    *stepsDown(from: number, to: number): Iterable<StepsPart> {
      for (const row of stepsDown.each(from, to)) yield toPart(row)
    },
  }
}

/**
 * The columns of a list of steps. A long list is compressed together with the bodies, because the responses of a
 * paginated step are similar. The text of a list with a step in flight isn't compressed, so that SQL can search it. If
 * a step's data happens to contain the words searched for, its list isn't compressed either, which does no other harm.
 */
export function packSteps(
  steps: string | null,
  bodies: readonly Uint8Array[] = [],
): readonly [steps: string | UnmadeValue | null, packed: Buffer | null] {
  const hasBodies = bodies.length > 0
  if (steps === null || (!hasBodies && steps.length < PACK_FROM_CHARACTERS)) return [steps, null]
  if (isRecording()) return [new UnmadeValue('pack', '', steps), null]
  // Converted once, because searching the string would first join its pieces, and compressing would convert it piece by
  // piece.
  const text = Buffer.from(steps)
  if (IN_FLIGHT.some((words) => text.includes(words)))
    return [steps, hasBodies ? compress(Buffer.concat(bodies)) : null]
  if (!hasBodies) return [null, compress(text)]
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(text.length, 1)
  return [null, compress(Buffer.concat([head, text, ...bodies]))]
}

/**
 * `packed` contains the bodies of the steps next to it, or the steps themselves, either alone or after a head and
 * followed by bodies.
 */
function toPart({ key, run_id, steps, packed }: StepsRow): StepsPart {
  if (packed === null) return { key, run_id, steps: steps ?? '[]', bodies: NO_BODIES }
  const bytes = zstdDecompressSync(packed, { maxOutputLength: MOST_BYTES })
  if (steps !== null) return { key, run_id, steps, bodies: bytes }
  if (bytes[0] !== HEAD) return { key, run_id, steps: bytes.toString('utf8'), bodies: NO_BODIES }
  const end = HEAD_BYTES + bytes.readUInt32LE(1)
  return { key, run_id, steps: bytes.toString('utf8', HEAD_BYTES, end), bodies: bytes.subarray(end) }
}

/** The first byte of the head. Text never begins with it. The text's length follows. */
const HEAD = 0
const HEAD_BYTES = 5
const NO_BODIES = new Uint8Array()

const IN_FLIGHT = ['"status":"running"', '"status":"retrying"']
/** Shorter lists fit on a few pages of the database anyway. */
const PACK_FROM_CHARACTERS = 16_384
const MOST_BYTES = 1_024 * 1_024 * 1_024
