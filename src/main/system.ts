/** The machine's clock, randomness and log. Everything else receives them as arguments. */
import { randomBytes, randomUUID } from 'node:crypto'
import { pino, type Logger } from 'pino'
import type { Clock } from './engine/ports.ts'
import { createLogWriter, stderrOutput } from './log-writer.ts'
import type { SecureRandom } from './services/kit/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: performance.now.bind(performance), // looks the global up at each use
}

export const systemRandom: SecureRandom = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
}

export type LogLevel = 'info' | 'warn' | 'error' | 'silent'

/**
 * One JSON object per line on stderr, which leaves stdout to the command's output. Written at once if its reader keeps
 * up, because the last lines before an exit matter most. Nothing waits for it.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    createLogWriter(stderrOutput(), () => systemClock.now()),
  )
}
