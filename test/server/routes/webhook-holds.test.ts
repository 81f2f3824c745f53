import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WebhookHolds } from '../../../src/shared/contract/reach/webhook-holds.ts'
import type { WebhookRequestDetail } from '../../../src/shared/contract/webhooks.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'

const ECHO = [
  {
    ref_id: 'web1',
    type: 'webhook',
    config: {
      methods: ['POST', 'PUT'],
      response_body: '{{ [webhook.method, web1, webhook.headers["x-order"] | default("")] | tojson }}',
    },
  },
] as const

const holdsOf = async (app: FlowApp) => (await app.call('GET', '/v1/webhook-holds')).json as WebhookHolds

async function heldIn(app: FlowApp, count = 1): Promise<WebhookHolds['held']> {
  for (;;) {
    const { held } = await holdsOf(app)
    if (held.length === count) return held
    await wait(5)
  }
}

async function hold(app: FlowApp, { flow }: Hook, more: object = {}): Promise<void> {
  const answer = await app.call('PUT', `/v1/flows/${flow.id}/hold`, { what: 'next', ...more })
  expect(answer.status).toBe(200)
}

async function decide(app: FlowApp, how: string, body?: object) {
  const [request] = await heldIn(app)
  return await app.call('POST', `/v1/webhook-holds/${request!.id}/${how}`, body)
}

async function detailOf(app: FlowApp): Promise<WebhookRequestDetail> {
  const [request] = await app.requests()
  return (await app.call('GET', `/v1/webhook-requests/${request!.id}`)).json as WebhookRequestDetail
}

describe('a held request', () => {
  it('is listed with all its parts and without secrets, and goes on unchanged once it is let go', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 }, query: '?page=2', headers: { 'x-order': 'a' } })
    const [request] = await heldIn(app)
    expect(request).toMatchObject({
      flow_id: hook.flow.id,
      method: 'POST',
      path: `${hook.path}?page=2`,
      headers: { authorization: '***', 'x-order': 'a' },
      encoding: 'text',
      body: '{"id":7}',
      size: 8,
    })
    const heldForMs = Date.parse(request!.releases_at) - Date.parse(request!.at)
    expect([heldForMs > 24_000, heldForMs <= 25_001, (await holdsOf(app)).set]).toEqual([true, true, []])
    expect((await decide(app, 'release')).status).toBe(204)
    expect((await answered).json).toEqual(['POST', { id: 7, page: '2' }, 'a'])
    expect(await detailOf(app)).toMatchObject({ request: { hold: 'released', status: 200 }, original: null })
    expect((await app.trigger(hook, { body: {} })).status).toBe(200)
    expect((await app.requests()).map((one) => one.hold)).toEqual([null, 'released'])
  })

  it('goes on as it was edited; the history shows it and the original', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 }, query: '?page=2', headers: { 'x-order': 'a' } })
    const [request] = await heldIn(app)
    const { authorization, ...headers } = request!.headers
    const edits = {
      method: 'PUT',
      query: '?page=3',
      headers: { ...headers, authorization: authorization!, 'X-Order': 'b' },
      body: '{"id":8}',
    }
    delete (edits.headers as Record<string, string>)['x-order']
    expect((await decide(app, 'release', edits)).status).toBe(204)
    expect((await answered).json).toEqual(['PUT', { id: 8, page: '3' }, 'b'])
    expect(await detailOf(app)).toMatchObject({
      request: { hold: 'edited', method: 'PUT', path: `${hook.path}?page=3` },
      received: { body: '{"id":8}' },
      original: {
        method: 'POST',
        path: `${hook.path}?page=2`,
        headers: { 'x-order': 'a', authorization: '***' },
        body: '{"id":7}',
        truncated: false,
      },
    })
  })

  it('stays held if the edited one makes no sense; the caller notices nothing', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 } })
    const refusals = [
      { method: 'DELETE' },
      { body: '{"id":' },
      { query: 'page=1' },
      { headers: { 'x-a': 'a\r\nx-b: b' } },
      { headers: { 'x a': 'a' } },
    ]
    const statuses = []
    for (const edits of refusals) statuses.push((await decide(app, 'release', edits)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400])
    await decide(app, 'release', { body: '{"id":9}' })
    expect((await answered).json).toEqual(['POST', { id: 9 }, ''])
  })

  it('can be bytes, which are edited as base64', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      { ref_id: 'web1', type: 'webhook', config: { response_body: '{{ web1.body | length }}' } },
    ])
    await hold(app, hook)
    const headers = { 'content-type': 'application/octet-stream' }
    const answered = app.trigger(hook, { body: Buffer.from([255, 0, 1]), headers })
    const [request] = await heldIn(app)
    expect(request).toMatchObject({ encoding: 'base64', body: '/wAB' })
    await decide(app, 'release', { encoding: 'base64', body: Buffer.from('four').toString('base64') })
    expect((await answered).text).toBe('4')
  })

  it('can be answered by hand: the flow does not run, and the request is listed with that answer', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 } })
    const answer = { status: 422, headers: { 'X-Reason': 'none' }, body: 'no such order' }
    expect((await decide(app, 'answer', answer)).status).toBe(204)
    expect(await answered).toMatchObject({
      status: 422,
      headers: { 'x-reason': 'none' },
      text: 'no such order',
    })
    expect(app.runs()).toEqual([])
    expect(await detailOf(app)).toMatchObject({
      request: { hold: 'answered', status: 422, flow_run_id: null },
      received: { body: '{"id":7}' },
      answer: { status: 422, headers: { 'x-reason': 'none' }, body: 'no such order' },
    })
  })

  it('can be dropped: the connection is closed without a response', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 } }).then(
      () => 'answered',
      (error: NodeJS.ErrnoException) => error.code,
    )
    await decide(app, 'drop')
    expect(await answered).toBe('ECONNRESET')
    expect(await detailOf(app)).toMatchObject({ request: { hold: 'dropped', status: 444 }, answer: null })
    expect(app.runs()).toEqual([])
    const again = await app.call('POST', '/v1/webhook-holds/none/drop')
    expect(again.status).toBe(404)
  })

  it('is let go when nobody decides, before its caller stops waiting', async () => {
    const app = await startFlowApp({ answerWithinMs: 1_200 })
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    expect((await app.trigger(hook, { body: { id: 7 } })).json).toEqual(['POST', { id: 7 }, ''])
    expect(await app.requests()).toMatchObject([{ hold: 'timed_out', status: 200 }])
    expect((await holdsOf(app)).held).toEqual([])
  })
})

describe('a hold', () => {
  it('holds what matches its filter until it is removed, and at most 20 requests', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook, { what: 'matching', filter: '{{ web1.kind == "paid" }}' })
    expect((await app.trigger(hook, { body: { kind: 'other' } })).status).toBe(200)
    const waiting = Array.from({ length: 20 }, (_, id) => app.trigger(hook, { body: { kind: 'paid', id } }))
    const held = await heldIn(app, 20)
    expect((await app.trigger(hook, { body: { kind: 'paid', id: 21 } })).status).toBe(200)
    expect((await app.requests()).map((one) => one.hold)).toEqual(['passed', null])
    expect((await app.call('DELETE', `/v1/flows/${hook.flow.id}/hold`)).status).toBe(204)
    for (const { id } of held) await app.call('POST', `/v1/webhook-holds/${id}/release`)
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await app.trigger(hook, { body: { kind: 'paid' } })).status).toBe(200)
  })

  it('holds those that are accepted before they run, too', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { async: true } }])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 } })
    await decide(app, 'release', { body: '{"id":8}' })
    expect((await answered).status).toBe(200)
    const run = await app.until(({ status }) => status === 'success')
    expect(app.stepsOf(run)[0]).toMatchObject({ output: { id: 8 } })
    expect(await app.requests()).toMatchObject([{ hold: 'edited', flow_run_id: run.id }])
  })

  it('needs a flow with a webhook, and a filter that is a template', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    const other = await app.addFlow([{ ref_id: 'a', type: 'set', config: { values: { n: 1 } } }])
    const put = async (id: string, body: object) =>
      (await app.call('PUT', `/v1/flows/${id}/hold`, { what: 'next', ...body })).status
    expect([
      await put(other.flow.id, {}),
      await put('none', {}),
      await put(hook.flow.id, { filter: '{{ web1. }}' }),
    ]).toEqual([409, 404, 400])
  })

  it('ends with the program: what is held goes on', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await hold(app, hook)
    const answered = app.trigger(hook, { body: { id: 7 } })
    await heldIn(app)
    app.services.holds.stop()
    expect((await answered).status).toBe(200)
  })
})
