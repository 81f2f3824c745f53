import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { DEFAULT_FLOW_SETTINGS, type Flow, type FlowSettings } from '../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { Settings } from '../../src/shared/contract/settings.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import type { WebhookRequest } from '../../src/shared/contract/webhooks.ts'
import type { Clock, Sleep } from '../../src/main/engine/ports.ts'
import { createServer } from '../../src/main/server/create-server.ts'
import { mountRoutes } from '../../src/main/server/routes/index.ts'
import { createServices, type Services } from '../../src/main/services/index.ts'
import { storedJson } from '../../src/main/services/kit/json-codec.ts'
import { createOutgoing } from '../../src/main/services/reaching/sending/outgoing.ts'
import {
  createSecret,
  hashSecret,
  WEBHOOK_TOKEN_PREFIX,
} from '../../src/main/services/keeping/access/token-secret.ts'
import { startPlayground } from '../../src/main/services/serving/playground/index.ts'
import type { Store } from '../../src/main/store/index.ts'
import type { Migration } from '../../src/main/store/migrations/migrate.ts'
import { checkResponses } from './checked-responses.ts'
import { aStep } from './flow-run.ts'
import { faultsOfResults } from './checked-results.ts'
import { callHttp, type HttpAnswer } from './http.ts'
import { aStore, catalogueFiles, newFolder } from './store.ts'
import { type LogLine, logInto, session, SESSION_BEARER, testRandom } from './test-server.ts'

export interface FlowAppOptions {
  readonly dataDir?: string
  readonly settings?: Partial<Settings>
  readonly answerWithinMs?: number
  readonly oauthTimeoutMs?: number
  readonly retryMs?: number
  readonly clock?: Clock
  /** How waiting for others passes; by default it takes real time. */
  readonly sleep?: Sleep
  readonly migrations?: readonly Migration[]
  readonly keyFiles?: readonly string[]
  /** Also starts the playground. */
  readonly playground?: boolean
  /** Contents of `resources/samples/*.json` by file name. */
  readonly samples?: ReadonlyMap<string, unknown>
  /** The documentation, by file name. */
  readonly docs?: ReadonlyMap<string, string>
}

export interface Hook {
  readonly flow: Flow
  readonly token: string
  readonly path: string
}

export interface FlowApp {
  readonly port: number
  readonly store: Store
  readonly services: Services
  readonly logged: LogLine[]
  /** Calls the API as the page does. */
  call(method: string, path: string, body?: unknown): Promise<HttpAnswer>
  /** Stores a flow and creates its webhook token. */
  addFlow(
    steps: readonly StepInput[],
    more?: Partial<Omit<Flow, 'settings'>> & { settings?: Partial<FlowSettings> },
  ): Promise<Hook>
  /** Calls a webhook with its own token. */
  trigger(
    hook: Pick<Hook, 'path' | 'token'>,
    call?: {
      body?: unknown
      query?: string
      headers?: Record<string, string>
      method?: string
      path?: string
    },
  ): Promise<HttpAnswer>
  runs(): FlowRun[]
  stepsOf(run: FlowRun): FlowRunStep[]
  /** The requests to the webhook, newest first, once pending writes are on the disk. */
  requests(): Promise<WebhookRequest[]>
  /** Resolves when there is such a run. */
  until(matches: (run: FlowRun) => boolean): Promise<FlowRun>
}

export const realClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Flows over real HTTP on a separate database file. */
export async function startFlowApp(options: FlowAppOptions = {}): Promise<FlowApp> {
  const clock = options.clock ?? realClock
  const opened = await aStore({
    clock,
    json: storedJson,
    ...(options.migrations
      ? { migrations: options.migrations, ...(options.dataDir ? { dataDir: options.dataDir } : {}) }
      : { dataDir: options.dataDir ?? (await newFolder({ hasCatalogue: true })) }),
  })
  const faults: string[] = []
  let closed = false
  const store: Store = {
    ...opened,
    close() {
      if (!closed) checkResults()
      closed = true
      opened.close()
    },
  }
  const logged: LogLine[] = []
  const log = logInto(logged)
  const outgoing = createOutgoing({
    clock,
    random: Math.random,
    userAgent: 'Millrace/0.0.0-test',
    ownPorts: () => new Set(),
  })
  const playground = options.playground
    ? await startPlayground({ port: 0, now: () => performance.now() })
    : null
  const services = createServices({
    store,
    clock,
    random: testRandom,
    log,
    host: {
      version: '0.0.0-test',
      startedAt: new Date(clock.now()),
      refusesCode: true,
      url: () => 'http://127.0.0.1:4747',
      keyFile: null,
      playgroundUrl: () => playground?.url ?? null,
    },
    outgoing: options.sleep === undefined ? outgoing : { ...outgoing, sleep: options.sleep },
    sessionBearers: [SESSION_BEARER],
    catalogue: catalogueFiles(),
    settingOverrides: options.settings ?? {},
    ...(options.docs === undefined ? {} : { docs: () => options.docs ?? new Map() }),
    ...(options.samples === undefined ? {} : { samples: options.samples }),
    ...(options.keyFiles === undefined ? {} : { keyFiles: options.keyFiles }),
    ...(options.oauthTimeoutMs === undefined ? {} : { oauthTimeoutMs: options.oauthTimeoutMs }),
    ...(options.answerWithinMs === undefined ? {} : { answerWithinMs: options.answerWithinMs }),
    ...(options.retryMs === undefined ? {} : { retryMs: options.retryMs }),
  })
  const { runtime } = services
  const server = createServer({
    services,
    mount: mountRoutes,
    log,
    random: testRandom,
    rendererDir: '/there-is-no-page',
  })
  await runtime.start()
  const port = await server.listen(0)
  server.ready()
  const checked = checkResponses(port)
  const runs = () => [...store.flowRuns.list({ perPage: 200 }).records]
  const stepsOf = (run: FlowRun) => [...store.runSteps.ofRun(run.id, { perPage: 200 }).records]
  function checkResults() {
    for (const run of runs()) {
      faults.push(...faultsOfResults(store.flows.get(run.flow_id)?.steps ?? [], stepsOf(run)))
    }
  }
  onTestFinished(async () => {
    runtime.beginStop()
    await runtime.stop({ graceMs: 2_000 })
    if (!closed) checkResults()
    await server.close({ graceMs: 0 })
    services.calls.close()
    await Promise.all([playground?.close(), outgoing.close()])
    await checked.end()
    expect(faults, 'not as the step types say').toEqual([])
  })

  return {
    port,
    store,
    services,
    logged,
    call: (method, path, body) =>
      callHttp(port, {
        method,
        path,
        headers: { ...session, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async addFlow(steps, { settings, ...more } = {}) {
      const at = new Date(clock.now()).toISOString()
      const flow: Flow = {
        id: testRandom.uuid(),
        name: 'Test flow',
        description: '',
        tags: [],
        status: 'active',
        version: 1,
        created_at: at,
        updated_at: at,
        ...more,
        steps: steps.map(aStep),
        settings: { ...DEFAULT_FLOW_SETTINGS, ...settings },
      }
      const token = createSecret(WEBHOOK_TOKEN_PREFIX, testRandom)
      await store.write(() => {
        store.flows.insert(flow)
        store.flows.setWebhookToken(flow.id, { token, hash: hashSecret(token) })
      })
      services.events.emit({ type: 'created', noun: 'flow', id: flow.id })
      return { flow, token, path: `/v1/flow-webhook/${flow.id}` }
    },
    trigger: ({ token, path }, { body, query = '', headers = {}, method = 'POST', path: other } = {}) =>
      callHttp(port, {
        method,
        path: `${other ?? path}${query}`,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
      }),
    runs,
    stepsOf,
    async requests() {
      await store.write(() => undefined)
      return [...store.webhookRequests.list({ perPage: 200 }).records]
    },
    async until(matches) {
      for (;;) {
        const found = runs().find(matches)
        if (found) return found
        await wait(5)
      }
    },
  }
}
