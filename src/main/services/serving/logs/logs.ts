import { join } from 'node:path'
import type { z } from 'zod'
import type { Data } from '@millrace/jinja/data'
import { createRedactor, type Redactor } from '../../../engine/redaction/redactor.ts'
import { storedJson } from '../../kit/json-codec.ts'
import type { listLogsRoute, Logs } from '../../../../shared/contract/logs.ts'
import { readLogs } from './read-logs.ts'

export interface LogsOptions {
  readonly dataDir: string
  /** Redacts every known secret. */
  readonly redactor: () => Redactor
}

export function createLogsService({ dataDir, redactor }: LogsOptions) {
  const folder = logFolder(dataDir)
  return {
    async list({
      level,
      text,
      since,
      until,
      after,
      newer_than: newerThan,
      per_page: limit = 50,
    }: z.output<typeof listLogsRoute.query>): Promise<Logs> {
      const time = (at: string | undefined) => (at === undefined ? undefined : Date.parse(at))
      const query = { level, text, since: time(since), until: time(until), after, newerThan, limit }
      return { folder, entries: await readLogs(folder, query) }
    },
    /** A line of the log, in JSON, without secrets. */
    redactLine: (line: string) => `${redact(line, redactor)}\n`,
  }
}

/** Only redacts values whose names are typical of secrets. */
const byName = createRedactor({ secrets: [] })

/** The secrets can't be read once the database is closed, and the log must not fail. */
function redact(line: string, redactor: () => Redactor): string {
  const value = storedJson.parse(line) as Data
  try {
    return storedJson.stringify(redactor().redactData(value))
  } catch {
    return storedJson.stringify(byName.redactData(value))
  }
}

export const logFolder = (dataDir: string) => join(dataDir, 'logs')
