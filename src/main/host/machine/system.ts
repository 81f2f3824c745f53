/** The machine's clock, randomness and log. Everything else receives them as arguments. */
import { randomBytes, randomUUID } from 'node:crypto'
import { pino, symbols } from 'pino'
import type { Clock } from '../../engine/ports.ts'
import { createLogWriter, type LogWriter, stderrOutput } from './log-writer.ts'
import type { Log, SecureRandom } from '../../services/kit/ports.ts'
import { createRotatingFile } from '../../services/serving/logs/rotating-file.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: performance.now.bind(performance), // looks up the global at each use
}

export const systemRandom: SecureRandom = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
}

export type LogLevel = 'info' | 'warn' | 'error' | 'silent'

export interface ProgramLog extends Log {
  /** From then on, lines are redacted, and also kept in files in this folder, together with earlier lines. */
  readonly keep: (options: LogKeeping) => void
}

export interface LogKeeping {
  readonly folder: string
  /** Removes secrets from a line. */
  readonly redact: (line: string) => string
}

/**
 * Writes one JSON object per line to stderr, which leaves stdout to the command's output. Lines are written
 * immediately if the reader keeps up, because the last lines before an exit matter most. Nothing waits for them.
 *
 * @param level the level for stderr; files get everything
 */
export function createLogger(level: LogLevel): ProgramLog {
  const now = () => systemClock.now()
  const stderr = createLogWriter(stderrOutput(), now)
  const least = level === 'silent' ? Infinity : pino.levels.values[level]!
  const early: string[] = []
  let kept: { readonly files: LogWriter; readonly redact: (line: string) => string; close(): void } | null =
    null
  const destination = {
    [symbols.needsMetadataGsym]: true as const,
    /** The level of the line being written, set by pino. */
    lastLevel: 0,
    write(line: string) {
      const shown = kept === null ? line : kept.redact(line)
      if (destination.lastLevel >= least) stderr.write(shown)
      if (kept !== null) kept.files.write(shown)
      else if (early.length < MOST_EARLY) early.push(line)
    },
  }
  const logger = pino({ level: 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    keep({ folder, redact }) {
      kept?.close()
      const file = createRotatingFile({ folder, name: 'millrace' })
      const files = createLogWriter(file, now)
      kept = { files, redact, close: () => file.close() }
      for (const line of early.splice(0)) files.write(redact(line))
    },
  }
}

/** The most lines that are kept until the folder for them is known. */
const MOST_EARLY = 100
