import { englishOf } from '../../../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import { scheduleProblems } from '../../../../../src/main/engine/flow/steps/triggers/schedule-problems.ts'
import { STEP_CONFIGS } from '../../../../../src/shared/contract/step-types/index.ts'
import { data, runSteps } from '../../../../helpers/flow-run.ts'

const problemsOf = (config: object) =>
  scheduleProblems(STEP_CONFIGS.schedule.parse(config)).map(
    ([field, reason]) => `${field} ${englishOf(reason)}`,
  )

describe('a schedule', () => {
  it.each([
    { interval: '5m' },
    { interval: '1h', timezone: 'Europe/Paris', start: '2027-01-31', end: '2027-12-31T23:59' },
    { interval: 'daily', at: '23:59' },
    { interval: 'weekly', at: '09:00', weekdays: ['monday', 'friday'] },
    { interval: 'monthly', at: '00:00', start: '2027-01-31T09:00:00Z' },
    { interval: 'once', at: '2027-01-31T09:00:00+02:00' },
    { interval: 'custom', minutes: 90 },
    { interval: 'cron', cron: '*/5 9-17 * * mon-fri' },
    { interval: 'cron', cron: '0 0 9 1,15 * *' },
    { interval: 'cron', cron: '0 9 29 2 *' },
    { interval: 'cron', cron: '0 9 * 2 mon#5' },
    { interval: 'once', at: '2020-01-31T09:00' },
  ])('is accepted: %o', (config) => {
    expect(problemsOf(config)).toEqual([])
  })

  it.each([
    [{ interval: 'daily' }, 'config.at must be a time from'],
    [{ interval: 'daily', at: '24:00' }, 'config.at must be a time from'],
    [{ interval: 'weekly', at: '09:00', weekdays: [] }, 'config.weekdays must name at least one day'],
    [{ interval: 'once', at: '09:00' }, 'config.at must be the date and time of the run'],
    [{ interval: 'once', at: '2027-02-31T09:00' }, 'config.at must be the date and time of the run'],
    [{ interval: 'custom' }, 'config.minutes is required'],
    [{ interval: 'cron', cron: 'every day' }, 'config.cron must be five fields'],
    ...['0 9 31 2 *', '0 9 30 feb *', '0 0 31 4,6,9,11 *', '* * * 31 2 *', '0 0 9 31 2 *'].map(
      (cron): [{ interval: string; cron: string }, string] => [
        { interval: 'cron', cron },
        'config.cron never matches',
      ],
    ),
    [
      { interval: 'weekly', at: '09:00', weekdays: ['friday'], start: '2027-02-01', end: '2027-02-04' },
      'config.end leaves no time for a run',
    ],
    [
      { interval: 'daily', at: '09:00', start: '2027-02-01T10:00', end: '2027-02-02T08:00' },
      'config.end leaves no time for a run',
    ],
    [
      { interval: 'monthly', at: '09:00', start: '2027-01-31T10:00', end: '2027-02-27' },
      'config.end leaves no time for a run',
    ],
    [
      { interval: 'cron', cron: '0 9 29 2 *', start: '2027-01-01', end: '2027-12-31' },
      'config.end leaves no time for a run',
    ],
    [
      { interval: 'custom', minutes: 90, start: '2027-01-01T09:00:01', end: '2027-01-01T09:00:00.500' },
      'config.end is before "start"',
    ],
    [
      { interval: 'once', at: '2027-01-31T09:00', start: '2027-02-01' },
      'config.start leaves no time for a run',
    ],
    [{ interval: '5m', start: 'tomorrow' }, 'config.start must be a date or a date and time'],
    [{ interval: '5m', start: '2027-02-01', end: '2027-01-01' }, 'config.end is before "start"'],
    [
      { interval: '5m', timezone: 'Europe/Atlantis' },
      'config.timezone is "Europe/Atlantis", which isn\'t a time zone',
    ],
  ])('is rejected if it has no times: %o', (config, problem) => {
    expect(problemsOf(config)).toEqual([expect.stringContaining(problem)])
  })

  it('returns its scheduled time, or the current time if started by hand', async () => {
    const steps = [{ ref_id: 'schedule', type: 'schedule', config: { interval: '5m' } }]
    const planned = await runSteps(steps, { input: data({ scheduled_at: '2027-01-31T09:00:00.000Z' }) })
    const byHand = await runSteps(steps)
    expect({ planned: planned.results, byHand: byHand.results }).toEqual({
      planned: { schedule: { scheduled_at: '2027-01-31T09:00:00.000Z' } },
      byHand: { schedule: { scheduled_at: expect.stringMatching(/^\d{4}-.*Z$/) as string } },
    })
  })
})
