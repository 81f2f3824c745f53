/** Millrace's log, and the list of calls to its API. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { text, wholeNumber } from './base/common.ts'
import { defineRoute } from './base/route.ts'

/** Sorted from the least to the most important. */
export const LOG_LEVELS = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A time such as `2026-03-01T12:00:00Z`, or with an offset. */
const moment = z.iso.datetime({ offset: true })

const logEntry = z.object({
  id: z.string().meta(doc('ID of the line: its file and its position in it.', '3.18211')),
  time: z
    .string()
    .nullable()
    .describe('When it was logged, in UTC. Null for half a line, which a kill or a full disk can leave.')
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  level: z.enum(LOG_LEVELS).meta(doc('`info`, `warn` or `error`.', 'warn')),
  message: z.string().meta(doc('What happened, in a sentence.', "A scheduled run couldn't be accepted")),
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
    .meta(doc('Folder of the log files on this computer.', '/home/ada/.local/share/millrace/logs')),
  entries: z.array(logEntry).readonly().describe('Lines of the log, newest first.'),
})
export type Logs = z.output<typeof logs>

const page = {
  since: moment.optional().describe('Only lines from this time on.'),
  until: moment.optional().describe('Only lines up to this time.'),
  after: z
    .string()
    .max(40)
    .optional()
    .describe('ID of the last line of the previous page. Defaults to the first page.'),
  newer_than: z
    .string()
    .max(40)
    .optional()
    .describe('ID of a line: only those written after it, to follow the log.'),
  per_page: wholeNumber(1, 200).optional().describe('Lines per page, 1 to 200. Default: 50.'),
}

export const listLogsRoute = defineRoute({
  method: 'GET',
  path: '/v1/logs',
  name: 'list_logs',
  summary: 'Search the log of Millrace, newest first; only for the app and the millrace command',
  access: 'session',
  status: 200,
  query: z.strictObject({
    level: z.enum(LOG_LEVELS).optional().describe('Only lines of this level and above. Default: all.'),
    text: text(200).optional().describe('Only lines that contain this text, in upper or lower case.'),
    ...page,
  }),
  result: logs,
})

/** Callers: the app, the owner's command line, a token, or somebody unknown. */
export const CALLERS = ['app', 'command', 'token', 'unknown'] as const

const apiCall = z.object({
  id: z.string().meta(doc('ID of the line: its file and its position in it.', '1.5120')),
  time: z.string().meta(doc('When the response was sent, in UTC.', '2026-03-01T12:00:00.000Z')),
  method: z.string().meta(doc('The HTTP method.', 'PUT')),
  route: z.string().meta(doc('The path of the endpoint, without IDs and query.', '/v1/flows/:id')),
  status: z.int().meta(doc('HTTP status code of the response.', 200)),
  duration_ms: z.number().meta(doc('Time until the response was sent, in milliseconds.', 3.2)),
  caller: z
    .enum(CALLERS)
    .describe(
      'Who called: `app`, `command` (the millrace command), `token`, or `unknown` without valid credentials.',
    )
    .meta({ examples: ['token'] }),
  token_id: z
    .string()
    .nullable()
    .meta(doc('ID of the access token. Null for other callers.', '7c9e6679-7425-40de-944b-e07fc1f90ae7')),
  token_note: z
    .string()
    .nullable()
    .describe('Note of the access token. Null for other callers, and if the token was revoked.')
    .meta({ examples: ['Nightly export'] }),
})
export type ApiCall = z.output<typeof apiCall>

export const listCallsRoute = defineRoute({
  method: 'GET',
  path: '/v1/calls',
  name: 'list_calls',
  summary: 'Search the calls of this API, newest first; only for the app and the millrace command',
  access: 'session',
  status: 200,
  query: z.strictObject({
    route: text(200)
      .optional()
      .describe('Only calls whose method and path contain this, in upper or lower case.'),
    caller: z.enum(CALLERS).optional().describe('Only calls by this kind of caller. Default: all.'),
    failed: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only calls with a status of 400 and above.'),
    ...page,
  }),
  result: z.object({ entries: z.array(apiCall).readonly().describe('Calls of the API, newest first.') }),
})

export const logRoutes = {
  listLogsRoute,
  listCallsRoute,
}
