import { describe, expect, it } from 'vitest'
import { latestFire, nextFire, type Schedule } from '../../../src/main/engine/schedule/fire-times.ts'

const schedule = (config: Partial<Schedule> & Pick<Schedule, 'interval'>): Schedule => ({
  timezone: 'Europe/Berlin',
  missed: 'run_once',
  ...config,
})

/** The next times after a given one, without parts that are zero. */
function timesOf(config: Parameters<typeof schedule>[0], after: string, count = 4): string {
  const times: string[] = []
  let at = nextFire(schedule(config), Date.parse(after))
  for (; at !== null && times.length < count; at = nextFire(schedule(config), at))
    times.push(new Date(at).toISOString().replace(/(:00)?\.000Z$/, ''))
  return times.join(' ')
}

describe('a schedule is due', () => {
  it.each<[string, Parameters<typeof schedule>[0], string, string]>([
    ['every five minutes', { interval: '5m' }, '2026-01-01T00:03Z', '2026-01-01T00:05 2026-01-01T00:10'],
    ['every quarter', { interval: '15m' }, '2026-01-01T00:15Z', '2026-01-01T00:30 2026-01-01T00:45'],
    [
      'at the full hour of its own zone',
      { interval: '1h', timezone: 'Asia/Kolkata' },
      '2026-01-01T00:03Z',
      '2026-01-01T00:30 2026-01-01T01:30',
    ],
    [
      'every so many minutes from its start to its end',
      { interval: 'custom', minutes: 90, start: '2026-03-29T00:00', end: '2026-03-29T04:30' },
      '2026-01-01T00:00Z',
      '2026-03-28T23:00 2026-03-29T00:30 2026-03-29T02:00',
    ],
    [
      'daily, an hour later where the change of the hour leaves its time out',
      { interval: 'daily', at: '02:30' },
      '2026-03-27T12:00Z',
      '2026-03-28T01:30 2026-03-29T01:30 2026-03-30T00:30 2026-03-31T00:30',
    ],
    [
      'daily, once where its time comes twice',
      { interval: 'daily', at: '02:30' },
      '2026-10-23T12:00Z',
      '2026-10-24T00:30 2026-10-25T00:30 2026-10-26T01:30 2026-10-27T01:30',
    ],
    [
      'on the days of the week',
      { interval: 'weekly', at: '09:00', weekdays: ['friday', 'monday', 'sunday'] },
      '2026-03-27T12:00Z',
      '2026-03-29T07:00 2026-03-30T07:00 2026-04-03T07:00 2026-04-05T07:00',
    ],
    [
      'monthly on the day of its start, or the last of a shorter month',
      { interval: 'monthly', at: '09:00', start: '2027-01-31' },
      '2026-01-01T12:00Z',
      '2027-01-31T08:00 2027-02-28T08:00 2027-03-31T07:00 2027-04-30T07:00',
    ],
    [
      'monthly on the first',
      { interval: 'monthly', at: '09:00' },
      '2026-01-01T12:00Z',
      '2026-02-01T08:00 2026-03-01T08:00 2026-04-01T07:00 2026-05-01T07:00',
    ],
    ['once', { interval: 'once', at: '2026-05-01T09:00' }, '2026-01-01T12:00Z', '2026-05-01T07:00'],
    ['never again', { interval: 'once', at: '2026-05-01T09:00+02:00' }, '2026-05-01T07:00Z', ''],
    [
      'as cron says, over the change of the hour',
      { interval: 'cron', cron: '30 9 * * mon-fri' },
      '2026-03-26T12:00Z',
      '2026-03-27T08:30 2026-03-30T07:30 2026-03-31T07:30 2026-04-01T07:30',
    ],
    [
      'as cron says, to the second',
      { interval: 'cron', cron: '*/20 * * * * *' },
      '2026-01-01T00:00:01Z',
      '2026-01-01T00:00:20 2026-01-01T00:00:40 2026-01-01T00:01 2026-01-01T00:01:20',
    ],
    [
      'as cron says, once where its hour comes twice',
      { interval: 'cron', cron: '0,30 1-2 * * *' },
      '2026-10-24T12:00Z',
      '2026-10-24T23:00 2026-10-24T23:30 2026-10-25T00:00 2026-10-25T00:30 2026-10-26T00:00',
    ],
    ...(['30 2 * * *', '0 30 2 * * *'] as const).map(
      (cron): [string, Parameters<typeof schedule>[0], string, string] => [
        `as ${cron} says, by the rule of daily where the change of the hour leaves its time out`,
        { interval: 'cron', cron },
        '2026-03-27T12:00Z',
        '2026-03-28T01:30 2026-03-29T01:30 2026-03-30T00:30 2026-03-31T00:30',
      ],
    ),
    [
      'as cron says, once where a skipped time and the next one fall together',
      { interval: 'cron', cron: '0,30 1-3 * * *' },
      '2026-03-28T23:30Z',
      '2026-03-29T00:00 2026-03-29T00:30 2026-03-29T01:00 2026-03-29T01:30 2026-03-29T23:00',
    ],
    [
      'as cron says, in order where the clocks skip half an hour',
      { interval: 'cron', cron: '20,35 2 * * *', timezone: 'Australia/Lord_Howe' },
      '2026-10-03T12:00Z',
      '2026-10-03T15:35 2026-10-03T15:50 2026-10-04T15:20',
    ],
    [
      'as cron says, on a day that the zone skipped',
      { interval: 'cron', cron: '0 9 30 * *', timezone: 'Pacific/Apia' },
      '2011-12-01T00:00Z',
      '2011-12-30T19:00 2012-01-29T19:00',
    ],
    [
      'as cron says, by elapsed time over the gap where it names no hour',
      { interval: 'cron', cron: '*/30 * * * *' },
      '2026-03-29T00:00Z',
      '2026-03-29T00:30 2026-03-29T01:00 2026-03-29T01:30',
    ],
    [
      'as cron says, in both hours where it names none',
      { interval: 'cron', cron: '30 * * * *' },
      '2026-10-25T00:00Z',
      '2026-10-25T00:30 2026-10-25T01:30 2026-10-25T02:30',
    ],
    [
      'to the end of its last day',
      { interval: 'daily', at: '23:30', end: '2026-01-02' },
      '2026-01-01T12:00Z',
      '2026-01-01T22:30 2026-01-02T22:30',
    ],
    ['never, on a day that no month has', { interval: 'cron', cron: '0 0 30 2 *' }, '2026-01-01T00:00Z', ''],
  ])('%s', (_, config, after, expected) => {
    expect(timesOf(config, after, expected === '' ? 1 : expected.split(' ').length)).toBe(expected)
  })

  it('in the system time zone if it names none', () => {
    const next = nextFire(
      schedule({ interval: 'daily', at: '09:00', timezone: null }),
      Date.parse('2026-01-01T12:00Z'),
    )
    expect(new Date(next ?? 0).getHours()).toBe(9)
  })
})

it.each<[string, Parameters<typeof schedule>[0], string | null]>([
  ['each second', { interval: 'cron', cron: '* * * * * *' }, '2026-10-23T12:00:00.000Z'],
  ['daily', { interval: 'daily', at: '09:00' }, '2026-10-23T07:00:00.000Z'],
  ['monthly', { interval: 'monthly', at: '09:00' }, '2026-10-01T07:00:00.000Z'],
  ['years ago', { interval: 'once', at: '2022-05-01T09:00' }, '2022-05-01T07:00:00.000Z'],
  ['before what is looked at', { interval: 'once', at: '2019-05-01T09:00' }, null],
])('the last of many missed times is found at once: %s', (_, config, expected) => {
  const found = latestFire(
    schedule(config),
    Date.parse('2020-01-01T00:00Z'),
    Date.parse('2026-10-23T12:00:00.500Z'),
  )
  expect(found === null ? null : new Date(found).toISOString()).toBe(expected)
})

it('daily and a cron expression of the same time are due at the same moments, whatever the clocks do', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Havana',
    'Africa/Cairo',
    'UTC',
  ]
  for (const timezone of zones) {
    for (const at of ['00:00', '00:30', '01:15', '02:00', '02:30', '03:00', '23:45']) {
      const [hour, minute] = at.split(':').map(Number)
      const cron = { interval: 'cron', cron: `${minute} ${hour} * * *`, timezone } as const
      expect(timesOf(cron, '2026-01-01T12:00Z', 365)).toBe(
        timesOf({ interval: 'daily', at, timezone }, '2026-01-01T12:00Z', 365),
      )
    }
  }
})
