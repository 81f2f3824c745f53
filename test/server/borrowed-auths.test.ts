/** However a run is started, it can't use a private auth that one of the users who influenced it can't read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { IMAP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { type FlowRun, type FlowRunStep, RUN_TRIGGERS } from '../../src/shared/contract/flow-runs.ts'
import { ROUTES } from '../../src/shared/contract/routes.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { type FlowApp, realClock, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp } from '../helpers/http.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { session } from '../helpers/test-server.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

/** An owner whose flow uses the auth chosen by its step "choice", and a user who wants that to be a private one. */
interface World {
  readonly app: FlowApp
  readonly shop: ThirdPartyApi
  readonly flowId: string
  readonly ownerId: string
  readonly strangerId: string
  /** Visible to everybody. The flow runs with it unless somebody chooses another auth. */
  readonly sharedAuth: string
  readonly privateAuth: string
  /** Makes the shop respond like this from now on. */
  answerWith(status: number): void
  moveClock(ms: number): void
  steps(choice: string, first?: StepInput): StepInput[]
  callAs<T>(userId: string, method: string, path: string, body?: object): Promise<T>
}

const WEBHOOK: StepInput = { ref_id: 'web1', type: 'webhook', config: {} }
const SHARED = 'Bearer token-that-everybody-may-use'
const PRIVATE = 'Bearer token-of-the-owner-alone'

let world: World

beforeEach(async () => {
  let status = 200
  let offset = 0
  const clock = { ...realClock, now: () => Date.now() + offset }
  const app = await startFlowApp({ clock })
  const shop = await startThirdPartyApi((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('[]')
  })
  const callAs = async <T>(userId: string, method: string, path: string, body?: object): Promise<T> => {
    const answer = await callHttp(app.port, {
      method,
      path,
      headers: { ...session, 'millrace-user-id': userId, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.json as T
  }
  const ownerId = app.store.users.local().id
  const make = async (path: string, body: object) =>
    (await callAs<{ id: string }>(ownerId, 'POST', `/v1/${path}`, body)).id
  const strangerId = await make('users', { name: 'Eve' })
  const connectorId = await make('connectors', { name: 'Shop', base_domain: shop.url })
  const action = { connector_id: connectorId, name: 'list', method: 'GET', endpoint: '/orders' }
  await make('connector-actions', action)
  const anAuth = (auth_token: string, visibility: string) =>
    make('connector-auths', {
      connector_id: connectorId,
      name: visibility,
      auth_type: 'bearer',
      auth_token,
      access: { visibility, user_ids: [] },
    })
  const sharedAuth = await anAuth(SHARED.slice(7), 'account')
  const privateAuth = await anAuth(PRIVATE.slice(7), 'private')
  const steps = (choice: string, first: StepInput = WEBHOOK): StepInput[] => [
    first,
    { ref_id: 'choice', type: 'set', config: { values: { auth_id: choice } } },
    {
      ref_id: 'orders',
      type: 'connector_action',
      config: { connector_id: connectorId, action: 'list', dynamic_auth_id: '{{ choice.auth_id }}' },
    },
  ]
  const flow = { name: 'Orders', status: 'active', steps: steps(sharedAuth) }
  const flowId = await make('flows', flow)
  world = {
    app,
    shop,
    flowId,
    ownerId,
    strangerId,
    sharedAuth,
    privateAuth,
    answerWith: (code) => void (status = code),
    moveClock: (ms) => void (offset += ms),
    steps,
    callAs,
  }
})

const ended = ({ app }: World, id: string) => app.until((run) => run.id === id && run.finished_at !== null)

/** Sends a request that returns the ID of a run, and waits for that run. */
async function started(at: World, userId: string, path: string, body: object = {}): Promise<FlowRun> {
  const { flow_run_id: id } = await at.callAs<{ flow_run_id: string }>(userId, 'POST', `/v1/${path}`, body)
  return await ended(at, id)
}

const runByHand = (at: World, userId: string, body: object = {}) =>
  at.callAs<FlowRun>(userId, 'POST', `/v1/flows/${at.flowId}/run?wait=true`, body)

const CHOSEN = ({ privateAuth }: World) => ({ auth_id: privateAuth })

/** A run in which the user replaced the choice. */
const edited = async (at: World, userId: string) => {
  const { id } = await runByHand(at, at.ownerId)
  const results = { choice: CHOSEN(at) }
  return await started(at, userId, `flow-runs/${id}/rerun`, { from: 'orders', results })
}

const pin = (at: World, userId: string) =>
  at.callAs(userId, 'PUT', `/v1/flows/${at.flowId}/pins/choice`, { value: CHOSEN(at) })

const save = (at: World, userId: string, steps: readonly StepInput[], flowId = at.flowId) =>
  at.callAs(userId, 'PUT', `/v1/flows/${flowId}`, { steps })

const copy = (at: World, userId: string) =>
  at.callAs(userId, 'PUT', `/v1/flows/${at.flowId}/working-copy`, { steps: at.steps(at.privateAuth) })

const IN_COPY = { working_copy: true }

interface Way {
  /** The route that starts such a run. */
  readonly route?: string
  readonly trigger?: FlowRun['trigger']
  /** The user chooses the private auth; the owner does the rest. */
  readonly run: (at: World, shaper: string) => Promise<unknown>
}

const WAYS: Record<string, Way> = {
  'a rerun with edited results': { route: 'POST /v1/flow-runs/:id/rerun', run: edited },
  'a replay of an edited rerun': {
    route: 'POST /v1/flow-runs/:id/replay',
    trigger: 'replay',
    run: async (at, shaper) => started(at, at.ownerId, `flow-runs/${(await edited(at, shaper)).id}/replay`),
  },
  'a replay of an edited rerun among others': {
    route: 'POST /v1/flow-runs/replay',
    async run(at, shaper) {
      const { id } = await edited(at, shaper)
      for (const version of ['current', 'recorded']) {
        const { results } = await at.callAs<{ results: { flow_run_id: string }[] }>(
          at.ownerId,
          'POST',
          '/v1/flow-runs/replay',
          { ids: [id], version },
        )
        await ended(at, results[0]!.flow_run_id)
      }
    },
  },
  'a rerun of an edited rerun': {
    run: async (at, shaper) =>
      started(at, at.ownerId, `flow-runs/${(await edited(at, shaper)).id}/rerun`, { from: 'orders' }),
  },
  'a replay of a rerun of an edited rerun': {
    async run(at, shaper) {
      const { id } = await edited(at, shaper)
      const again = await started(at, at.ownerId, `flow-runs/${id}/rerun`, { from: 'orders' })
      await started(at, at.ownerId, `flow-runs/${again.id}/replay`)
    },
  },
  'an edited rerun that is resumed': {
    route: 'POST /v1/flow-runs/:id/resume',
    async run(at, shaper) {
      const { id } = await runByHand(at, at.ownerId)
      at.answerWith(400)
      const body = { from: 'orders', results: { choice: CHOSEN(at) } }
      const failed = await started(at, shaper, `flow-runs/${id}/rerun`, body)
      at.shop.received.length = 0
      at.answerWith(200)
      await at.callAs(at.ownerId, 'POST', `/v1/flow-runs/${failed.id}/resume`)
      await ended(at, failed.id)
    },
  },
  'a test run with a pin': {
    async run(at, shaper) {
      await pin(at, shaper)
      await runByHand(at, at.ownerId, IN_COPY)
    },
  },
  'a queued test run with a pin': {
    async run(at, shaper) {
      await pin(at, shaper)
      await started(at, at.ownerId, `flows/${at.flowId}/run`, IN_COPY)
    },
  },
  'a test run of the steps before one': {
    trigger: 'test',
    async run(at, shaper) {
      await copy(at, shaper)
      const steps = [...at.steps(at.privateAuth), { ref_id: 'last', type: 'set' } as const]
      await at.callAs(shaper, 'PUT', `/v1/flows/${at.flowId}/working-copy`, { steps })
      await started(at, at.ownerId, `flows/${at.flowId}/run`, { ...IN_COPY, test: true, before: 'last' })
    },
  },
  'a test run of unsaved steps with a pin': {
    async run(at, shaper) {
      await pin(at, shaper)
      await copy(at, at.ownerId)
      await runByHand(at, at.ownerId, IN_COPY)
    },
  },
  'a rerun of a test run with a pin': {
    async run(at, shaper) {
      await pin(at, shaper)
      const { id } = await runByHand(at, at.ownerId, IN_COPY)
      await started(at, at.ownerId, `flow-runs/${id}/rerun`, { from: 'orders' })
    },
  },
  'a test run of unsaved steps': {
    async run(at, shaper) {
      await copy(at, shaper)
      await runByHand(at, at.ownerId, IN_COPY)
    },
  },
  'a queued test run of unsaved steps': {
    async run(at, shaper) {
      await copy(at, shaper)
      await started(at, at.ownerId, `flows/${at.flowId}/run`, IN_COPY)
    },
  },
  'a rerun of a test run of unsaved steps': {
    async run(at, shaper) {
      await copy(at, shaper)
      const { id } = await runByHand(at, shaper, IN_COPY)
      await started(at, at.ownerId, `flow-runs/${id}/rerun`, { from: 'orders' })
    },
  },
  'a rerun, on steps of the owner, of a run of other steps': {
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth))
      const { id } = await runByHand(at, at.ownerId)
      await save(at, at.ownerId, at.steps(at.sharedAuth))
      await started(at, at.ownerId, `flow-runs/${id}/rerun`, { from: 'orders' })
    },
  },
  'one step on the results of an edited rerun': {
    route: 'POST /v1/flows/:id/steps/:ref_id/run',
    async run(at, shaper) {
      await edited(at, shaper)
      await at.callAs(at.ownerId, 'POST', `/v1/flows/${at.flowId}/steps/orders/run`, {})
    },
  },
  'one step on a pin': {
    async run(at, shaper) {
      await pin(at, shaper)
      await at.callAs(at.ownerId, 'POST', `/v1/flows/${at.flowId}/steps/orders/run`, {})
    },
  },
  'one step on the results of other steps': {
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth))
      await runByHand(at, at.ownerId)
      await save(at, at.ownerId, at.steps(at.sharedAuth))
      await at.callAs<FlowRunStep>(at.ownerId, 'POST', `/v1/flows/${at.flowId}/steps/orders/run`, {})
    },
  },
  'saved steps by hand': {
    route: 'POST /v1/flows/:id/run',
    trigger: 'manual',
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth))
      await runByHand(at, at.ownerId)
      await started(at, at.ownerId, `flows/${at.flowId}/run`)
    },
  },
  'saved steps by webhook': {
    trigger: 'webhook',
    async run(at, shaper) {
      for (const async of [false, true]) {
        await save(at, shaper, at.steps(at.privateAuth, { ...WEBHOOK, config: { async } }))
        const { webhook } = await at.callAs<Flow>(at.ownerId, 'GET', `/v1/flows/${at.flowId}`)
        await at.app.trigger({ path: `/v1/flow-webhook/${at.flowId}`, token: webhook!.token! })
      }
      for (const { id } of at.app.runs()) await ended(at, id)
    },
  },
  'saved steps by a form': {
    trigger: 'form',
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth, { ref_id: 'form', type: 'form_trigger' }))
      const { webhook } = await at.callAs<Flow>(at.ownerId, 'GET', `/v1/flows/${at.flowId}`)
      await at.app.trigger({ path: `/v1/flow-webhook/${at.flowId}`, token: webhook!.token! }, { body: {} })
      await at.app.until((run) => run.trigger === 'form' && run.finished_at !== null)
    },
  },
  'saved steps by schedule': {
    trigger: 'schedule',
    async run(at, shaper) {
      const schedule = {
        ref_id: 'when',
        type: 'schedule',
        config: { interval: '5m', timezone: 'UTC' },
      } as const
      await save(at, shaper, at.steps(at.privateAuth, schedule))
      await at.app.store.write(() => undefined)
      at.moveClock(5 * 60_000)
      await at.app.services.scheduler.look()
      await at.app.until((run) => run.trigger === 'schedule' && run.finished_at !== null)
    },
  },
  'saved steps by an entry of a list': {
    trigger: 'list',
    async run(at, shaper) {
      const feed = await startThirdPartyApi((_request, response) => {
        const items = [{ id: '1', content_text: 'News' }]
        response.end(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Shop', items }))
      })
      const config = { source: 'feed', url: feed.url, first: 'all' } as const
      await save(at, shaper, at.steps(at.privateAuth, { ref_id: 'entry', type: 'list_trigger', config }))
      await at.app.services.triggers.look()
      await at.app.until((run) => run.trigger === 'list' && run.finished_at !== null)
    },
  },
  'saved steps by a file of a folder': {
    trigger: 'folder',
    async run(at, shaper) {
      const folder = temporaryFolder()
      await at.callAs(at.ownerId, 'PUT', '/v1/settings', { file_folders: [folder] })
      const first = { ref_id: 'file', type: 'folder_trigger', config: { path: folder } } as const
      await save(at, shaper, at.steps(at.privateAuth, first))
      await at.app.services.triggers.look()
      writeFileSync(join(folder, 'order.csv'), 'x')
      at.moveClock(60_000)
      await at.callAs(at.ownerId, 'POST', `/v1/flows/${at.flowId}/trigger/check`)
      await at.app.until((run) => run.trigger === 'folder' && run.finished_at !== null)
    },
  },
  'saved steps by an email': {
    trigger: 'mail',
    async run(at, shaper) {
      const server = await startImapServer()
      onTestFinished(() => server.close())
      server.deliver(aMail())
      const { id: auth_id } = await at.callAs<{ id: string }>(at.ownerId, 'POST', '/v1/connector-auths', {
        connector_id: IMAP_CONNECTOR_ID,
        name: 'Mail',
        auth_type: 'username_password',
        username: 'me',
        password: 'right',
        api_endpoint: server.url,
      })
      const first = { ref_id: 'mail', type: 'imap_trigger', config: { auth_id, first: 'all' } } as const
      await save(at, shaper, at.steps(at.privateAuth, first))
      await at.app.services.triggers.look()
      await at.app.until((run) => run.trigger === 'mail' && run.finished_at !== null)
    },
  },
  'saved steps by another flow': {
    trigger: 'flow',
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth))
      const { id } = await at.callAs<Flow>(at.ownerId, 'POST', '/v1/flows', {
        name: 'Calls it',
        steps: [WEBHOOK, { ref_id: 'sub', type: 'run_flow', config: { flow_id: at.flowId } }],
      })
      await started(at, at.ownerId, `flows/${id}/run`)
    },
  },
  'saved steps after the failure of another flow': {
    async run(at, shaper) {
      await save(at, shaper, at.steps(at.privateAuth))
      const { id } = await at.callAs<Flow>(at.ownerId, 'POST', '/v1/flows', {
        name: 'Fails',
        settings: { error_handling_flow_id: at.flowId },
        steps: [WEBHOOK, { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'no stock' } }],
      })
      await started(at, at.ownerId, `flows/${id}/run`)
      await at.app.until((run) => run.flow_id === at.flowId && run.finished_at !== null)
    },
  },
}

const used = ({ shop }: World) => new Set(shop.received.map(({ headers }) => headers.authorization))

test.each(Object.entries(WAYS))('%s uses the auth that the owner chose', async (_name, { run }) => {
  await run(world, world.ownerId)
  expect(used(world)).toContain(PRIVATE)
})

test.each(Object.entries(WAYS))('%s borrows no auth for another user', async (_name, { run }) => {
  await run(world, world.strangerId)
  expect(used(world)).not.toContain(PRIVATE)
})

test('every way of starting a run is tried', () => {
  const ways = Object.values(WAYS)
  const routes = ROUTES.filter(
    ({ method, path }) => method === 'POST' && /\/(?:run|rerun|replay|resume)$/.test(path),
  )
    // Tests replay recorded calls with their own auths.
    .filter(({ path }) => path !== '/v1/flow-tests/run' && path !== '/v1/flows/:id/tests/run')
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !ways.some((way) => way.route === route))
  const triggers = RUN_TRIGGERS.filter((trigger) => !ways.some((way) => way.trigger === trigger))
  expect({ routes, triggers }).toEqual({ routes: [], triggers: [] })
})

test('steps of a user who has been deleted borrow nothing either', async () => {
  await save(world, world.strangerId, world.steps(world.privateAuth))
  await copy(world, world.strangerId)
  await pin(world, world.strangerId)
  await world.callAs(world.ownerId, 'DELETE', `/v1/users/${world.strangerId}`)
  const run = await runByHand(world, world.ownerId)
  const testRun = await runByHand(world, world.ownerId, IN_COPY)
  expect({ run: run.status, testRun: testRun.status, used: used(world) }).toEqual({
    run: 'error',
    testRun: 'error',
    used: new Set(),
  })
})

test('a run from before its owner was deleted gets nothing from the heir, however it is run again', async () => {
  const { strangerId, ownerId } = world
  const steps = world.steps(world.privateAuth)
  const { id } = await world.callAs<Flow>(strangerId, 'POST', '/v1/flows', { name: 'Of Eve', steps })
  const failed = await started(world, strangerId, `flows/${id}/run`)
  await world.callAs(ownerId, 'DELETE', `/v1/users/${strangerId}`)
  const resumed = await world
    .callAs<FlowRun>(ownerId, 'POST', `/v1/flow-runs/${failed.id}/resume`)
    .then(() => ended(world, failed.id))
    .catch(() => failed)
  const again: Record<string, object> = { replay: { version: 'recorded' }, rerun: { from: 'orders' } }
  const others = await Promise.all(
    Object.entries(again).map(([how, body]) =>
      started(world, ownerId, `flow-runs/${failed.id}/${how}`, body).catch(() => null),
    ),
  )
  expect({
    before: failed.status,
    after: [resumed, ...others].filter((run) => run?.status === 'success'),
    used: used(world),
  }).toEqual({ before: 'error', after: [], used: new Set() })
})

test.each(Object.entries(WAYS))(
  'after %s, no run uses an auth again that was taken from the user',
  async (_name, { run }) => {
    const { app, shop, flowId, ownerId, strangerId, privateAuth } = world
    const share = (access: object) =>
      world.callAs(ownerId, 'PUT', `/v1/connector-auths/${privateAuth}`, { access })
    await share({ visibility: 'selected', user_ids: [strangerId] })
    await run(world, strangerId)
    const isUsedWhileShared = used(world).has(PRIVATE)
    await share({ visibility: 'private', user_ids: [] })
    shop.received.length = 0
    const runs = app.runs().filter((one) => one.flow_id === flowId)
    for (const { id, flow_version: version } of runs)
      for (const userId of [strangerId, ownerId]) {
        const edit = userId === strangerId ? { results: { choice: CHOSEN(world) } } : {}
        const again: [how: string, body: object][] = [
          ['replay', {}],
          ['replay', { version }],
          ['rerun', { from: 'orders' }],
          ['rerun', { from: 'orders', version: 'recorded' }],
          ['rerun', { from: 'orders', ...edit }],
          ['resume', {}],
        ]
        // Not every run can be run again in each way.
        for (const [how, body] of again)
          await started(world, userId, `flow-runs/${id}/${how}`, body).catch(() => null)
        await world
          .callAs(userId, 'POST', `/v1/flows/${flowId}/steps/orders/run`, { flow_run_id: id })
          .catch(() => null)
      }
    expect({ isUsedWhileShared, isUsedAfter: used(world).has(PRIVATE) }).toEqual({
      isUsedWhileShared: true,
      isUsedAfter: false,
    })
  },
)
