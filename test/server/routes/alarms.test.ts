import { describe, expect, test } from 'vitest'
import type { AlarmReceiver, AlarmSettings, SentAlarm } from '../../../src/shared/contract/alarms.ts'
import type { Settings } from '../../../src/shared/contract/settings.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { addMailAuth, startMailServer } from '../../helpers/mail-server.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const ALARMS = '/v1/alarms'
const NOBODY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const OWN: AlarmSettings = {
  on_failure: true,
  on_missed: false,
  silent_after_minutes: null,
  notify: false,
  email_to: ['ada@example.test'],
  flow_id: null,
}
const FAILING: StepInput[] = [
  { ref_id: 'web1', type: 'webhook', config: {} },
  { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'No stock' } },
]

/** Starts an app whose time only the test moves. */
async function startApp() {
  const clock = {
    time: Date.parse('2026-03-01T12:00:00Z'),
    now: () => clock.time,
    monotonic: () => performance.now(),
  }
  return { app: await startFlowApp({ clock }), clock }
}

async function add(app: FlowApp, body: object): Promise<AlarmReceiver> {
  const { status, json, text } = await app.call('POST', ALARMS, body)
  if (status !== 201) throw new Error(text)
  return json as AlarmReceiver
}

const list = async (app: FlowApp) => (await app.call('GET', ALARMS)).json as AlarmReceiver[]
const settingsOf = async (app: FlowApp) => (await app.call('GET', '/v1/settings')).json as Settings

async function set(app: FlowApp, settings: Partial<Settings>): Promise<void> {
  const { status, text } = await app.call('PUT', '/v1/settings', settings)
  if (status !== 200) throw new Error(text)
}

async function aHook() {
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(204).end())
  const told = () =>
    api.received.map(({ body }) => {
      const { alarm_kind: kind, alarm_flow_name: name } = JSON.parse(body.toString()) as Record<
        string,
        unknown
      >
      return [kind, name]
    })
  return { url: `${api.url}/alarms`, told }
}

describe('the list of alarms', () => {
  test('has those of Millrace and those in the settings of flows; only the first ones are changed there', async () => {
    const { app } = await startApp()
    const handler = await app.addFlow([], { name: 'Handler' })
    const { flow } = await app.addFlow(FAILING, {
      name: 'Orders',
      settings: { error_handling_flow_id: handler.flow.id, alarms: OWN },
    })
    const added = await add(app, {
      kind: 'url',
      url: 'https://x.example.com/hook',
      events: ['missed', 'failed'],
    })
    const changed = await app.call('PUT', `${ALARMS}/${added.id}`, {
      ...added,
      flows: 'chosen',
      flow_ids: [flow.id],
    })
    const all = await list(app)
    const ofFlow = all.filter(({ settings_of: of }) => of === flow.id)
    const first = ofFlow[0]?.id ?? ''
    const refused = [
      await app.call('PUT', `${ALARMS}/${first}`, { events: ['failed'] }),
      await app.call('DELETE', `${ALARMS}/${first}`),
      await app.call('GET', `${ALARMS}/${NOBODY}`),
    ]
    const read = await app.call('GET', `${ALARMS}/${first}`)
    const removed = await app.call('DELETE', `${ALARMS}/${added.id}`)
    expect({
      added,
      changed: changed.json,
      first: all[0],
      ofFlow: ofFlow.map(({ kind, events, flow_id, email_to }) => [kind, events, flow_id, email_to]),
      read: (read.json as AlarmReceiver).id === first,
      refused: refused.map(({ status, json }) => [status, (json as { message: string }).message]),
      removed: removed.status,
      left: (await list(app)).length,
    }).toEqual({
      added: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'url',
        email_to: [],
        flow_id: null,
        url: 'https://x.example.com/hook',
        events: ['failed', 'missed'],
        flows: 'all',
        flow_ids: [],
        settings_of: null,
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: '2026-03-01T12:00:00.000Z',
      },
      changed: { ...added, flows: 'chosen', flow_ids: [flow.id] },
      first: expect.objectContaining({ kind: 'notification', flows: 'default', settings_of: null }),
      ofFlow: [
        ['flow', ['run_failed'], handler.flow.id, []],
        ['email', ['failed', 'recovered'], null, ['ada@example.test']],
      ],
      read: true,
      refused: [
        [409, `This alarm is in the settings of the flow ${flow.id}; change it there`],
        [409, `This alarm is in the settings of the flow ${flow.id}; change it there`],
        [404, `There is no alarm "${NOBODY}"; see the list of alarms`],
      ],
      removed: 204,
      left: all.length - 1,
    })
  })

  test('rejects what nobody could hear of, and names the field', async () => {
    const { app } = await startApp()
    const { flow } = await app.addFlow(FAILING)
    const bodies: [object, string][] = [
      [{ kind: 'email', events: ['failed'] }, 'email_to'],
      [{ kind: 'email', events: ['failed'], email_to: ['nobody'] }, 'email_to[0]'],
      [{ kind: 'url', events: ['failed'] }, 'url'],
      [{ kind: 'url', events: ['failed'], url: 'file:///etc/passwd' }, 'url'],
      [{ kind: 'flow', events: ['failed'] }, 'flow_id'],
      [{ kind: 'flow', events: ['failed'], flow_id: NOBODY }, 'flow_id'],
      [{ kind: 'notification', events: [] }, 'events'],
      [{ kind: 'notification', events: ['run_failed'] }, 'events'],
      [{ kind: 'notification', events: ['failed'], flows: 'chosen' }, 'flow_ids'],
      [{ kind: 'notification', events: ['failed'], flows: 'chosen', flow_ids: [NOBODY] }, 'flow_ids[0]'],
      [
        { kind: 'flow', flow_id: flow.id, events: ['failed'], flows: 'chosen', flow_ids: [flow.id] },
        'flow_ids[0]',
      ],
      [{ kind: 'pager', events: ['failed'] }, 'kind'],
      [{ kind: 'notification' }, 'events'],
    ]
    const answers = []
    for (const [body] of bodies) answers.push(await app.call('POST', ALARMS, body))
    expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
      bodies.map(([, field]) => [400, [field]]),
    )
  })

  test('is read with a token of company, and changed with none', async () => {
    const { app } = await startApp()
    const hook = await aHook()
    const [first] = await list(app)
    const withScopes = async (scopes: string[]) => {
      const { json } = await app.call('POST', '/v1/personal-access-tokens', {
        scopes,
        expiration: null,
        note: '',
      })
      const authorization = `Bearer ${(json as { token: string }).token}`
      const call = async (method: string, path: string, body?: object) => {
        const { status } = await callHttp(app.port, {
          method,
          path,
          headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        return status
      }
      return [
        await call('GET', ALARMS),
        await call('GET', `${ALARMS}/${first?.id}`),
        await call('POST', ALARMS, { kind: 'url', url: hook.url, events: ['failed'] }),
        await call('PUT', `${ALARMS}/${first?.id}`, { events: ['failed'] }),
        await call('DELETE', `${ALARMS}/${first?.id}`),
      ]
    }
    expect({
      company: await withScopes(['company']),
      automation: await withScopes(['automation']),
      left: (await list(app)).length,
    }).toEqual({
      company: [200, 200, 403, 403, 403],
      automation: [403, 403, 403, 403, 403],
      left: 1,
    })
  })
})

describe('the settings of before', () => {
  test('are alarms of the list, read and written by either', async () => {
    const { app } = await startApp()
    const handler = await app.addFlow([], { name: 'Handler' })
    const url = 'https://x.example.com/hook'
    await set(app, {
      alarms: { ...OWN, on_missed: true, flow_id: handler.flow.id, silent_after_minutes: 30 },
      event_hook: { events: ['failed', 'recovered'], flow_id: null, url },
    })
    const written = await list(app)
    const id = (kind: string) => written.find((one) => one.kind === kind)?.id ?? ''
    await app.call('PUT', `${ALARMS}/${id('email')}`, { email_to: ['joan@example.test'], events: ['failed'] })
    await app.call('DELETE', `${ALARMS}/${id('flow')}`)
    await app.call('PUT', `${ALARMS}/${id('url')}`, { url: `${url}/2` })
    const { alarms, event_hook } = await settingsOf(app)
    // The settings are sent back with one difference, and nothing else changes.
    await set(app, { alarms: { ...alarms, silent_after_minutes: 60 }, event_hook })
    const sentBack = await list(app)
    await set(app, { alarms: { ...alarms, notify: true, email_to: [] }, event_hook: null })
    expect({
      written: written.map(({ kind, events, flows }) => [kind, events, flows]),
      alarms,
      event_hook,
      sentBack: sentBack.map(({ kind, events, email_to }) => [kind, events, email_to]),
      left: (await list(app)).map(({ kind, flows }) => [kind, flows]),
      none: (await settingsOf(app)).event_hook,
    }).toEqual({
      written: [
        ['email', ['failed', 'silent', 'missed', 'recovered'], 'default'],
        ['flow', ['failed', 'silent', 'missed', 'recovered'], 'default'],
        ['url', ['failed', 'recovered'], 'all'],
      ],
      alarms: {
        on_failure: true,
        on_missed: false,
        silent_after_minutes: 30,
        notify: false,
        email_to: ['joan@example.test'],
        flow_id: null,
      },
      event_hook: { events: ['failed', 'recovered'], flow_id: null, url: `${url}/2` },
      sentBack: [
        ['email', ['failed'], ['joan@example.test']],
        ['url', ['failed', 'recovered'], []],
      ],
      left: [['notification', 'default']],
      none: null,
    })
  })

  test('survive a restart, and leave no URL in the settings', async () => {
    const dataDir = temporaryFolder()
    const first = await startFlowApp({ dataDir })
    await set(first, {
      alarms: { ...OWN, silent_after_minutes: 30 },
      event_hook: { events: ['failed'], flow_id: null, url: 'https://x.example.com/secret' },
    })
    const before = await settingsOf(first)
    first.store.close()
    const app = await startFlowApp({ dataDir })
    expect({
      after: await settingsOf(app),
      stored: JSON.stringify(app.store.settings.get()).includes('secret"'),
    }).toEqual({ after: before, stored: false })
  })
})

describe('an alarm', () => {
  test('goes to those that hear of the flow and of the event', async () => {
    const { app } = await startApp()
    const [all, byDefault, chosen, other] = [await aHook(), await aHook(), await aHook(), await aHook()]
    const plain = await app.addFlow(FAILING, { name: 'Plain' })
    const own = await app.addFlow(FAILING, { name: 'Own', settings: { alarms: { ...OWN, email_to: [] } } })
    const url = { kind: 'url', events: ['failed'] }
    await add(app, { ...url, url: all.url })
    await add(app, { ...url, url: byDefault.url, flows: 'default' })
    await add(app, { ...url, url: chosen.url, flows: 'chosen', flow_ids: [own.flow.id] })
    await add(app, { ...url, url: other.url, events: ['missed'] })
    for (const hook of [plain, own]) {
      await app.trigger(hook)
      await expect.poll(() => all.told().at(-1)?.[1]).toBe(hook.flow.name)
    }
    await expect.poll(() => app.store.alarms.nextAt()).toBe(null)
    expect({
      all: all.told(),
      byDefault: byDefault.told(),
      chosen: chosen.told(),
      other: other.told(),
    }).toEqual({
      all: [
        ['failed', 'Plain'],
        ['failed', 'Own'],
      ],
      byDefault: [['failed', 'Plain']],
      chosen: [['failed', 'Own']],
      other: [],
    })
  })

  test('comes at most once in ten minutes per flow by mail, with how many it left out', async () => {
    const { app, clock } = await startApp()
    const server = await startMailServer()
    await set(app, { alarm_mail: { auth_id: await addMailAuth(app, server.url), from: null } })
    await add(app, { kind: 'email', email_to: ['grace@example.test'], events: ['failed'] })
    const hook = await app.addFlow(FAILING, { name: 'Orders' })
    for (let second = 0; second < 20; second++) {
      await app.trigger(hook)
      clock.time += 1_000
      await app.services.alarms.look()
    }
    const first = server.received.length
    clock.time += 10 * 60_000
    await app.services.alarms.look()
    expect({
      first,
      to: server.received.map(({ to }) => to),
      says: /failed (\d+ times more)/.exec(server.received[1]?.source ?? '')?.[1],
    }).toEqual({
      first: 1,
      to: [['grace@example.test'], ['grace@example.test']],
      says: '19 times more',
    })
  })

  test('of each failed run starts a flow for all flows, drafts as well, but not for itself', async () => {
    const { app } = await startApp()
    const handler = await app.addFlow(
      [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: '{{ error_message }}' } }],
      { name: 'Handler' },
    )
    await add(app, { kind: 'flow', flow_id: handler.flow.id, events: ['run_failed'] })
    const draft = await app.addFlow(FAILING, { name: 'Draft', status: 'draft' })
    for (let n = 0; n < 3; n++) await app.trigger(draft)
    const handled = () => app.runs().filter(({ flow_id }) => flow_id === handler.flow.id)
    await expect.poll(() => handled().filter(({ status }) => status === 'error').length).toBe(3)
    expect({
      says: handled()[0]?.error?.message,
      ofRuns: new Set(handled().map((run) => run.parent_run_id)).size,
      all: app.runs().length,
    }).toEqual({ says: 'Step "end": Step "end": No stock', ofRuns: 3, all: 6 })
  })

  test('that was deleted before it was sent goes nowhere', async () => {
    const { app, clock } = await startApp()
    let status = 503
    const api = await startThirdPartyApi((_request, response) => void response.writeHead(status).end())
    const { id } = await add(app, { kind: 'url', url: api.url, events: ['failed'] })
    await app.trigger(await app.addFlow(FAILING))
    await app.services.alarms.look()
    const before = api.received.length
    status = 204
    await app.call('DELETE', `${ALARMS}/${id}`)
    clock.time += 5 * 60_000
    await app.services.alarms.look()
    expect({ before, after: api.received.length, waiting: app.store.alarms.nextAt() }).toEqual({
      before: 1,
      after: 1,
      waiting: null,
    })
  })

  test('is tested by itself, and says what prevents it', async () => {
    const { app } = await startApp()
    const hook = await aHook()
    const handler = await app.addFlow(
      [{ ref_id: 'said', type: 'set', config: { values: { error: '{{ error_message }}' } } }],
      { name: 'Handler' },
    )
    const ids = [
      await add(app, { kind: 'url', url: hook.url, events: ['silent'] }),
      await add(app, { kind: 'email', email_to: ['ada@example.test'], events: ['failed'] }),
      await add(app, { kind: 'flow', flow_id: handler.flow.id, events: ['run_failed'] }),
    ]
    const sent: SentAlarm[] = []
    for (const { id } of ids) sent.push((await app.call('POST', `${ALARMS}/${id}/test`)).json as SentAlarm)
    const run = await app.until(({ status }) => status === 'success')
    expect({
      sent: sent.map(({ channel, ok }) => [channel, ok]),
      why: sent[1]?.message,
      told: hook.told(),
      said: app.stepsOf(run).map(({ output }) => output),
      unknown: (await app.call('POST', `${ALARMS}/${NOBODY}/test`)).status,
    }).toEqual({
      sent: [
        ['url', true],
        ['email', false],
        ['flow', true],
      ],
      why: 'No mail server is chosen for alarms; choose one in Settings, Alarms',
      told: [['test', null]],
      said: [{ error: 'This is a test alarm' }],
      unknown: 404,
    })
  })
})
