/** The checks that the running program performs on itself. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

/** The checks in display order. The meaning of `value` depends on the check. */
export const DOCTOR_CHECKS = [
  /** Version and runtime. */
  'program',
  /** Its path. */
  'data_folder',
  /** Its size in bytes. */
  'database',
  /** Bytes of SQLite's write-ahead log, which is merged into the database automatically. */
  'log',
  /** The path of the key file, or null if the key is stored elsewhere. */
  'key',
  /** As in `GET /v1/data-folder`. */
  'secrets',
  /** Free bytes. */
  'disk',
  /** The time of the newest backup. */
  'backup',
  /** Waiting runs. */
  'queue',
  /** Milliseconds by which the system clock was changed since the start. */
  'clock',
  /** Milliseconds that the program took to respond to itself. */
  'port',
  /** The URL that others use. */
  'exposure',
] as const
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number]

/** Why a check isn't simply `ok`. */
export const DOCTOR_REASONS = [
  'makes_code',
  'open_to_others',
  'not_writable',
  'damaged',
  'too_large_to_check',
  'log_long',
  'key_missing',
  'needs_key',
  'locked',
  'little_space',
  'no_backup',
  'backup_old',
  'waiting_long',
  'clock_moved',
  'no_answer',
  'api_exposed',
] as const
export type DoctorReason = (typeof DOCTOR_REASONS)[number]

export const doctorFinding = z.object({
  check: z.enum(DOCTOR_CHECKS).describe('What was checked.'),
  state: z
    .enum(['ok', 'warning', 'problem'])
    .describe('`ok`, `warning` (worth a look) or `problem` (needs action).'),
  value: z
    .union([z.string(), z.number(), z.null()])
    .describe(
      'The measured value: a path, a number of bytes, runs or milliseconds, or a time, depending on `check`.',
    )
    .meta({ examples: ['0.1.0'] }),
  reason: z.enum(DOCTOR_REASONS).nullable().meta(doc("Why the state isn't `ok`. Null if it is.", null)),
})
export type DoctorFinding = z.output<typeof doctorFinding>

export const examineRoute = defineRoute({
  method: 'GET',
  path: '/v1/doctor',
  name: 'examine_program',
  summary: 'Run diagnostics: database, key, disk, queue, clock, port and exposure',
  access: can('settings', 'read'),
  status: 200,
  result: z.object({
    findings: z.array(doctorFinding).describe('One finding per check.'),
    examined_at: timestamp.meta(doc('When the checks ran, in UTC.', '2026-03-01T12:00:00.000Z')),
  }),
})
export type Examination = z.output<typeof examineRoute.result>

export const doctorRoutes = {
  examineRoute,
}
