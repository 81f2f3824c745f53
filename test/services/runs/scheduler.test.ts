import { describe, expect, it } from 'vitest'
import { type FlowApp, type FlowAppOptions, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A wall clock that the test sets; waits are real. */
function aWallClock(at: string) {
  const clock = {
    time: Date.parse(at),
    now: () => clock.time,
    monotonic: () => performance.now(),
    set(to: string) {
      clock.time = Date.parse(to)
    },
  }
  return clock
}

async function startAt(at: string, options: FlowAppOptions = {}) {
  const clock = aWallClock(at)
  const app = await startFlowApp({ clock, ...options })
  return { clock, app }
}

async function addScheduled(app: FlowApp, config: object, flow: object = {}): Promise<string> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Nightly',
    status: 'active',
    steps: [{ ref_id: 'when', type: 'schedule', config: { timezone: 'UTC', ...config } }],
    ...flow,
  })
  if (status !== 201) throw new Error(text)
  // The schedule is active once the writes caused by the change are on the disk.
  await app.store.write(() => undefined)
  return (json as { id: string }).id
}

/** The scheduled times that ran, oldest first. */
async function ranFor(app: FlowApp): Promise<string[]> {
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.status === 'success')
  return app
    .runs()
    .toReversed()
    .map((run) => (app.stepsOf(run)[0]!.output as { scheduled_at: string }).scheduled_at)
}

async function stop(app: FlowApp): Promise<void> {
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 1_000 })
  app.store.close()
}

describe('a flow with a schedule', () => {
  it('runs at its times, once each, and records for which one', async () => {
    const { app, clock } = await startAt('2026-03-01T12:01:00Z')
    const id = await addScheduled(app, { interval: '5m' })
    for (const at of ['12:04:59', '12:05:00', '12:05:00', '12:05:10', '12:10:07', '12:12:00']) {
      clock.set(`2026-03-01T${at}Z`)
      await app.services.scheduler.look()
    }
    expect(await ranFor(app)).toEqual(['2026-03-01T12:05:00.000Z', '2026-03-01T12:10:00.000Z'])
    expect(app.runs()[0]).toMatchObject({ trigger: 'schedule', flow_id: id })
    expect((await app.call('GET', `/v1/flows/${id}/schedule`)).json).toEqual({
      active: true,
      next: ['15', '20', '25', '30', '35'].map((minute) => `2026-03-01T12:${minute}:00.000Z`),
      last_fired_at: '2026-03-01T12:10:00.000Z',
    })
  })

  it("doesn't run while it is a draft or paused, and doesn't catch up on that time", async () => {
    const { app, clock } = await startAt('2026-03-01T12:01:00Z')
    const id = await addScheduled(app, { interval: '5m' }, { status: 'draft' })
    const look = async (at: string, status?: string) => {
      if (status) {
        await app.call('PUT', `/v1/flows/${id}`, { status })
        await app.store.write(() => undefined)
      }
      clock.set(`2026-03-01T${at}Z`)
      await app.services.scheduler.look()
    }
    await look('12:05:01')
    await look('12:10:01', 'active')
    await look('12:20:01', 'paused')
    await look('12:24:00', 'active')
    await look('12:25:00')
    expect(await ranFor(app)).toEqual(['2026-03-01T12:10:00.000Z', '2026-03-01T12:25:00.000Z'])
    await app.call('DELETE', `/v1/flows/${id}`)
    await look('12:31:00')
    expect(app.runs()).toEqual([])
  })

  it('uses only its new times after a change', async () => {
    const { app, clock } = await startAt('2026-03-01T12:01:00Z')
    const id = await addScheduled(app, { interval: '5m' })
    clock.set('2026-03-01T12:04:00Z')
    const steps = [{ ref_id: 'when', type: 'schedule', config: { timezone: 'UTC', interval: '15m' } }]
    await app.call('PUT', `/v1/flows/${id}`, { steps })
    await app.store.write(() => undefined)
    for (const at of ['12:05:00', '12:10:00', '12:15:00']) {
      clock.set(`2026-03-01T${at}Z`)
      await app.services.scheduler.look()
    }
    expect(await ranFor(app)).toEqual(['2026-03-01T12:15:00.000Z'])
  })

  it.each([
    ['run_once', ['2026-03-04T12:00:00.000Z', '2026-03-04T13:00:00.000Z']],
    ['skip', ['2026-03-04T13:00:00.000Z']],
  ])('catches up on a sleep with missed: %s', async (missed, expected) => {
    const { app, clock } = await startAt('2026-03-01T12:30:00Z')
    await addScheduled(app, { interval: '1h', missed })
    for (const at of ['12:30', '12:31', '13:00']) {
      clock.set(`2026-03-04T${at}:00Z`)
      await app.services.scheduler.look()
    }
    expect(await ranFor(app)).toEqual(expected)
  })

  it.each([
    ['run_once', ['2026-03-01T13:00:00.000Z', '2026-03-04T12:00:00.000Z']],
    ['skip', ['2026-03-01T13:00:00.000Z']],
  ])('catches up on downtime with missed: %s', async (missed, expected) => {
    const dataDir = temporaryFolder()
    const { app, clock } = await startAt('2026-03-01T12:30:00Z', { dataDir })
    await addScheduled(app, { interval: '1h', missed })
    clock.set('2026-03-01T13:00:00Z')
    await app.services.scheduler.look()
    await ranFor(app)
    await stop(app)
    const { app: same } = await startAt('2026-03-01T13:00:20Z', { dataDir })
    await stop(same)
    const { app: later } = await startAt('2026-03-04T12:30:00Z', { dataDir })
    expect(await ranFor(later)).toEqual(expected)
  })

  it('neither doubles nor stops if the clock is set back, whether by an hour or by years', async () => {
    const { app, clock } = await startAt('2026-03-01T12:30:00Z')
    await addScheduled(app, { interval: '1h' })
    for (const at of [
      '2026-03-01T13:00:05Z',
      '2026-03-01T12:10:00Z', // back: 13:00 has run already
      '2026-03-01T13:00:01Z',
      '2026-03-01T14:00:01Z',
      '2031-03-01T14:30:00Z', // far ahead by mistake
      '2026-03-01T14:31:00Z', // and set right
      '2026-03-01T15:00:00Z',
    ]) {
      clock.set(at)
      await app.services.scheduler.look()
    }
    expect(await ranFor(app)).toEqual([
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
      '2031-03-01T14:00:00.000Z',
      '2026-03-01T15:00:00.000Z',
    ])
  })

  it('stays due while no run can be accepted', async () => {
    const { app, clock } = await startAt('2026-03-01T12:01:00Z')
    await addScheduled(app, { interval: '5m' })
    app.services.runtime.beginStop() // the queue takes nothing from here on
    clock.time += 4 * MINUTE
    await app.services.scheduler.look()
    const before = app.runs().length
    await app.services.runtime.start()
    clock.time += 15_000
    await app.services.scheduler.look()
    expect({ before, ranFor: await ranFor(app) }).toEqual({ before: 0, ranFor: ['2026-03-01T12:05:00.000Z'] })
  })
})

it('the times of a flow are shown before it is active; without a schedule there are none', async () => {
  const { app } = await startAt('2026-03-01T12:01:00Z')
  const id = await addScheduled(app, { interval: 'daily', at: '09:00' }, { status: 'draft' })
  const other = await addScheduled(app, {}, { steps: [] })
  const shown = async (flow: string) => (await app.call('GET', `/v1/flows/${flow}/schedule`)).json
  const first = Date.parse('2026-03-02T09:00:00Z')
  expect(await Promise.all([shown(id), shown(other), shown('none')])).toMatchObject([
    {
      active: false,
      next: [0, 1, 2, 3, 4].map((days) => new Date(first + days * DAY).toISOString()),
      last_fired_at: null,
    },
    { active: false, next: [], last_fired_at: null },
    { status: 404 },
  ])
})

it('the times of an unsaved schedule are shown, or its errors', async () => {
  const { app } = await startAt('2026-03-01T12:01:00Z')
  const id = await addScheduled(app, { interval: 'daily', at: '09:00' })
  const preview = async (config: object, flow = id) =>
    (await app.call('POST', `/v1/flows/${flow}/schedule/preview`, { config })).json
  expect(
    await Promise.all([
      preview({ interval: 'cron', cron: '0 9 * * mon-fri', timezone: 'Asia/Tokyo' }),
      preview({ interval: 'once', at: '2027-01-31T09:00', timezone: 'UTC' }),
      preview({ interval: 'cron', cron: '0 9 * * mo-x' }),
      preview({ interval: 'hourly' }),
      preview({ interval: 'daily', at: '09:00' }, 'none'),
    ]),
  ).toMatchObject([
    {
      next: ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'].map(
        (day) => `${day}T00:00:00.000Z`,
      ),
      timezone: 'Asia/Tokyo',
      problems: [],
    },
    { next: ['2027-01-31T09:00:00.000Z'], timezone: 'UTC', problems: [] },
    {
      next: [],
      problems: [{ field: 'cron', message: expect.stringMatching(/^isn't a valid cron expression: /) }],
    },
    { next: [], problems: [{ field: 'interval', message: expect.stringContaining('"5m"') }] },
    { status: 404 },
  ])
  // The schedule still runs as it was saved.
  expect((await app.call('GET', `/v1/flows/${id}/schedule`)).json).toMatchObject({ active: true })
})
