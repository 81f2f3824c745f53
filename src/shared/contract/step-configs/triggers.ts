/** Steps that start a flow. */
import { z } from 'zod'
import { text } from '../base/common.ts'
import { flag, template } from './fields.ts'

export const SIGNATURE_SCHEMES = ['standard_webhooks', 'github', 'stripe', 'slack', 'hmac'] as const

/** How callers sign their requests. */
export const signature = z.strictObject({
  scheme: z
    .enum(SIGNATURE_SCHEMES)
    .describe(
      'How the sender signs: `github`, `stripe`, `slack`, `standard_webhooks`, or `hmac` for anything else.',
    ),
  secret: text(1_000).describe(
    'The secret shared with the sender, as `{{ name }}` of a secret variable. While you rotate it: one per line.',
  ),
  tolerance_seconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .describe("How old a signature's timestamp can be, in seconds, up to a day."),
  header: text(100).optional().describe('For `hmac`: the header with the signature, such as `X-Signature`.'),
  prefix: text(40)
    .default('')
    .describe('For `hmac`: what precedes the signature in that header, such as `sha256=`.'),
  algorithm: z
    .enum(['sha256', 'sha1', 'sha384', 'sha512'])
    .default('sha256')
    .describe('For `hmac`: the hash function.'),
  encoding: z.enum(['hex', 'base64']).default('hex').describe('For `hmac`: how the signature is written.'),
  timestamp_header: text(100)
    .optional()
    .describe(
      'For `hmac`: the header with the time in seconds. The signed content is then `<time>.<body>`. Absent: only the body is signed.',
    ),
  id_header: text(100)
    .optional()
    .describe(
      "For `hmac`: the header with the delivery's ID. A repeated delivery gets the earlier response without running the flow again.",
    ),
})
export type SignatureConfig = z.output<typeof signature>

export const WEBHOOK_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const webhook = z
  .strictObject({
    methods: z
      .array(z.enum(WEBHOOK_METHODS))
      .min(1, 'needs at least one method')
      .max(WEBHOOK_METHODS.length)
      .default(['POST'])
      .describe(
        'HTTP methods that start the flow: `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`. Other ones are refused with 405. With `GET`, a link that somebody opens starts the flow.',
      ),
    response_status_code: z
      .union([z.number().int(), template])
      .default(200)
      .describe('HTTP status of the response, 200 to 999. Rendered after the last step.'),
    response_body: template
      .default('')
      .describe(
        "Response body, rendered after the last step. One that begins with `{` or `[` is JSON whose values can't break it. Empty: `null`.",
      ),
    response_headers: z.record(z.string(), template).default({}).describe('Response headers by name.'),
    async: flag
      .default(false)
      .describe(
        'True responds with 200 as soon as the run is stored, and runs the flow afterwards. False waits for the flow.',
      ),
    cors_origins: z
      .array(text(300))
      .max(50)
      .default([])
      .describe('Web origins whose pages can call the webhook, such as `https://shop.example`.'),
    signature: signature
      .nullable()
      .default(null)
      .describe("How to verify that a request comes from its sender. Null: signatures aren't checked."),
  })
  .meta({
    description: 'Starts the flow when an HTTP request arrives, and responds to it. First step only.',
    result: 'An object with the keys of the body and the query: `{{ web1.order_id }}`.',
    examples: [
      {
        response_status_code: 201,
        response_body: '{"received": {{ web1.order_id }}}',
        response_headers: { 'X-Shop': 'north' },
      },
    ],
  })

export const SCHEDULE_INTERVALS = [
  '5m',
  '15m',
  '1h',
  'daily',
  'weekly',
  'monthly',
  'once',
  'custom',
  'cron',
] as const

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

/** None of its strings are templates: the times have to be known before a run. */
export const schedule = z
  .strictObject({
    interval: z
      .enum(SCHEDULE_INTERVALS)
      .describe(
        'How often the flow starts. `once` needs `at`, `custom` needs `minutes`, `cron` needs `cron`.',
      ),
    minutes: z
      .number()
      .int()
      .min(1)
      .max(525_600)
      .optional()
      .describe('For `custom`: minutes between two starts, up to a year.'),
    cron: text(200)
      .optional()
      .describe('For `cron`: five fields, or six beginning with seconds: `0 9 * * mon-fri`.'),
    at: text(40)
      .optional()
      .describe(
        'For `daily`, `weekly` and `monthly` the time of day, `09:00`; for `once` the date and time, `2027-01-31T09:00`.',
      ),
    weekdays: z
      .array(z.enum(WEEKDAYS))
      .max(7)
      .optional()
      .describe('For `weekly`: the days on which the flow starts.'),
    start: text(40)
      .nullable()
      .optional()
      .describe(
        'Date or time before which nothing starts. `monthly` runs on its day of the month, or on the last day of shorter months.',
      ),
    end: text(40)
      .nullable()
      .optional()
      .describe('Date or time after which nothing starts. Null or absent: no end.'),
    timezone: text(60)
      .nullable()
      .default(null)
      .describe("IANA time zone of the schedule, such as `Europe/Berlin`. Null: the computer's time zone."),
    missed: z
      .enum(['run_once', 'skip'])
      .default('run_once')
      .describe(
        "What to do if Millrace wasn't running at a start time: `run_once` makes up for all of them with one run, `skip` leaves them out.",
      ),
  })
  .meta({
    description:
      'Starts the flow at fixed times while it is active. First step only; it contains no templates.',
    result: 'An object with the start time: `{{ start.scheduled_at }}`.',
    examples: [
      { interval: 'weekly', weekdays: ['monday', 'thursday'], at: '09:00', timezone: 'Europe/Berlin' },
    ],
  })
