/** What callers without credentials can make grow never costs the owner a run, and stays within its own limits. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { truncate, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { LIMITS } from '../../../src/shared/contract/base/limits.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { createFilesService } from '../../../src/main/services/keeping/files/files.ts'
import { createLimitedLog } from '../../../src/main/services/kit/limited-log.ts'
import { createCallLog } from '../../../src/main/services/serving/logs/call-log.ts'
import type { Store } from '../../../src/main/store/index.ts'
import { realClock, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { aFlow, aFlowRun, aWebhookRequest } from '../../helpers/records.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { type LogLine, logInto, testRandom } from '../../helpers/test-server.ts'

/** The largest that a request line and its headers may be. */
const LARGE_HEADERS = { 'x-a': 'a'.repeat(6_000), 'x-b': 'b'.repeat(6_000) }
const META = { filename: 'a.bin', content_type: 'application/octet-stream' }
/** Requests rejected with 429 and 404 have no flow, the others have one. */
const REFUSALS = [400, 401, 403, 404, 405, 413, 415, 429]

it('rejected requests push out neither runs nor rejected requests of another kind', async () => {
  const app = await startTestApp({ settings: { history_limit_mb: 10 } })
  const [flow, other] = [aFlow(), aFlow()]
  await app.store.write(() => [flow, other].forEach((one) => app.store.flows.insert(one)))
  const runs = await addRuns(app, flow.id, 60)
  const mistake = await app.store.write(() =>
    app.store.webhookRequests.insert(aWebhookRequest({ flow_id: other.id, status: 400 })),
  )
  let sent = 0
  for (const status of REFUSALS)
    for (let batch = 0; batch < 10; batch++) {
      await app.store.write(() => {
        for (let one = 0; one < 100; one++, sent++)
          app.store.webhookRequests.insert(
            aWebhookRequest({
              flow_id: status === 404 || status === 429 ? null : flow.id,
              status,
              headers: LARGE_HEADERS,
            }),
            status === 400 ? Buffer.alloc(65_536, batch) : null,
          )
      })
    }
  await app.services.housekeeping.runOnce()
  const { total } = app.store.webhookRequests.list()
  const { bytes, freeBytes } = app.store.maintenance.size()
  expect({
    sent,
    runs: runs.filter((id) => app.store.flowRuns.get(id) !== null).length,
    isMistakeListed: app.store.webhookRequests
      .list({ filters: [{ field: 'id', operator: 'eq', value: mistake.id }] })
      .records.map(({ id }) => id),
    isWithinRequests: (total ?? Infinity) <= LIMITS.rejectedRequests,
    isWithinBytes: bytes - freeBytes < LIMITS.rejectedRequestsBytes + LIMITS.rejectedBodiesBytes + 10e6,
  }).toEqual({
    sent: 8_000,
    runs: 60,
    isMistakeListed: [mistake.id],
    isWithinRequests: true,
    isWithinBytes: true,
  })
})

it('runs that anyone can start push out no others', async () => {
  const app = await startTestApp({ settings: { history_limit_mb: 10 } })
  const [closed, open] = [aFlow(), aFlow({ settings: { webhook_token_enabled: false } })]
  await app.store.write(() => [closed, open].forEach((flow) => app.store.flows.insert(flow)))
  const runs = await addRuns(app, closed.id, 60)
  const manual = await addRuns(app, open.id, 1, { trigger: 'manual' })
  await addRuns(app, open.id, 1_500)
  await app.services.housekeeping.runOnce()
  expect({
    kept: [...runs, ...manual].filter((id) => app.store.flowRuns.get(id) !== null).length,
    isSmaller: (app.store.flowRuns.list().total ?? 0) < 1_000,
  }).toEqual({ kept: 61, isSmaller: true })
})

it('runs started by runs that anyone can start push out no others', async () => {
  const app = await startTestApp({ settings: { history_limit_mb: 10 } })
  const [closed, open] = [aFlow(), aFlow({ settings: { webhook_token_enabled: false } })]
  await app.store.write(() => [closed, open].forEach((flow) => app.store.flows.insert(flow)))
  const runs = await addRuns(app, closed.id, 60)
  const [parent = ''] = await addRuns(app, open.id, 1)
  const [child = ''] = await addRuns(app, closed.id, 1_500, { trigger: 'flow', parent_run_id: parent })
  await addRuns(app, closed.id, 200, { trigger: 'flow', parent_run_id: child })
  // The token that is now required doesn't change anything about what was started without one.
  await app.store.write(() =>
    app.store.flows.update({ ...open, settings: { ...open.settings, webhook_token_enabled: true } }),
  )
  await app.services.housekeeping.runOnce()
  expect(runs.filter((id) => app.store.flowRuns.get(id) !== null).length).toBe(60)
})

it('runs that anyone can start and that wait push out no others either', async () => {
  const app = await startTestApp({ settings: { history_limit_mb: 10 } })
  const [closed, open] = [aFlow(), aFlow({ settings: { webhook_token_enabled: false } })]
  await app.store.write(() => [closed, open].forEach((flow) => app.store.flows.insert(flow)))
  const runs = await addRuns(app, closed.id, 60)
  await addRuns(app, open.id, 1_500, { status: 'running', finished_at: null })
  await app.services.housekeeping.runOnce()
  expect(runs.filter((id) => app.store.flowRuns.get(id) !== null).length).toBe(60)
})

it('lists so many rejected requests a minute, and says in the log that there were more', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const { path } = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }])
  const more = 50
  const statuses = new Set<number>()
  for (let sent = 0; sent < LIMITS.rejectedRequestsPerMinute + more; sent++)
    statuses.add((await callHttp(app.port, { method: 'POST', path, headers: LARGE_HEADERS })).status)
  await app.requests()
  expect({
    statuses: [...statuses],
    listed: app.store.webhookRequests.list().total,
    logged: app.logged.filter(({ message }) => message.includes('webhook requests were rejected')).length,
  }).toEqual({ statuses: [401], listed: LIMITS.rejectedRequestsPerMinute, logged: 1 })
})

it('files that came without credentials have a budget, and push out no other files', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const files = filesOf(app)
  const own = await files.store(Readable.from([Buffer.from('own')]), META)
  const sparse = 1_000_000_000
  const [first, second] = [
    await files.storeFromAnyone(Readable.from([Buffer.from('1')]), META),
    await files.storeFromAnyone(Readable.from([Buffer.from('2')]), META),
  ]
  await truncate(files.pathOf(first.file_id), sparse)
  await truncate(files.pathOf(second.file_id), sparse / 100)
  await utimes(files.pathOf(first.file_id), 1, 1)
  // Created again as after a restart, when the sizes are read from the disk.
  const again = filesOf(app)
  const third = await again.storeFromAnyone(Readable.from([Buffer.alloc(80_000_000)]), META)
  const kept = [own, first, second, third].map(({ file_id: id }) => existsSync(files.pathOf(id)))
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }], {
    settings: { webhook_token_enabled: false },
  })
  const body = '--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--x--'
  const { status } = await callHttp(app.port, {
    method: 'POST',
    path: hook.path,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body,
  })
  const descriptions = readdirSync(join(app.store.dataDir, 'files'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(app.store.dataDir, 'files', name), 'utf8'))
  expect({ kept, status, sent: descriptions.filter((text) => text.includes('"a.txt"')) }).toEqual({
    kept: [true, false, true, true],
    status: 200,
    sent: [expect.stringContaining('"from_anyone":true')],
  })
})

/** How much of each is left after so many attempts without credentials. */
const GROWING: Record<
  string,
  { attempts: number; most: number; left: (attempts: number) => Promise<number> }
> = {
  'listed API calls': {
    attempts: 500,
    most: 100,
    async left(attempts) {
      const { store } = await startTestApp()
      const calls = createCallLog({ folder: join(store.dataDir, 'strangers'), store, clock: realClock })
      const call = { method: 'GET', route: '/v1/flows', status: 401, durationMs: 1, caller: null }
      for (let sent = 0; sent < attempts; sent++) calls.note(call)
      const listed = await calls.list({ per_page: 200 })
      calls.close()
      return listed.length
    },
  },
  'lines of the log': {
    attempts: 500,
    most: 20,
    async left(attempts) {
      const lines: LogLine[] = []
      const log = createLimitedLog(logInto(lines), { monotonic: () => 0 })
      for (let sent = 0; sent < attempts; sent++) log.warn({}, 'A sign-in from another computer failed')
      return lines.length
    },
  },
  'counted addresses': {
    attempts: 10_500,
    most: 10_000,
    async left(attempts) {
      const { store } = await startTestApp()
      const clients = Array.from({ length: attempts }, (_, at) => `203.0.${at}`)
      const window = { now: 1, windowMs: 1_000 }
      for (const client of clients) store.rateLimits.count(client, window)
      return clients.filter((client) => store.rateLimits.peek(client, window) !== null).length
    },
  },
}

it.each(Object.entries(GROWING))('%s have a bound', async (_, { attempts, most, left }) => {
  expect(await left(attempts)).toBe(most)
})

it('the log says in the next hour how many lines were left out', () => {
  const lines: LogLine[] = []
  let now = 0
  const log = createLimitedLog(logInto(lines), { monotonic: () => now })
  for (let sent = 0; sent < 50; sent++) log.warn({}, 'failed')
  now = 3_600_000
  log.warn({ client: '203.0.113.7' }, 'failed')
  expect(lines.at(-1)).toMatchObject({ fields: { client: '203.0.113.7', leftOutBefore: 30 } })
})

const filesOf = ({ store: { dataDir } }: { store: Store }) =>
  createFilesService({ dataDir, random: testRandom, uploads: { get: () => null } })

async function addRuns(
  app: Awaited<ReturnType<typeof startTestApp>>,
  flowId: string,
  count: number,
  more: Partial<FlowRun> = {},
): Promise<string[]> {
  return app.store.write(() =>
    Array.from({ length: count }, () => {
      const id = app.store.flowRuns.newId()
      app.store.flowRuns.insert(aFlowRun({ id, flow_id: flowId, ...more }), { state: ['x'.repeat(20_000)] })
      return id
    }),
  )
}
