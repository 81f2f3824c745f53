import { describe, expect, it, vi } from 'vitest'
import type { AlarmSettings, SentAlarm } from '../../../src/shared/contract/alarms.ts'
import type { LiveEvent } from '../../../src/shared/contract/host.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import type { Settings } from '../../../src/shared/contract/settings.ts'
import type { FlowApp, FlowAppOptions, Hook } from '../../helpers/flow-app.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { addMailAuth, SMTP, startMailServer } from '../../helpers/mail-server.ts'
import { session } from '../../helpers/test-server.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const MINUTE = 60_000
const NONE: AlarmSettings = {
  on_failure: false,
  on_missed: false,
  silent_after_minutes: null,
  notify: false,
  email_to: [],
  flow_id: null,
}

/** A flow that fails if its input says so. */
const FLAKY: StepInput[] = [
  { ref_id: 'web1', type: 'webhook', config: {} },
  {
    ref_id: 'check',
    type: 'condition',
    config: { when: '{{ web1.ok }}' },
    then: [],
    else: [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: 'No stock' } }],
  },
]

async function startApp(options: FlowAppOptions = {}) {
  const clock = {
    time: Date.parse('2026-03-01T12:00:00Z'),
    now: () => clock.time,
    monotonic: () => performance.now(),
  }
  const app = await startFlowApp({ clock, ...options })
  const notices: LiveEvent[] = []
  app.services.events.listen((event) => {
    if (event.noun === 'notice' && event['kind'] !== 'failed') notices.push(event)
  })
  return {
    app,
    clock,
    notices,
    /** Sends the alarms that are due after this time. */
    after: async (minutes: number) => {
      clock.time += minutes * MINUTE
      await app.services.alarms.look()
    },
    fail: async (hook: Hook, times = 1) => {
      for (let n = 0; n < times; n++)
        expect((await app.trigger(hook, { body: { ok: false } })).status).toBe(500)
      await app.services.alarms.look()
    },
    succeed: async (hook: Hook) => {
      expect((await app.trigger(hook, { body: { ok: true } })).status).toBe(200)
      await app.services.alarms.look()
    },
  }
}

async function set(app: FlowApp, settings: Partial<Settings>): Promise<void> {
  const { status, text } = await app.call('PUT', '/v1/settings', settings)
  if (status !== 200) throw new Error(text)
}

/** Adds a hook for all flows, which calls a real server. */
async function addHook(
  app: FlowApp,
  events: readonly string[],
  respond: (count: number) => number = () => 204,
) {
  const api = await startThirdPartyApi((_request, response, count) => {
    response.writeHead(respond(count)).end()
  })
  await set(app, { event_hook: { events: events as never, flow_id: null, url: `${api.url}/alarms` } })
  const bodies = () => api.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  return { api, bodies, told: () => bodies().map((body) => [body['alarm_kind'], body['alarm_count']]) }
}

describe('an active flow that fails', () => {
  it('is reported at once, then at most once in ten minutes with a count; recovery is reported once', async () => {
    const { app, fail, succeed, after } = await startApp()
    const { told, bodies } = await addHook(app, ['failed', 'recovered'])
    const hook = await app.addFlow(FLAKY, { name: 'Orders' })
    await fail(hook, 4)
    const first = told()
    await after(9)
    await after(2)
    const second = told().slice(1)
    await succeed(hook)
    const within = told().slice(2)
    await after(11)
    await succeed(hook)
    await after(11)
    await fail(hook)
    expect({ first, second, within, later: told().slice(2) }).toEqual({
      first: [['failed', 1]],
      second: [['failed', 3]],
      within: [],
      later: [
        ['recovered', 0],
        ['failed', 1],
      ],
    })
    expect(bodies()[0]).toEqual({
      alarm_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      alarm_kind: 'failed',
      alarm_message: 'A run of "Orders" failed: Step "end": No stock',
      alarm_count: 1,
      alarm_at: '2026-03-01T12:00:00.000Z',
      alarm_flow_id: hook.flow.id,
      alarm_flow_name: 'Orders',
      alarm_flow_run_id: app.runs().at(-1)?.id,
    })
    expect(
      bodies()
        .map((body) => body['alarm_message'])
        .slice(1, 3),
    ).toEqual([
      '"Orders" failed 3 times more within ten minutes. The latest: A run of "Orders" failed: Step "end": No stock',
      '"Orders" works again',
    ])
  })

  it('is reported together with its recovery within ten minutes', async () => {
    const { app, fail, succeed, after } = await startApp()
    const { told } = await addHook(app, ['failed', 'recovered'])
    const hook = await app.addFlow(FLAKY)
    await fail(hook, 2)
    await succeed(hook)
    await after(11)
    await after(11)
    expect(told()).toEqual([
      ['failed', 1],
      ['recovered', 1],
    ])
  })

  it('is reported by email over real SMTP, but not if it is a draft or the run was started manually', async () => {
    const { app, fail } = await startApp()
    const server = await startMailServer()
    const auth_id = await addMailAuth(app, server.url)
    await set(app, {
      alarm_mail: { auth_id, from: null },
      alarms: { ...NONE, on_failure: true, email_to: ['grace@example.test', 'joan@example.test'] },
    })
    await fail(await app.addFlow(FLAKY, { name: 'Draft', status: 'draft' }))
    const { flow } = await app.addFlow(FLAKY, { name: 'Manual' })
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input: { ok: false } })
    await fail(await app.addFlow(FLAKY, { name: 'Own settings', settings: { alarms: NONE } }))
    await fail(await app.addFlow(FLAKY, { name: 'Orders' }))
    const [mail, ...others] = server.received
    expect({
      others,
      from: mail?.from,
      to: mail?.to,
      says: /A run of (.*) failed: Step/.exec(mail?.source ?? '')?.[1],
      links: mail?.source.includes(`http://127.0.0.1:4747/runs/${app.runs()[0]?.id}`),
    }).toEqual({
      others: [],
      from: 'ada@example.test',
      to: ['grace@example.test', 'joan@example.test'],
      says: '"Orders"',
      links: true,
    })
  })

  it("starts the user's alarm flow, whose failure raises no alarm", async () => {
    const { app, fail, after } = await startApp()
    const { told } = await addHook(app, ['failed'])
    const handler = await app.addFlow(
      [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: '{{ alarm_message }}' } }],
      { name: 'Handler' },
    )
    await set(app, { alarms: { ...NONE, on_failure: true, flow_id: handler.flow.id } })
    await fail(await app.addFlow(FLAKY, { name: 'Orders' }))
    const run = await app.until(({ flow_id, status }) => flow_id === handler.flow.id && status === 'error')
    await after(11)
    expect({
      error: run.error?.message,
      trigger: run.trigger,
      runs: app.runs().length,
      told: told(),
    }).toEqual({
      error: 'Step "end": A run of "Orders" failed: Step "end": No stock',
      trigger: 'flow',
      runs: 2,
      told: [['failed', 1]],
    })
  })

  it("is sent again until the hook accepts it; other channels don't get it twice", async () => {
    const { app, fail, after } = await startApp()
    const { api, told, bodies } = await addHook(app, ['failed'], (count) => (count < 3 ? 503 : 204))
    const handler = await app.addFlow([{ ref_id: 'a', type: 'set', config: { values: {} } }])
    const alarms = { ...NONE, on_failure: true, flow_id: handler.flow.id }
    await fail(await app.addFlow(FLAKY, { settings: { alarms } }))
    await after(2)
    await after(6)
    await after(61)
    await app.until(({ flow_id, status }) => flow_id === handler.flow.id && status === 'success')
    expect({
      told: told(),
      ids: new Set(bodies().map((body) => body['alarm_id'])).size,
      keys: new Set(api.received.map(({ headers }) => headers['idempotency-key'])).size,
      handled: app.runs().filter(({ flow_id }) => flow_id === handler.flow.id).length,
      logged: app.logged.filter(({ message }) => message === "An alarm couldn't be sent").length,
    }).toEqual({
      told: [
        ['failed', 1],
        ['failed', 1],
        ['failed', 1],
      ],
      ids: 1,
      keys: 1,
      handled: 1,
      logged: 2,
    })
  })
})

describe('a flow that misses its time', () => {
  async function addScheduled(app: FlowApp): Promise<void> {
    for (const missed of ['skip', 'run_once']) {
      const { status } = await app.call('POST', '/v1/flows', {
        name: missed,
        status: 'active',
        steps: [{ ref_id: 'at', type: 'schedule', config: { interval: '1h', timezone: 'UTC', missed } }],
      })
      expect(status).toBe(201)
    }
    await app.store.write(() => undefined)
  }

  it('is reported with the time', async () => {
    const { app, clock } = await startApp()
    const { bodies } = await addHook(app, ['missed'])
    await addScheduled(app)
    clock.time += 90 * MINUTE
    await app.services.scheduler.look()
    await app.services.alarms.look()
    expect(bodies().map((body) => body['alarm_message'])).toEqual([
      '"skip" missed its time 2026-03-01T13:00:00.000Z; it was skipped',
      '"run_once" missed its time 2026-03-01T13:00:00.000Z; it runs now',
    ])
  })

  it('is reported at the next start if Millrace was off, once and with the last missed time', async () => {
    const dataDir = temporaryFolder()
    const first = await startApp({ dataDir })
    const { api, bodies } = await addHook(first.app, ['missed'])
    await addScheduled(first.app)
    first.app.services.runtime.beginStop()
    await first.app.services.runtime.stop({ graceMs: 1_000 })
    first.app.store.close()

    const time = first.clock.time + 150 * MINUTE
    const restart = async () => {
      const clock = { time, now: () => time, monotonic: () => performance.now() }
      const { app } = await startApp({ dataDir, clock })
      await app.services.alarms.look()
      return app
    }
    const second = await restart()
    await expect.poll(() => api.received.length).toBe(2)
    await expect.poll(() => second.runs().every(({ status }) => status === 'success')).toBe(true)
    second.services.runtime.beginStop()
    await second.services.runtime.stop({ graceMs: 1_000 })
    second.store.close()
    const third = await restart()
    const told = bodies().map((body) => String(body['alarm_message']))
    expect({ told: told.toSorted(), runs: third.runs().length }).toEqual({
      told: [
        '"run_once" missed its time 2026-03-01T14:00:00.000Z while Millrace was off; it runs now',
        '"skip" missed its time 2026-03-01T14:00:00.000Z while Millrace was off; it was skipped',
      ],
      runs: 1,
    })
  })
})

describe('a flow that is silent', () => {
  const SILENT = { ...NONE, silent_after_minutes: 60, notify: true }

  it('is reported once by the wall clock, and again when it works', async () => {
    const { app, clock, notices, after, succeed } = await startApp()
    const hook = await app.addFlow(FLAKY, { name: 'Heartbeat', settings: { alarms: SILENT } })
    const pass = async (minutes: number) => {
      for (let n = 0; n < minutes; n += 2) await after(2)
    }
    await pass(40)
    await succeed(hook)
    await pass(58)
    const before = notices.length
    await pass(10)
    const at = clock.now()
    await pass(20)
    await succeed(hook)
    expect(before).toBe(0)
    expect(notices.map(({ kind, message }) => [kind, message])).toEqual([
      ['silent', '"Heartbeat" hasn\'t run for 1 hour; its limit is 1 hour'],
      ['recovered', '"Heartbeat" works again'],
    ])
    expect(at).toBeGreaterThan(0)
  })

  it("doesn't count the time that Millrace was off or asleep, which the alarm states", async () => {
    const dataDir = temporaryFolder()
    const first = await startApp({ dataDir })
    await first.app.addFlow(FLAKY, { name: 'Heartbeat', settings: { alarms: SILENT } })
    for (let n = 0; n < 10; n++) await first.after(2)
    // The machine sleeps for three hours.
    await first.after(180)
    const afterSleep = first.notices.length
    first.app.services.runtime.beginStop()
    await first.app.services.runtime.stop({ graceMs: 1_000 })
    first.app.store.close()

    // Millrace is off for a day.
    const time = first.clock.time + 24 * 60 * MINUTE
    const clock = { time, now: () => clock.time, monotonic: () => performance.now() }
    const { app, notices } = await startApp({ dataDir, clock })
    await app.services.alarms.look()
    const afterStart = notices.length
    for (let n = 0; n < 30; n++) {
      clock.time += 2 * MINUTE
      await app.services.alarms.look()
    }
    expect({ afterSleep, afterStart, told: notices.map(({ message }) => message) }).toEqual({
      afterSleep: 0,
      afterStart: 0,
      told: [
        '"Heartbeat" hasn\'t run for 1 hour, not counting 1 day 3 hours while Millrace was off; its limit is 1 hour',
      ],
    })
  })
})

describe('a test alarm', () => {
  it('is sent to every channel, and reports each result', async () => {
    const { app, notices } = await startApp()
    const { bodies } = await addHook(app, ['silent'])
    await set(app, { alarms: { ...NONE, notify: true } })
    const { json } = await app.call('POST', '/v1/alarms/test', { flow_id: null })
    const { flow } = await app.addFlow(FLAKY, { name: 'Orders', settings: { alarms: NONE } })
    const ofFlow = await app.call('POST', '/v1/alarms/test', { flow_id: flow.id })
    const unknown = await app.call('POST', '/v1/alarms/test', {
      flow_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    })
    expect({
      sent: (json as SentAlarm[]).map(({ channel, ok }) => [channel, ok]),
      body: bodies().map((body) => [body['alarm_kind'], body['alarm_message']]),
      notices: notices.map(({ kind }) => kind),
      ofFlow: (ofFlow.json as SentAlarm[]).map(({ channel, ok }) => [channel, ok]),
      unknown: unknown.status,
    }).toEqual({
      sent: [
        ['notification', true],
        ['url', true],
      ],
      body: [
        ['test', 'This is a test alarm'],
        ['test', 'This is a test alarm of "Orders"'],
      ],
      notices: ['test'],
      ofFlow: [['url', true]],
      unknown: 404,
    })
  })

  it('names what prevents it from being sent', async () => {
    const { app } = await startApp()
    const api = await startThirdPartyApi((_request, response) => void response.writeHead(500).end())
    const handler = await app.addFlow(FLAKY, { name: 'Handler', status: 'paused' })
    await set(app, {
      alarms: { ...NONE, flow_id: handler.flow.id },
      event_hook: { events: ['failed'], flow_id: null, url: api.url },
    })
    const { json } = await app.call('POST', '/v1/alarms/test', { flow_id: null })
    expect((json as SentAlarm[]).map(({ alarm_id: _id, ...sent }) => sent)).toEqual([
      { channel: 'flow', ok: false, message: 'The flow "Handler" for alarms is paused; activate it' },
      { channel: 'url', ok: false, message: `${api.url} responded with 500` },
    ])
  })
})

it('failed runs of a flow whose alarms are not shown in the app are not announced there', async () => {
  const { app } = await startApp()
  const announced: unknown[] = []
  app.services.events.listen(({ noun, kind, flow_name: name }) => {
    if (noun === 'notice') announced.push([kind, name])
  })
  const fail = async (name: string, more: object) =>
    app.trigger(await app.addFlow(FLAKY, { name, ...more }), { body: { ok: false } })
  await fail('Quiet', { settings: { alarms: { ...NONE, on_failure: true } } })
  await fail('Draft', { status: 'draft', settings: { alarms: NONE } })
  await fail('By default', {})
  expect(announced).toEqual([
    ['failed', 'Draft'],
    ['failed', 'By default'],
  ])
})

describe('the target of alarms', () => {
  it('must exist, and not be the flow itself', async () => {
    const { app } = await startApp()
    const nobody = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
    const { flow } = await app.addFlow(FLAKY)
    const put = (path: string, body: object) => app.call('PUT', path, body)
    const grace = await app.call('POST', '/v1/users', {
      name: 'Grace',
      email: 'grace@example.test',
      role: 'member',
    })
    const { json: hidden } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SMTP,
      name: 'Private',
      auth_type: 'none',
      api_endpoint: 'smtp://127.0.0.1:25',
      access: { visibility: 'private' },
    })
    const asGrace = await callHttp(app.port, {
      method: 'PUT',
      path: '/v1/settings',
      headers: {
        ...session,
        'content-type': 'application/json',
        'millrace-user-id': (grace.json as { id: string }).id,
      },
      body: JSON.stringify({ alarm_mail: { auth_id: (hidden as { id: string }).id, from: null } }),
    })
    expect([asGrace.status, Object.keys((asGrace.json as { data: object }).data ?? {})]).toEqual([
      400,
      ['alarm_mail.auth_id'],
    ])
    const answers = [
      await put('/v1/settings', { alarms: { ...NONE, flow_id: nobody } }),
      await put('/v1/settings', { alarm_mail: { auth_id: nobody, from: null } }),
      await put('/v1/settings', { event_hook: { events: ['failed'], flow_id: nobody, url: null } }),
      await put(`/v1/flows/${flow.id}`, { settings: { alarms: { ...NONE, flow_id: nobody } } }),
      await put(`/v1/flows/${flow.id}`, { settings: { alarms: { ...NONE, flow_id: flow.id } } }),
      await put(`/v1/flows/${flow.id}`, { settings: { alarms: { ...NONE, email_to: ['nobody'] } } }),
    ]
    expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
      [
        [400, ['alarms.flow_id']],
        [400, ['alarm_mail.auth_id']],
        [400, ['event_hook.flow_id']],
        [400, ['settings.alarms.flow_id']],
        [400, ['settings.alarms.flow_id']],
        [400, ['settings.alarms.email_to[0]']],
      ],
    )
  })
})

it('an alarm that waits for its hook is sent without anyone opening the app', async () => {
  const { app } = await startApp()
  const { told } = await addHook(app, ['failed'])
  const hook = await app.addFlow(FLAKY)
  expect((await app.trigger(hook, { body: { ok: false } })).status).toBe(500)
  await vi.waitUntil(() => told().length === 1, { timeout: 60_000 })
})
