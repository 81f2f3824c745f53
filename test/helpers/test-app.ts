import { onTestFinished } from 'vitest'
import type { Settings } from '../../src/shared/contract/settings.ts'
import type { App } from '../../src/main/server/mount/app.ts'
import { createServer } from '../../src/main/server/create-server.ts'
import { mountRoutes } from '../../src/main/server/routes/index.ts'
import { createImportReader, type ImportLimits } from '../../src/main/services/running/imports/read-import.ts'
import { createServices, type Services } from '../../src/main/services/index.ts'
import { storedJson } from '../../src/main/services/kit/json-codec.ts'
import { createOutgoing } from '../../src/main/services/reaching/sending/outgoing.ts'
import { startPlayground } from '../../src/main/services/serving/playground/index.ts'
import type { Store } from '../../src/main/store/index.ts'
import { checkResponses } from './checked-responses.ts'
import { callHttp, type HttpAnswer, type HttpCall } from './http.ts'
import { aClock, aStore, catalogueFiles, newFolder } from './store.ts'
import { logInto, session, SESSION_BEARER, testRandom, type LogLine } from './test-server.ts'

export interface TestApp {
  readonly port: number
  readonly store: Store
  readonly services: Services
  readonly clock: ReturnType<typeof aClock>
  readonly logged: LogLine[]
  /** Calls as the page does, or with other credentials; an empty header isn't sent. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: HttpCall['headers'],
  ) => Promise<HttpAnswer>
}

export interface TestAppOptions {
  readonly importLimits?: ImportLimits
  readonly store?: Parameters<typeof aStore>[0]
  readonly settings?: Partial<Settings>
  readonly catalogue?: readonly unknown[]
  readonly keyFiles?: readonly string[]
  /** Also starts the playground. */
  readonly playground?: boolean
  /** Whether it reports its real address, and blocks calls to it as the program does. */
  readonly knowsItself?: boolean
  /** The address that it reports; defaults to the one with the usual port. */
  readonly url?: string
  /** Mounts more than the product's own routes. */
  readonly mountMore?: (app: App) => void
}

/** Only the tests of the limits measure how fast the machine is. */
const UNHURRIED: ImportLimits = { timeMs: 5 * 60_000, memoryMb: 1_024 }

/**
 * Shared by all apps of a worker, because starting its threads takes longer than most imports; idle ones end by
 * themselves.
 */
const unhurriedImports = createImportReader(UNHURRIED)

/** The API over real HTTP on a separate database file, with the connectors that come with Millrace. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = aClock()
  let port = 0
  const store = await aStore({
    clock,
    json: storedJson,
    ...options.store,
    dataDir: options.store?.dataDir ?? (await newFolder({ hasCatalogue: options.catalogue === undefined })),
  })
  const logged: LogLine[] = []
  const log = logInto(logged)
  const playground = options.playground
    ? await startPlayground({ port: 0, now: () => performance.now() })
    : null
  const outgoing = createOutgoing({
    // Calls to real servers take real time.
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    random: Math.random,
    userAgent: 'Millrace/0.0.0-test',
    ownPorts: () => new Set(options.knowsItself ? [port] : []),
  })
  const imports =
    options.importLimits === undefined ? unhurriedImports : createImportReader(options.importLimits)
  const services = createServices({
    store,
    clock: { now: () => clock.now(), monotonic: () => clock.now() },
    random: testRandom,
    log,
    host: {
      version: '0.0.0-test',
      startedAt: new Date(clock.now()),
      refusesCode: true,
      url: () => options.url ?? `http://127.0.0.1:${options.knowsItself ? port : 4747}`,
      keyFile: null,
      playgroundUrl: () => playground?.url ?? null,
    },
    outgoing,
    sessionBearers: [SESSION_BEARER],
    catalogue: options.catalogue ?? catalogueFiles(),
    settingOverrides: options.settings ?? {},
    imports,
    ...(options.keyFiles === undefined ? {} : { keyFiles: options.keyFiles }),
  })
  const server = createServer({
    services,
    mount(app) {
      mountRoutes(app, services)
      options.mountMore?.(app)
    },
    log,
    random: testRandom,
    rendererDir: '/there-is-no-page',
  })
  port = await server.listen(0)
  server.ready()
  const checked = checkResponses(port)
  onTestFinished(async () => {
    services.runtime.beginStop() // Work that waits for its time must not read a store that is closed by then.
    await server.close({ graceMs: 0 })
    services.calls.close()
    if (imports !== unhurriedImports) await imports.close()
    await Promise.all([playground?.close(), outgoing.close()])
    await checked.end()
  })
  return {
    port,
    store,
    services,
    clock,
    logged,
    call(method, path, body, headers = {}) {
      const sent = Object.entries({ ...session, 'content-type': 'application/json', ...headers })
      return callHttp(port, {
        method,
        path,
        headers: Object.fromEntries(sent.filter(([, value]) => value !== '')),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
  }
}
