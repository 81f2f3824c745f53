/** Steps that start a flow. */
import { z } from 'zod'
import { text } from '../base/common.ts'
import { flag, template } from './fields.ts'

export const SIGNATURE_SCHEMES = ['standard_webhooks', 'github', 'stripe', 'slack', 'hmac'] as const

/** How callers sign their requests. */
export const signature = z.strictObject({
  scheme: z.enum(SIGNATURE_SCHEMES),
  /** `{{ name }}` of a secret env variable: what both sides know; several, a line each, while it is being changed. */
  secret: text(1_000),
  /** How many seconds the time in a signature may be away from now. */
  tolerance_seconds: z.number().int().min(1).max(86_400).default(300),
  /** The rest is for `hmac`: the header with the signature of the body, what stands before it there, how it is made. */
  header: text(100).optional(),
  prefix: text(40).default(''),
  algorithm: z.enum(['sha256', 'sha1', 'sha384', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  /** A header with the time in seconds; what is signed is then `<time>.<body>`. */
  timestamp_header: text(100).optional(),
  /** A header that tells one delivery from another: one that comes again is answered as before and runs nothing. */
  id_header: text(100).optional(),
})
export type SignatureConfig = z.output<typeof signature>

export const webhook = z.strictObject({
  response_status_code: z.union([z.number().int(), template]).default(200),
  response_body: template.default(''),
  response_headers: z.record(z.string(), template).default({}),
  async: flag.default(false),
  cors_origins: z.array(text(300)).max(50).default([]),
  signature: signature.nullable().default(null),
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

/** None of its texts is a template: when a flow runs is known before it runs. */
export const schedule = z.strictObject({
  interval: z.enum(SCHEDULE_INTERVALS),
  /** For `custom`: every so many minutes. */
  minutes: z.number().int().min(1).max(525_600).optional(),
  /** For `cron`: five fields, or six with seconds before them. */
  cron: text(200).optional(),
  /**
   * For `daily`, `weekly`, `monthly` the time of the day, `09:00`; for `once` the moment, `2027-01-31T09:00`. A month
   * runs on the day of `start`, on its last day where it is shorter, on the first without a `start`.
   */
  at: text(40).optional(),
  /** For `weekly`. */
  weekdays: z.array(z.enum(WEEKDAYS)).max(7).optional(),
  /** Dates or moments in ISO 8601, in the schedule's time zone where they name none: nothing runs before or after. */
  start: text(40).nullable().optional(),
  end: text(40).nullable().optional(),
  /** IANA name; null is the zone of the machine. */
  timezone: text(60).nullable().default(null),
  /** Runs that were due while Millrace did not run: made up for by one, or left out. */
  missed: z.enum(['run_once', 'skip']).default('run_once'),
})
