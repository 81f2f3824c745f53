/** The log of the program, and the list of calls of its API. */
import { z } from 'zod'
import { text, wholeNumber } from './base/common.ts'
import { defineRoute } from './base/route.ts'

/** From the least to the most important. */
export const LOG_LEVELS = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** `2026-03-01T12:00:00Z`, or with an offset. */
const moment = z.iso.datetime({ offset: true })

const logEntry = z.object({
  id: z
    .string()
    .describe('ID of the line: its file and its place there.')
    .meta({ examples: ['3.18211'] }),
  time: z
    .string()
    .nullable()
    .describe('When it was logged, in UTC. Null for half a line, which a kill or a full disk can leave.')
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  level: z
    .enum(LOG_LEVELS)
    .describe('`info`, `warn` or `error`.')
    .meta({ examples: ['warn'] }),
  message: z
    .string()
    .describe('What happened, in a sentence.')
    .meta({ examples: ["A scheduled run couldn't be accepted"] }),
  details: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'More about it: an error with its stack, IDs. Secrets are `***`. Null if there is nothing more.',
    ),
})
export type LogEntry = z.output<typeof logEntry>

const logs = z.object({
  folder: z
    .string()
    .describe('Folder of the log files on this computer.')
    .meta({ examples: ['/home/ada/.local/share/millrace/logs'] }),
  entries: z.array(logEntry).readonly().describe('Lines of the log, newest first.'),
})
export type Logs = z.output<typeof logs>

export const listLogsRoute = defineRoute({
  method: 'GET',
  path: '/v1/logs',
  name: 'list_logs',
  summary: 'Find lines in the log of the program, newest first; only for the page and the millrace command',
  access: 'session',
  status: 200,
  query: z.strictObject({
    level: z.enum(LOG_LEVELS).optional().describe('Only lines of this level and above. Default: all.'),
    text: text(200).optional().describe('Only lines that contain this text, in any case.'),
    since: moment.optional().describe('Only lines from this time on.'),
    until: moment.optional().describe('Only lines up to this time.'),
    after: z
      .string()
      .max(40)
      .optional()
      .describe('ID of the last line of the previous page. Absent: the first page.'),
    newer_than: z
      .string()
      .max(40)
      .optional()
      .describe('ID of a line: only those written after it, to follow the log.'),
    per_page: wholeNumber(1, 200).optional().describe('Lines per page, 1 to 200. Default: 50.'),
  }),
  result: logs,
})
