/** Tests that are stored with a flow: created, run on drafts and versions, accepted, rejected. */
import { expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import {
  type FlowTest,
  type FlowTestResult,
  STORED_TEST_LIMITS,
  type WholeStoredTest,
} from '../../../src/shared/contract/flow-tests.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

async function aTestedFlow() {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"orders": [{"total": 3}]}')
  })
  const app = await startFlowApp()
  const steps = (more: object = {}): StepInput[] => [
    { ref_id: 'hook', type: 'webhook', config: { response_body: '{{ sum.sum }}' } },
    { ref_id: 'orders', type: 'rest', config: { url: `${api.url}/orders` } },
    {
      ref_id: 'sum',
      type: 'set',
      config: { values: { sum: "{{ orders.body.orders | sum(attribute='total') }}", ...more } },
    },
  ]
  const { flow } = await app.addFlow(steps())
  const { json: run } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const recorded = await app.call('POST', `/v1/flow-runs/${(run as FlowRun).id}/test`, { name: 'One order' })
  const { test } = recorded.json as { test: FlowTest }
  const base = `/v1/flows/${flow.id}/tests`
  return { app, api, flow, steps, test, base }
}

async function run(app: FlowApp, base: string, body: object = {}) {
  const { json } = await app.call('POST', `${base}/run`, body)
  return (json as { results: FlowTestResult[] }).results.map(({ name, passed, failures }) => ({
    name,
    passed,
    kinds: failures.map(({ kind, step }) => `${kind} ${step}`),
  }))
}

it('a test is kept, listed, renamed, deleted and made again', async () => {
  const { app, flow, test, base } = await aTestedFlow()
  const made = await app.call('POST', base, { test })
  const twice = await app.call('POST', base, { test })
  const renamed = await app.call('PUT', `${base}/One%20order`, { test: { ...test, name: 'An order / two' } })
  const list = await app.call('GET', base)
  const read = await app.call('GET', `${base}/${encodeURIComponent('An order / two')}`)
  const gone = await app.call('DELETE', `${base}/${encodeURIComponent('An order / two')}`)
  const after = await app.call('GET', base)
  expect({ made, twice, renamed, list, read, gone, after }).toMatchObject({
    made: {
      status: 201,
      json: { flow_id: flow.id, name: 'One order', calls: 1, test: { expect: test.expect } },
    },
    twice: { status: 409 },
    renamed: { status: 200, json: { name: 'An order / two' } },
    list: { json: [{ name: 'An order / two', calls: 1 }] },
    read: { status: 200, json: { test: { name: 'An order / two' } } },
    gone: { status: 204 },
    after: { json: [] },
  })
  expect((list.json as object[])[0]).not.toHaveProperty('test')
})

it('tests run against the unsaved steps or a version, without a call', async () => {
  const { app, api, flow, steps, test, base } = await aTestedFlow()
  await app.call('POST', base, { test })
  await app.call('POST', base, { test: { ...test, name: 'Another' } })
  const sent = api.received.length
  const first = await run(app, base)
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: steps({ more: 1 }) })
  const ofDraft = await run(app, base, { names: ['One order'] })
  const ofVersion = await run(app, base, { names: ['One order'], version: 1 })
  const accepted = await app.call('POST', `${base}/One%20order/accept`)
  const afterwards = await run(app, base, { names: ['One order'] })
  const call = steps()[1] as { config: object }
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, {
    steps: [steps()[0], { ...call, config: { url: `${api.url}/others` } }, steps()[2]],
  })
  const unfit = await app.call('POST', `${base}/One%20order/accept`)
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: [{ ref_id: 'x' }] })
  const incomplete = await app.call('POST', `${base}/run`, {})
  const missing = await app.call('POST', `${base}/run`, { names: ['Unknown'] })
  expect({
    first,
    ofDraft,
    ofVersion,
    accepted: (accepted.json as WholeStoredTest).test.expect.results,
    afterwards,
    unfit: [unfit.status, unfit.text],
    incomplete: incomplete.status,
    missing: missing.status,
    sent: api.received.length - sent,
  }).toMatchObject({
    first: [
      { name: 'Another', passed: true },
      { name: 'One order', passed: true },
    ],
    ofDraft: [{ passed: false, kinds: ['result sum'] }],
    ofVersion: [{ passed: true }],
    accepted: { sum: { exact: { sum: 3, more: 1 } } },
    afterwards: [{ passed: true }],
    unfit: [409, expect.stringContaining('record it again')],
    incomplete: 400,
    sent: 0,
  })
})

it('hostile and unfit tests are refused, and secrets stay hidden', async () => {
  const { app, test, base } = await aTestedFlow()
  const secret = 'planted-variable-77'
  const late = 'planted-later-78'
  await app.call('POST', '/v1/env-variables', { name: 'key', value: secret, type: 'text', secret: true })
  const post = async (change: object) => {
    const { status, text } = await app.call('POST', base, { test: { ...test, ...change } })
    return [status, text]
  }
  const refused = {
    other: await post({ flow: '8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b' }),
    reserved: await post({ name: 'run' }),
    secret: await post({ input: { key: secret } }),
    unknown: await post({ command: 'rm' }),
    large: await post({ input: { long: 'x'.repeat(STORED_TEST_LIMITS.bytes) } }),
  }
  await post({ name: 'With a value', input: { key: late } })
  await app.call('POST', '/v1/env-variables', { name: 'later', value: late, type: 'text', secret: true })
  const { json: read } = await app.call('GET', `${base}/With%20a%20value`)
  for (let at = 1; at < STORED_TEST_LIMITS.ofFlow; at++) await post({ name: `Copy ${at}` })
  expect({ refused, hidden: (read as WholeStoredTest).test.input, tooMany: await post({}) }).toEqual({
    refused: {
      other: [400, expect.stringContaining('which is another flow')],
      reserved: [400, expect.stringContaining('choose another one')],
      secret: [409, expect.stringContaining('would contain a secret')],
      unknown: [400, expect.stringContaining('command')],
      large: [413, expect.stringContaining('the limit is 4 MB')],
    },
    hidden: { key: '***' },
    tooMany: [409, expect.stringContaining('The flow has 200 tests, which is the limit')],
  })
})

it('the tests of a flow have a size together', async () => {
  const { app, test, base } = await aTestedFlow()
  const long = { ...test, input: { long: 'x'.repeat(3_900_000) } }
  const statuses: number[] = []
  for (let at = 0; at < 6; at++)
    statuses.push((await app.call('POST', base, { test: { ...long, name: `Long ${at}` } })).status)
  const last = await app.call('POST', base, { test: { ...long, name: 'One more' } })
  const replaced = await app.call('PUT', `${base}/Long%200`, { test: { ...long, name: 'Long 0', seed: 'x' } })
  expect({ statuses, last, replaced: replaced.status }).toMatchObject({
    statuses: [201, 201, 201, 201, 201, 409],
    last: { json: { message: expect.stringContaining('the limit is 20 MB. Delete one first') } },
    replaced: 200,
  })
})

it('tests must pass before a version goes live, if the flow requires it; otherwise a warning names them', async () => {
  const { app, flow, steps, test, base } = await aTestedFlow()
  await app.call('POST', base, { test })
  const put = async (body: object) => {
    const { status, json } = await app.call('PUT', `/v1/flows/${flow.id}`, body)
    const { warnings, message, version } = json as {
      warnings?: { code: string; message: string }[]
      message?: string
      version?: number
    }
    return { status, version, message, warned: warnings?.map((one) => `${one.code}: ${one.message}`) }
  }
  const draft = await put({ status: 'draft', steps: steps({ sum: '{{ 4 }}' }) })
  const warned = await put({ status: 'active' })
  const still = await put({ name: 'Another name' })
  await put({ status: 'draft' })
  const required = await put({ settings: { require_tests: true } })
  const refused = await put({ status: 'active' })
  await put({ steps: steps() })
  const passing = await put({ status: 'active' })
  const changed = await put({ steps: steps({ sum: '{{ 5 }}' }) })
  const restored = await app.call('POST', `/v1/flows/${flow.id}/versions/2/restore`)
  const off = await put({ settings: { require_tests: false }, steps: steps({ sum: '{{ 6 }}' }) })
  const after = await app.call('GET', `/v1/flows/${flow.id}`)
  const names = expect.stringContaining('"One order"')
  expect({ draft, warned, still, required, refused, passing, changed, restored, off, after }).toMatchObject({
    draft: { status: 200, version: 2, warned: undefined },
    warned: { status: 200, warned: [expect.stringContaining('tests_fail: These tests fail')] },
    still: { status: 200, warned: undefined },
    required: { status: 200 },
    refused: { status: 409, message: names },
    passing: { status: 200, version: 3, warned: undefined },
    changed: { status: 409, message: names },
    restored: { status: 409, json: { message: names } },
    off: { status: 200, version: 4 },
    after: { json: { status: 'active', version: 4 } },
  })
})
