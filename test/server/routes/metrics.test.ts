import { expect, test } from 'vitest'
import { writeExposition } from '../../../src/main/services/serving/figures/exposition.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { parseExposition } from '../../helpers/exposition.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const HOOK = { ref_id: 'web1', type: 'webhook', config: {} } as const

test('the figures of the program are in the format of Prometheus, and count what it did', async () => {
  const app = await startFlowApp()
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(204).end())
  const read = async () => parseExposition((await app.call('GET', '/v1/metrics')).text)
  const calling = await app.addFlow([
    HOOK,
    { ref_id: 'call', type: 'rest', config: { method: 'GET', url: api.url } },
  ])
  const failing = await app.addFlow([
    HOOK,
    { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'No' } },
  ])
  const before = await read()
  await app.trigger(calling)
  await app.trigger(calling)
  await app.trigger(failing)
  await app.trigger({ ...calling, token: 'x' })
  await app.call('POST', `/v1/flows/${calling.flow.id}/run?wait=true`, {})
  const after = await read()
  const grown = (family: string, sample: string) =>
    (after.get(family)?.samples.get(sample) ?? NaN) - (before.get(family)?.samples.get(sample) ?? 0)
  expect({
    success: grown('millrace_runs_total', 'millrace_runs_total{status="success"}'),
    error: grown('millrace_runs_total', 'millrace_runs_total{status="error"}'),
    timed: grown('millrace_run_duration_seconds', 'millrace_run_duration_seconds_count'),
    answered: grown('millrace_webhook_requests_total', 'millrace_webhook_requests_total{status="200"}'),
    failed: grown('millrace_webhook_requests_total', 'millrace_webhook_requests_total{status="500"}'),
    unauthorized: grown('millrace_webhook_requests_total', 'millrace_webhook_requests_total{status="401"}'),
    sent: grown('millrace_outgoing_requests_total', 'millrace_outgoing_requests_total{status="204"}'),
    queued: after.get('millrace_queued_runs')?.samples.get('millrace_queued_runs'),
  }).toEqual({
    success: 3,
    error: 1,
    timed: 4,
    answered: 2,
    failed: 1,
    unauthorized: 1,
    sent: 3,
    queued: 0,
  })
  const one = (name: string) => after.get(name)?.samples.get(name) ?? 0
  const positive = ['process_resident_memory_bytes', 'millrace_database_bytes', 'process_start_time_seconds']
  expect(positive.filter((name) => one(name) <= 0)).toEqual([])
  expect([...after.keys()]).toEqual(
    expect.arrayContaining([
      'millrace_database_wal_bytes',
      'millrace_schedule_lateness_seconds',
      'millrace_build_info',
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
    ]),
  )
})

test('a scheduled run counts with how late it was', async () => {
  let now = Date.parse('2026-03-01T12:00:00Z')
  const app = await startFlowApp({ clock: { now: () => now, monotonic: () => performance.now() } })
  const schedule = { ref_id: 'at', type: 'schedule', config: { interval: '1h', timezone: 'UTC' } }
  await app.call('POST', '/v1/flows', { name: 'Hourly', status: 'active', steps: [schedule] })
  await app.store.write(() => undefined)
  now = Date.parse('2026-03-01T13:00:02Z')
  await app.services.scheduler.look()
  const families = parseExposition((await app.call('GET', '/v1/metrics')).text)
  const of = (sample: string) =>
    families
      .get('millrace_schedule_lateness_seconds')
      ?.samples.get(`millrace_schedule_lateness_seconds${sample}`)
  expect({ within1: of('_bucket{le="1"}'), within5: of('_bucket{le="5"}'), sum: of('_sum') }).toEqual({
    within1: 0,
    within5: 1,
    sum: 2,
  })
})

test('only the app, the command line and tokens for the settings can read the figures', async () => {
  const app = await startTestApp()
  const readWith = async (scopes: readonly string[]) => {
    const { json } = await app.call('POST', '/v1/personal-access-tokens', {
      expiration: null,
      scopes,
      note: '',
    })
    const { token } = json as IssuedToken
    return app.call('GET', '/v1/metrics', undefined, { authorization: `Bearer ${token}` })
  }
  const answers = [
    await app.call('GET', '/v1/metrics'),
    await readWith(['company:view']),
    await readWith(['automation', 'connectors']),
    await app.call('GET', '/v1/metrics', undefined, { authorization: '' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401])
  expect(answers[0]?.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('quotes, backslashes and line feeds are escaped, and infinity is written as +Inf', () => {
  const text = writeExposition([
    {
      name: 'a_gauge',
      help: 'One \\ two\nthree "four"',
      type: 'gauge',
      samples: [{ labels: { path: 'C:\\x "y"\nz' }, value: Infinity }],
    },
  ])
  expect(text).toBe(
    '# HELP a_gauge One \\\\ two\\nthree "four"\n# TYPE a_gauge gauge\na_gauge{path="C:\\\\x \\"y\\"\\nz"} +Inf\n',
  )
  expect([...parseExposition(text).keys()]).toEqual(['a_gauge'])
})
