import { z } from 'zod'
import { text } from '../../base/common.ts'
import { stepType, type Config, type Page } from '../parts/step-type.ts'

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

/** None of its strings are templates, because the times have to be known before a run. */
export const schedule = stepType({
  family: 'triggers',
  label: 'Schedule',
  purpose: 'Starts the flow on a schedule',
  words: 'cron timer trigger daily every day hour week month minutes morning night regularly',
  icon: 'calendar-clock',
  refId: 'schedule',
  trigger: { starts: 'schedule', hint: 'Not needed because the run gets the current time.', unread: true },
  config: z
    .strictObject({
      interval: z
        .enum(SCHEDULE_INTERVALS)
        .describe(
          'How often the flow starts. `once` needs `at`, `custom` needs `minutes`, `cron` needs `cron`.',
        ),
      minutes: z
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
        .describe('Date or time after which nothing starts. If null or absent, there is no end.'),
      timezone: text(60)
        .nullable()
        .default(null)
        .describe(
          "IANA time zone of the schedule, such as `Europe/Berlin`. Null means the computer's time zone.",
        ),
      missed: z
        .enum(['run_once', 'skip'])
        .default('run_once')
        .describe(
          "What to do if Millrace wasn't running at a start time: `run_once` makes up for all of them with one run, `skip` leaves them out.",
        ),
    })
    .meta({
      description:
        'Starts the flow at fixed times while it is active. Only triggers can be above it; it contains no templates.',
      examples: [
        { interval: 'weekly', weekdays: ['monday', 'thursday'], at: '09:00', timezone: 'Europe/Berlin' },
      ],
    }),
  fields: {
    interval: {
      label: 'Runs',
      options: {
        '5m': 'Every 5 minutes',
        '15m': 'Every 15 minutes',
        '1h': 'Every hour',
        daily: 'Every day',
        weekly: 'Every week',
        monthly: 'Every month',
        once: 'Once',
        custom: 'Custom interval (minutes)',
        cron: 'Cron',
      },
    },
    weekdays: { label: 'Days of the week', options: 'values' },
    at: { label: 'At' },
    minutes: { label: 'Interval (minutes)' },
    cron: {
      label: 'Cron expression',
      hint: 'Minute, hour, day of month, month, day of week. With six fields, the first one is seconds.',
      placeholder: '0 9 * * mon-fri',
    },
    start: { label: 'Not before', optional: true, placeholder: '2027-01-31' },
    end: { label: 'Not after', optional: true, placeholder: '2027-01-31' },
    timezone: { label: 'Time zone' },
    missed: {
      label: 'Missed runs',
      hint: 'Runs missed because the computer was asleep or Millrace was closed.',
      options: { run_once: 'Run once as soon as possible', skip: 'Skip' },
    },
  },
  result: z
    .object({ scheduled_at: z.string() })
    .describe('An object with the start time: `{{ start.scheduled_at }}`.'),
  first: { interval: 'daily', at: '09:00' },
  sample: { config: { interval: 'weekly', at: '09:00', weekdays: ['monday'] } },
  summary: describeSchedule,
})

function describeSchedule(config: Config, { t, weekday }: Page): string {
  const { interval, minutes, cron, at, weekdays } = config
  const time = typeof at === 'string' && at !== '' ? at : null
  switch (interval) {
    case '5m':
      return t('every 5 minutes')
    case '15m':
      return t('every 15 minutes')
    case '1h':
      return t('every hour')
    case 'daily':
      return time === null ? t('every day') : t('every day at {{time}}', { time })
    case 'weekly': {
      const known = Array.isArray(weekdays) ? WEEKDAYS.filter((day) => weekdays.includes(day)) : []
      const days = known.map((day) => weekday(day)).join(', ')
      if (days === '') return time === null ? t('every week') : t('every week at {{time}}', { time })
      return time === null ? t('every {{days}}', { days }) : t('every {{days}} at {{time}}', { days, time })
    }
    case 'monthly':
      return time === null ? t('every month') : t('every month at {{time}}', { time })
    case 'once':
      return time === null
        ? t('once, no time yet')
        : t('once, {{moment}}', { moment: time.replace('T', ' ') })
    case 'custom':
      return typeof minutes === 'number' ? t('every {{minutes}} minutes', { minutes }) : t('no interval yet')
    case 'cron':
      return typeof cron === 'string' && cron !== '' ? cron : t('no cron expression yet')
    default:
      return t('no interval yet')
  }
}
