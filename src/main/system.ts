/** Time, chance and the log, as the machine gives them. Everything else receives them as arguments. */
import { randomBytes, randomUUID } from 'node:crypto'
import { pino, type Logger } from 'pino'
import type { Clock } from './engine/ports.ts'
import { createLogWriter, stderrOutput } from './log-writer.ts'
import type { SecureRandom } from './services/kit/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: performance.now.bind(performance), // the global is looked up anew at each use
}

export const systemRandom: SecureRandom = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
}

export type LogLevel = 'info' | 'warn' | 'error' | 'silent'

/**
 * One JSON object a line on stderr, which leaves stdout to what the user asked for. Written at once where its reader
 * keeps up: the last lines before an end are the ones that matter. Nothing waits for it.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    createLogWriter(stderrOutput(), () => systemClock.now()),
  )
}
