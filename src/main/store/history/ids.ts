/**
 * Ids of the history and the keys inside them.
 *
 * Random indexes limit how many runs can be committed per second, because each id is on a different page, and each page
 * is written. So ids of runs, steps and webhook requests are UUIDs that carry their key, disguised by their own random
 * digits, and are found without an index. Runs and requests share one sequence of keys: a request that started a run
 * has the run's key. All ids of one run have the same random digits.
 *
 *     nnnnnnss-ssss-4sss-ysss-kkkkkkkkkkkk
 *
 * s: 50 random bits; k: the key; n: 0 for the run, from 1 on its steps, ffffff the request. k and n are mixed with a
 * hash of s. After finding a record by its key, always compare the whole id, because the key can have been used before.
 */
import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { scalar } from '../sql/statement.ts'

export type KeySequence = ReturnType<typeof createKeySequence>

export function createKeySequence(db: Database) {
  const newest = scalar<number | null>(
    db,
    'SELECT max(key) FROM (SELECT max(key) AS key FROM flow_runs UNION ALL SELECT max(key) FROM webhook_requests)',
  )
  const lastBefore = newest.get() ?? 0
  let last = lastBefore
  return {
    next: () => ++last,
    /** Whether `next` has issued this key since the folder was opened. */
    isOwn: (key: number) => key > lastBefore && key <= last,
    /** The newest key that existed when the folder was opened. */
    lastBefore,
    /** The newest key issued, stored or not. */
    last: () => last,
  }
}

const RUN = 0
const REQUEST = 0xff_ff_ff

export const newRunId = (key: number) => idOf(key, RUN, randomUUID())
export const newRequestId = (key: number) => idOf(key, REQUEST, randomUUID())

/** The id of the step at this position of the run, counted from 0. */
export const runStepId = (runId: string, position: number) =>
  idOf(parseId(runId)?.key ?? 0, position + 1, runId)
/** The id of the webhook request that started the run. */
export const webhookRequestId = (runId: string) => idOf(parseId(runId)?.key ?? 0, REQUEST, runId)
/** The id of the run that the request started. */
export const runIdOfRequest = (requestId: string) => idOf(parseId(requestId)?.key ?? 0, RUN, requestId)

/** The key in a run's id; null if it isn't a run id. */
export function runKey(id: string): number | null {
  const parsed = parseId(id)
  return parsed?.number === RUN ? parsed.key : null
}

export function requestKey(id: string): number | null {
  const parsed = parseId(id)
  return parsed?.number === REQUEST ? parsed.key : null
}

export function stepPlace(id: string): { readonly runKey: number; readonly position: number } | null {
  const parsed = parseId(id)
  if (parsed === null || parsed.number === RUN || parsed.number > POSITIONS) return null
  return { runKey: parsed.key, position: parsed.number - 1 }
}

const POSITIONS = 2 ** 20

/** Keys of a run's parts: the run's key times 2^20 plus a position, which keeps them together. */
export function keyInRun(runKey: number, position: number): number {
  if (!Number.isInteger(position) || position < 0 || position >= POSITIONS) {
    throw new RangeError(`The position of a step in a run must be below ${POSITIONS}, got ${position}`)
  }
  return runKey * POSITIONS + position
}
/** First and last key of a run's parts. */
export const keysOfRun = (runKey: number) => [runKey * POSITIONS, runKey * POSITIONS + POSITIONS - 1] as const
export const positionOf = (key: number) => key % POSITIONS

/** Position at which the random digits begin, counting hyphens. */
const SEED_FROM = 6
const SEED_TO = 24
const HALF = 2 ** 24
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function idOf(key: number, number: number, uuid: string): string {
  const seed = uuid.slice(SEED_FROM, SEED_TO)
  const hash = hashOf(seed)
  const high = Math.floor(key / HALF) ^ maskOf(hash, 1)
  const low = (key % HALF) ^ maskOf(hash, 2)
  return hex(number ^ maskOf(hash, 3)) + seed + hex(high) + hex(low)
}

interface ParsedId {
  readonly key: number
  readonly number: number
}

/** Storing a run asks for its key several times in a row. */
let latest: { readonly id: string; readonly parsed: ParsedId | null } = { id: '', parsed: null }

function parseId(id: string): ParsedId | null {
  if (id !== latest.id) latest = { id, parsed: readId(id) }
  return latest.parsed
}

function readId(id: string): ParsedId | null {
  const text = id.toLowerCase()
  if (!FORM.test(text)) return null
  const hash = hashOf(text.slice(SEED_FROM, SEED_TO))
  const part = (from: number, mask: number) =>
    Number.parseInt(text.slice(from, from + 6), 16) ^ maskOf(hash, mask)
  return { key: part(24, 1) * HALF + part(30, 2), number: part(0, 3) }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** MurmurHash3's finalizer, cut to 24 bits. */
function maskOf(hash: number, number: number): number {
  let mask = Math.imul(hash, 2 * number + 1) + number
  mask = Math.imul(mask ^ (mask >>> 16), 0x85ebca6b)
  mask = Math.imul(mask ^ (mask >>> 13), 0xc2b2ae35)
  return (mask ^ (mask >>> 16)) & 0xff_ff_ff
}

const hex = (number: number) => (number + HALF).toString(16).slice(1)
