import { setTimeout as sleep } from 'node:timers/promises'
import { LOG_LEVELS, type LogEntry, type LogLevel } from '../../../shared/contract/logs.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { logFolder } from '../../services/serving/logs/logs.ts'
import { readLogs } from '../../services/serving/logs/read-logs.ts'
import type { CommandContext } from '../support/command-context.ts'
import { readCount } from '../support/read-count.ts'
import { readMoment } from '../support/read-moment.ts'

export interface LogsOptions {
  readonly level?: string
  readonly text?: string
  readonly since?: string
  readonly follow?: boolean
  readonly count: string
}

/** Reads the log files directly, so that it also works while Millrace isn't running. */
export async function printLogs(
  { config, output, readerGone }: CommandContext,
  options: LogsOptions,
): Promise<void> {
  const folder = logFolder(config.dataDir)
  const limit = readCount(options.count)
  const query = {
    level: readLevel(options.level),
    text: options.text,
    since: readMoment(options.since, '--since'),
  }
  const print = (entries: readonly LogEntry[]) => {
    for (const entry of entries.toReversed()) output.line(entry, describeEntry(entry))
  }
  const first = await readLogs(folder, { ...query, limit })
  print(first)
  if (!options.follow) {
    if (first.length === 0) output.note(`No matching lines in ${folder}`)
    return
  }
  for (let seen = first[0]?.id ?? '0.0'; ;) {
    // Read before the matching lines, so that a line that arrives in between is examined again, but not shown twice.
    const [last] = await readLogs(folder, { newerThan: seen, limit: 1 })
    const entries = await readLogs(folder, { ...query, newerThan: seen, limit: MOST_AT_ONCE })
    print(entries)
    seen = entries[0]?.id ?? last?.id ?? seen
    readerGone.throwIfAborted()
    await sleep(LOOK_EVERY_MS)
  }
}

const LOOK_EVERY_MS = 500
const MOST_AT_ONCE = 100_000

/** Includes the reason of an error, if the entry has one. */
function describeEntry({ time, level, message, details }: LogEntry): string {
  const reason = (details?.['err'] as { readonly message?: string } | undefined)?.message
  return `${time ?? '-'} ${level.padEnd(5)} ${message}${reason === undefined ? '' : `: ${reason}`}`
}

function readLevel(level: string | undefined): LogLevel | undefined {
  if (level === undefined || (LOG_LEVELS as readonly string[]).includes(level)) return level as LogLevel
  throw new HostError(EXIT.usage, `--level is "${level}", but must be one of ${LOG_LEVELS.join(', ')}`)
}
