/** Figures over time, for charts. */
import { z } from 'zod'
import { repeatable, searchText, timestamp } from '../base/common.ts'
import { doc } from '../base/doc.ts'
import { can, defineRoute } from '../base/route.ts'

export const FIGURES_OF = ['runs', 'webhooks', 'records', 'calls', 'disk'] as const
export type FiguresOf = (typeof FIGURES_OF)[number]
export const BUCKETS = ['minute', 'hour', 'day'] as const
export type Bucket = (typeof BUCKETS)[number]

const BUCKET_NAMES = '`minute`, `hour` or `day` (in UTC)'
const moment = z.iso.datetime({ offset: true })

const tally = z.object({
  counts: z
    .record(z.string(), z.int())
    .describe(
      'How many there were by status: `success`, `error` and `cancelled` of runs, `2xx` to `5xx` of webhook requests, `read`, `written` and `rejected` of records, and `new`, `changed` and `unchanged` of those that were merged (of several with the same key in one write, files and PostgreSQL count the last); `answered`, `limited`, `refused` and `failed` of calls; `database`, `tables` (the part of the database that its tables take), `files` and `backups` of the disk, in bytes as measured last. A status without any is left out.',
    )
    .meta({ examples: [{ success: 118, error: 2 }] }),
  p50_ms: z
    .number()
    .nullable()
    .meta(doc('Median duration in milliseconds, within 5 %. Null if there is none.', 41.1)),
  p95_ms: z
    .number()
    .nullable()
    .meta(doc('95 % took no longer than this, in milliseconds, within 5 %. Null if there is none.', 196.7)),
})
export type Tally = z.output<typeof tally>

const figuresBucket = tally.extend({ at: timestamp.describe('Start of the bucket, in UTC.') })
export type FiguresBucket = z.output<typeof figuresBucket>

const figures = z.object({
  of: z.enum(FIGURES_OF).describe('What was counted.'),
  flow_id: z
    .string()
    .nullable()
    .describe('ID of the flow they are of. Null for all flows, including those deleted since.'),
  from: timestamp.meta(doc('Start of the first bucket, in UTC.', '2026-02-28T12:00:00.000Z')),
  until: timestamp.meta(doc('End of the last bucket, in UTC.', '2026-03-01T12:00:00.000Z')),
  bucket: z
    .enum(BUCKETS)
    .describe(`Length of a bucket: ${BUCKET_NAMES}.`)
    .meta({ examples: ['hour'] }),
  buckets: z.array(figuresBucket).describe('Oldest first, with those in which nothing happened.'),
  totals: tally.describe('All buckets together; of the disk, what was measured last.'),
  before: tally
    .nullable()
    .describe('The same for the time before, which is as long. Null with `filter` or `text`.'),
  counted_from: timestamp
    .nullable()
    .describe(
      'What is older is missing in the counts: a long history is only read for about a second, for minutes and with `filter` or `text`, and one from before an update is counted in the background. Null if nothing is missing.',
    )
    .meta({ examples: [null] }),
})
export type Figures = z.output<typeof figures>

export const readFiguresRoute = defineRoute({
  method: 'GET',
  path: '/v1/figures',
  name: 'read_figures',
  summary:
    'Count runs, webhook requests, records or calls by time and status, with the durations of each bucket, or read how large the data folder was',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  item: true,
  refusals: [404],
  query: z.strictObject({
    of: z
      .enum(FIGURES_OF)
      .optional()
      .describe(
        '`runs`: ended runs by the time they were requested, without tests in the editor (default). `webhooks`: requests to webhooks, accepted and rejected. `records`: those of lists that were read, those that `write_records` wrote or set aside, and rows that `data_table` inserted or updated, by the time their step ended; not by minute. `calls`: HTTP requests that steps sent, by the time their step ended: `limited` are those refused because there were too many (429), `refused` other 4xx, `failed` 5xx and those without a response; not by minute. `disk`: sizes in the data folder, measured once an hour; not by minute, not of one flow, and only with the scope that reads settings.',
      ),
    flow_id: z.string().max(200).optional().describe('ID of a flow. Defaults to all flows.'),
    from: moment
      .optional()
      .describe('From this time on, extended to a whole bucket. Default: 24 hours before `until`.'),
    until: moment.optional().describe('Until this time, extended to a whole bucket. Default: now.'),
    bucket: z
      .enum(BUCKETS)
      .optional()
      .describe(
        `${BUCKET_NAMES}. At most a day of minutes, 31 days of hours, or 400 days. Default: minutes for up to 3 hours, hours for up to 8 days, otherwise days. Hours are kept for 70 days, and days for 1,200, also of deleted runs; minutes are only those of stored runs.`,
      ),
    filter: repeatable
      .optional()
      .describe(
        'As in the list of runs or of webhook requests: counts its entries instead, with runs in progress and tests.',
      ),
    text: searchText('As in the list of runs or of webhook requests: counts its entries instead.'),
  }),
  result: figures,
})

export const figureRoutes = { readFiguresRoute }
