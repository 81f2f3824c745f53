import { expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })
const waits = (more: Partial<StepInput> = {}): StepInput => ({
  ref_id: 'callback',
  type: 'wait_for_callback',
  config: { timeout_hours: 2 },
  ...more,
})
const link = set('link', { url: '{{ callbacks.callback.url }}' })

async function startRun(app: FlowApp, steps: readonly StepInput[]): Promise<string> {
  const { flow } = await app.addFlow(steps)
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run`)
  return (json as { flow_run_id: string }).flow_run_id
}

async function outputs(app: FlowApp, id: string) {
  const run = await app.until((one) => one.id === id && one.finished_at !== null)
  return Object.fromEntries(app.stepsOf(run).map((step) => [step.ref_id, step.output]))
}

async function parkedLink(app: FlowApp, id: string): Promise<string> {
  const run = await app.until((one) => one.id === id && one.parked_until !== undefined)
  const found = app.stepsOf(run).find(({ ref_id }) => ref_id === 'link')
  return new URL((found!.output as { url: string }).url).pathname
}

it('a run waits, and continues with the request to the URL that an earlier step has sent', async () => {
  const app = await startFlowApp()
  const api = await startThirdPartyApi((_request, response) => response.end())
  const id = await startRun(app, [
    {
      ref_id: 'order',
      type: 'rest',
      config: { method: 'POST', url: `${api.url}/jobs`, body: { notify: '{{ callbacks.callback.url }}' } },
    },
    link,
    waits({ default: [set('nobody', {})] }),
    set('end', { status: '{{ callback.body.status }}' }),
  ])
  const path = await parkedLink(app, id)
  const { notify } = JSON.parse(String(api.received[0]?.body)) as { notify: string }
  expect(new URL(notify).pathname).toBe(path)
  const call = {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-job': '7' },
    body: '{"status":"ok"}',
  }
  const first = await callHttp(app.port, { ...call, path: `${path}?a=1` })
  expect([first.status, first.text]).toEqual([200, '{"status":"received"}'])
  const { callback, end, nobody } = await outputs(app, id)
  expect(callback).toMatchObject({
    method: 'PUT',
    headers: { 'x-job': '7' },
    query: { a: '1' },
    body: { status: 'ok' },
    timed_out: false,
  })
  expect([end, nobody]).toEqual([{ status: 'ok' }, undefined])
  const again = await callHttp(app.port, { ...call, path })
  expect([again.status, JSON.parse(again.text).message]).toEqual([
    409,
    'This URL has been called before, and the run continues with the first call',
  ])
  const other = await callHttp(app.port, { path: path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) })
  const head = await callHttp(app.port, { method: 'OPTIONS', path })
  expect([other.status, head.status]).toEqual([404, 405])
})

it('branches that run at the same time wait for callbacks of their own', async () => {
  const app = await startFlowApp()
  const waiting = (label: string) => ({ label, steps: [waits({ ref_id: label })] })
  const id = await startRun(app, [
    set('links', { one: '{{ callbacks.one.url }}', two: '{{ callbacks.two.url }}' }),
    { ref_id: 'both', type: 'parallel', config: {}, cases: [waiting('one'), waiting('two')] },
    set('end', { of: '{{ [both.one.body, both.two.body] }}' }),
  ])
  const run = await app.until((one) => one.id === id && one.parked_until !== undefined)
  const links = app.stepsOf(run).find(({ ref_id }) => ref_id === 'links')?.output as Record<string, string>
  for (const name of ['two', 'one'] as const) {
    const { status } = await callHttp(app.port, {
      method: 'POST',
      path: new URL(links[name]!).pathname,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    expect(status).toBe(200)
  }
  expect((await outputs(app, id))['end']).toEqual({ of: [{ name: 'one' }, { name: 'two' }] })
})

it('a call that comes before the run has reached the step is used', async () => {
  const app = await startFlowApp()
  const callBack = (path: string) =>
    callHttp(app.port, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'done=yes',
    })
  const api = await startThirdPartyApi((request, response) => {
    const { notify } = JSON.parse(String(request.body)) as { notify: string }
    void callBack(new URL(notify).pathname).then(({ status }) => response.end(String(status)))
  })
  const id = await startRun(app, [
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: [1, 2], collect: '{{ callback.body.done }}' },
      steps: [
        {
          ref_id: 'order',
          type: 'rest',
          config: { method: 'POST', url: api.url, body: { notify: '{{ callbacks.callback.url }}' } },
        },
        waits(),
      ],
    },
  ])
  const { each } = await outputs(app, id)
  expect(each).toEqual(['yes', 'yes'])
  const urls = api.received.map(({ body }) => (JSON.parse(String(body)) as { notify: string }).notify)
  expect(new Set(urls).size).toBe(2)
})

it('a run continues with a call after a restart, and without one when its time is over', async () => {
  const dataDir = temporaryFolder()
  let later = 0
  const clock = { now: () => Date.now() + later, monotonic: () => performance.now() }
  const first = await startFlowApp({ dataDir, clock })
  const steps = [link, waits({ default: [set('nobody', { n: 1 })] })]
  const ids = [await startRun(first, steps), await startRun(first, steps)] as const
  const paths = [await parkedLink(first, ids[0]), await parkedLink(first, ids[1])] as const
  first.services.runtime.beginStop()
  await first.services.runtime.stop({ graceMs: 2_000 })
  first.store.close()

  const app = await startFlowApp({ dataDir, clock })
  expect((await callHttp(app.port, { path: paths[0] })).status).toBe(200)
  expect((await outputs(app, ids[0]))['callback']).toMatchObject({ method: 'GET', timed_out: false })
  later = 2.1 * 3_600_000
  const { callback, nobody } = await outputs(app, ids[1])
  expect([callback, nobody]).toMatchObject([{ method: null, timed_out: true }, { n: 1 }])
  const late = await callHttp(app.port, { path: paths[1] })
  expect([late.status, JSON.parse(late.text).message]).toEqual([
    409,
    'This call comes too late: the run has continued without it',
  ])
})

it('an earlier step can send the link of a question', async () => {
  const app = await startFlowApp()
  const id = await startRun(app, [
    set('link', { url: '{{ callbacks.approval.url }}' }),
    { ref_id: 'approval', type: 'ask_person', config: { question: 'Fine?' } },
  ])
  const path = await parkedLink(app, id)
  const page = await callHttp(app.port, { path })
  expect([page.status, page.text.includes('<h1>Fine?</h1>')]).toEqual([200, true])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await callHttp(app.port, { method: 'POST', path, headers, body: '' })
  expect((await outputs(app, id))['approval']).toMatchObject({ timed_out: false })
})
