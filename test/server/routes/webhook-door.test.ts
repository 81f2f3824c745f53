import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { WebhookRequestDetail } from '../../../src/shared/contract/webhooks.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { aRecorder, closedAtEnd } from '../../helpers/odd-requests.ts'

const OPEN = { settings: { webhook_token_enabled: false } }
const SECRET = 'a secret of the sender'

async function startApp(
  variables: Readonly<Record<string, string>> = {},
  options: Parameters<typeof startFlowApp>[0] = {},
): Promise<FlowApp> {
  const app = await startFlowApp(options)
  for (const [name, value] of Object.entries({ hook_secret: SECRET, ...variables }))
    await app.call('POST', '/v1/env-variables', { name, type: 'text', value, secret: true })
  return app
}

const addHook = (app: FlowApp, config: object) =>
  app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { response_body: 'ran', ...config } }], OPEN)

const listed = async (app: FlowApp) =>
  (await app.requests()).map(({ status, outcome, reason }) => [status, outcome, reason])

/** What the save of such a webhook says. */
async function problemsOf(app: FlowApp, config: object) {
  const steps = [
    { ref_id: 'web1', type: 'webhook', config },
    { ref_id: 'later', type: 'set', config: { values: {} } },
  ]
  const { status, json } = await app.call('POST', '/v1/flows', { name: 'Door', steps })
  const { data, warnings } = json as { data?: object; warnings?: readonly { code: string; field: string }[] }
  return status === 201 ? (warnings ?? []).map(({ code, field }) => [code, field]) : data
}

const FILTERED = 'Filtered: it doesn\'t meet the condition in "run_if"'

describe('run_if', () => {
  it('runs only what meets it; lists, counts and keeps the others, and answers them as set', async () => {
    const app = await startApp()
    const hook = await addHook(app, {
      run_if: 'web1.type == "invoice.paid" and webhook.headers["x-shop"] != "test"',
      filtered_status_code: 202,
      filtered_body: 'not for us: {{ web1.type }}',
    })
    const send = (type: string, headers: Record<string, string> = {}) =>
      app.trigger(hook, { body: { type }, headers })
    const met = await send('invoice.paid')
    const other = await send('invoice.sent')
    const test = await send('invoice.paid', { 'x-shop': 'test' })
    expect([met, other, test].map(({ status, text }) => [status, text])).toEqual([
      [200, 'ran'],
      [202, 'not for us: {{ web1.type }}'],
      [202, 'not for us: {{ web1.type }}'],
    ])
    expect(other.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
    expect(app.runs().length).toBe(1)
    expect(await listed(app)).toEqual([
      [202, 'filtered', FILTERED],
      [202, 'filtered', FILTERED],
      [200, 'run', null],
    ])
    const found = async (filter: string) => {
      const { json, headers } = await app.call('GET', `/v1/webhook-requests?filter=${filter}`)
      return [(json as { outcome: string }[]).map(({ outcome }) => outcome), headers['x-total']]
    }
    const [first] = await app.requests()
    const { json } = await app.call('GET', `/v1/webhook-requests/${first?.id ?? ''}`)
    expect({
      filtered: (await found('outcome,eq,filtered'))[0],
      run: (await found('outcome,eq,run'))[0],
      detail: json,
    }).toMatchObject({
      filtered: ['filtered', 'filtered'],
      run: ['run'],
      detail: {
        received: { body: '{"type":"invoice.paid"}', input: { type: 'invoice.paid' } },
        answer: null,
      },
    } satisfies Partial<Record<string, unknown>> & { detail: Partial<WebhookRequestDetail> | object })
  })

  it.each([
    ['{{ web1.n > 1 }}', 200],
    ['{{ web1.missing == 1 }}', 202],
    ['{% if web1.n %}yes{% endif %}', 200],
    ['false', 202],
    ['', 200],
  ])('takes an expression or a template: %s', async (condition, status) => {
    const app = await startApp()
    const hook = await addHook(app, { run_if: condition, filtered_status_code: 202 })
    const answer = await app.trigger(hook, { body: { n: 2 } })
    expect([answer.status, answer.text]).toEqual([status, status === 200 ? 'ran' : '{"status": "filtered"}'])
  })

  it('is checked after the signature, also of an async webhook, and a repeated delivery keeps its response', async () => {
    const app = await startApp()
    const hook = await addHook(app, {
      async: true,
      run_if: 'web1.n == 1',
      filtered_status_code: 299,
      signature: { scheme: 'github', secret: '{{ hook_secret }}' },
    })
    const send = (id: string, n: number, secret = SECRET) => {
      const body = JSON.stringify({ n })
      const value = createHmac('sha256', secret).update(body).digest('hex')
      const headers = { 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${value}` }
      return app.trigger(hook, { body, headers })
    }
    const answers = [
      await send('1', 1),
      await send('1', 1),
      await send('2', 2),
      await send('2', 2),
      await send('3', 2, 'guessed'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 299, 299, 401])
    expect(app.runs().length).toBe(1)
    expect((await listed(app)).map(([, outcome]) => outcome)).toEqual([
      'rejected',
      'filtered',
      'filtered',
      'rejected',
      'run',
    ])
  })

  it('runs nothing if it fails, and says why without secrets', async () => {
    const app = await startApp()
    const hook = await addHook(app, { run_if: '(web1.n / 0) == 1' })
    const secret = await addHook(app, { run_if: '{{ [][hook_secret ~ "!"] + 1 }}' })
    const loop = await addHook(app, {
      run_if: '{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}',
    })
    const answers = [
      await app.trigger(hook, { body: { n: 1 } }),
      await app.trigger(secret, { body: { n: 1 } }),
      await app.trigger(loop, { body: { n: 1 } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    for (const { json } of answers)
      expect(json).toMatchObject({
        error: 'flow_error',
        message: expect.stringContaining('"run_if" failed, so nothing ran'),
      })
    expect(app.runs()).toEqual([])
    const shown = JSON.stringify([answers.map(({ text }) => text), await app.requests()])
    expect(shown).not.toContain(SECRET)
    expect((await listed(app)).map(([status, outcome]) => [status, outcome])).toEqual([
      [500, 'rejected'],
      [500, 'rejected'],
      [500, 'rejected'],
    ])
  })

  it('is checked on saving: syntax, unknown names, and results that do not exist yet', async () => {
    const app = await startApp()
    expect([
      await problemsOf(app, { run_if: 'web1.type ==' }),
      await problemsOf(app, { run_if: 'web2.type == 1' }),
      await problemsOf(app, { run_if: 'later.x == 1' }),
      await problemsOf(app, { run_if: 'web1.x == hook_secret and webhook.method == "POST"' }),
      await problemsOf(app, { run_if: 'callbacks.x' }),
      await problemsOf(app, { filtered_status_code: 99 }),
    ]).toMatchObject([
      { 'steps[0].config.run_if': [expect.anything()] },
      { 'steps[0].config.run_if': [expect.stringContaining('web2')] },
      [['reads_ahead', expect.stringContaining('run_if')]],
      [],
      { 'steps[0].config.run_if': [expect.stringContaining('callbacks')] },
      { 'steps[0].config.filtered_status_code': [expect.anything()] },
    ])
  })

  it('deletes the files of a form that it filters', async () => {
    const app = await startApp()
    const hook = await addHook(app, { run_if: 'web1.file.size > 100' })
    const body =
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nsmall\r\n--b--\r\n'
    const answer = await app.trigger(hook, {
      body: Buffer.from(body),
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    const { json } = await app.call('GET', '/v1/file-uploads')
    expect([answer.text, json, app.runs()]).toEqual(['{"status": "filtered"}', [], []])
  })

  it('is tried on the last 20 kept requests, those that it filtered included; nothing runs, and no secret is told', async () => {
    const app = await startApp()
    const hook = await addHook(app, { run_if: '{{ web1.total > 3 }}' })
    const attempt = async (condition: string, ref?: string) => {
      const body = { condition, ...(ref !== undefined && { ref_id: ref }) }
      const { status, json } = await app.call('POST', `/v1/flows/${hook.flow.id}/webhook-condition`, body)
      return [status, json]
    }
    expect(await attempt('{{ web1.total > 3 }}')).toEqual([200, { tried: 0, met: 0, problem: null }])
    for (let total = 1; total <= 22; total++)
      await app.trigger(hook, { body: { total, from: total % 2 === 0 ? 'a' : 'b' } })
    await app.trigger(hook, { body: '{"total": ', headers: { 'content-type': 'application/json' } })
    await app.until(({ status }) => status === 'success')
    const runs = app.runs().length
    expect([
      await attempt('{{ web1.total > 3 }}'),
      await attempt('{{ web1.from == "a" and webhook.method == "POST" }}'),
      await attempt('{{ order.total <= 3 }}', 'order'),
      await attempt('{{ web1.none.deeper }}'),
      await attempt('{{ hook_secret.none.deeper }}{{ 1 / 0 }}'),
    ]).toMatchObject([
      [200, { tried: 20, met: 19, problem: null }],
      [200, { tried: 20, met: 10, problem: null }],
      [200, { tried: 20, met: 1, problem: null }],
      [200, { tried: 20, met: 0, problem: expect.stringContaining('none') as string }],
      [200, { tried: 20, met: 0, problem: expect.not.stringContaining(SECRET) as string }],
    ])
    expect(app.runs().length).toBe(runs)
    const unknown = `/v1/flows/${crypto.randomUUID()}/webhook-condition`
    expect(await app.call('POST', unknown, { condition: '' })).toMatchObject({ status: 404 })
  })
})

describe('a webhook with a forward', () => {
  it('sends the program neither what run_if filters, checks of the URL nor wrong signatures', async () => {
    const app = await startApp({}, { settings: { webhook_body_limit_bytes: 1_000 } })
    const program = closedAtEnd(await aRecorder())
    const hook = await addHook(app, { handshake: 'dropbox', run_if: 'web1.n == 1' })
    const signed = await addHook(app, {
      handshake: 'slack',
      signature: { scheme: 'slack', secret: '{{ hook_secret }}' },
    })
    for (const { flow } of [hook, signed])
      await app.call('PUT', `/v1/flows/${flow.id}/forward`, { url: program.url })
    const check = { type: 'url_verification', challenge: 'abc' }
    const seconds = String(Math.floor(Date.now() / 1_000))
    const withSecret = (secret: string) => ({
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': `v0=${createHmac('sha256', secret)
        .update(`v0:${seconds}:${JSON.stringify(check)}`)
        .digest('hex')}`,
    })
    const answers = [
      await app.trigger(hook, { body: { n: 1 } }),
      await app.trigger(hook, { body: { n: 2 } }),
      await app.trigger(hook, { method: 'GET', query: '?challenge=abc' }),
      await app.trigger(hook, { body: { n: 1, filler: 'large '.repeat(1_000) } }),
      await app.trigger(signed, { body: check, headers: withSecret(SECRET) }),
      await app.trigger(signed, { body: check, headers: withSecret('guessed') }),
    ]
    expect(answers.map(({ status, text }) => (status < 400 ? text : status))).toEqual([
      '#1',
      '{"status": "filtered"}',
      'abc',
      413,
      'abc',
      401,
    ])
    expect(program.arrived).toHaveLength(1)
  })
})

describe('checks of the URL by a service', () => {
  const call = (app: FlowApp, hook: Hook, method: string, query: string, body?: string, headers = {}) =>
    callHttp(app.port, { method, path: `${hook.path}${query}`, headers, ...(body !== undefined && { body }) })
  const shown = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) => [
    status,
    headers['content-type'],
    text,
  ]
  const TEXT = 'text/plain; charset=utf-8'
  const JSON_TYPE = 'application/json'

  it('of Meta, Dropbox, Microsoft Graph and X come before any body, also to a POST-only webhook', async () => {
    const app = await startApp({ verify: 'meat & potatoes' })
    const meta = await addHook(app, { handshake: 'meta', verify_token: '{{ verify }}' })
    const dropbox = await addHook(app, { handshake: 'dropbox' })
    const graph = await addHook(app, { handshake: 'microsoft_graph' })
    const x = await addHook(app, {
      handshake: 'x',
      signature: { scheme: 'x', secret: '{{ hook_secret }}' },
    })
    const token = createHmac('sha256', SECRET).update('MTcw+g/h=').digest('base64')
    const subscribe = (verify: string, challenge = '1158201444') =>
      `?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verify }).toString()}`
    const answers = [
      await call(app, meta, 'GET', subscribe('meat & potatoes')),
      await call(app, dropbox, 'GET', '?challenge=%3Cscript%3Ealert(1)%3C/script%3E'),
      await call(app, graph, 'POST', '?validationToken=Validation%3a+Testing+client', ''),
      await call(app, x, 'GET', `?crc_token=${encodeURIComponent('MTcw+g/h=')}`),
    ]
    expect(answers.map(shown)).toEqual([
      [200, TEXT, '1158201444'],
      [200, TEXT, '<script>alert(1)</script>'],
      [200, TEXT, 'Validation: Testing client'],
      [200, JSON_TYPE, JSON.stringify({ response_token: `sha256=${token}` })],
    ])
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
      })
    expect(await listed(app)).toEqual(
      ['x', 'microsoft_graph', 'dropbox', 'meta'].map((service) => [
        200,
        'handshake',
        `URL check of ${service}, answered without running the flow`,
      ]),
    )
    expect(app.runs()).toEqual([])
    expect(JSON.stringify(await app.requests())).not.toMatch(/meat|MTcw/)
    // Anything else is a request as before.
    const others = [
      await call(app, meta, 'GET', ''),
      await call(app, meta, 'GET', subscribe('guessed')),
      await call(app, meta, 'GET', `${subscribe('meat & potatoes')}&hub.challenge=2`),
      await call(app, meta, 'GET', subscribe('meat & potatoes', '9'.repeat(2_001))),
      await call(app, meta, 'POST', subscribe('meat & potatoes'), '{}'),
      await call(app, dropbox, 'GET', '?challenge=a%0d%0aset-cookie:b'),
      await call(app, dropbox, 'GET', '?challenge='),
      await call(app, graph, 'GET', '?validationToken=a'),
      await call(app, graph, 'POST', '?validationToken=a&validationToken=b', '{}'),
      await call(app, x, 'GET', '?crc_token=%7B%22forged%22%3A1%7D'),
      await call(app, x, 'POST', '?crc_token=a', '{}'),
    ]
    expect(others.map(({ status }) => status)).toEqual([
      405, 403, 405, 400, 200, 400, 400, 405, 200, 400, 401,
    ])
    expect(await listed(app)).toContainEqual([
      403,
      'rejected',
      "The verify token doesn't match the one of this webhook",
    ])
  })

  it('of Slack, Zoom and Discord are in the body, and are answered only if that is signed', async () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
    const key = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
      format: 'der',
      type: 'pkcs8',
    })
    const app = await startApp({
      discord_key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    })
    const [slack, zoom, discord] = [
      await addHook(app, { handshake: 'slack', signature: { scheme: 'slack', secret: '{{ hook_secret }}' } }),
      await addHook(app, { handshake: 'zoom', signature: { scheme: 'zoom', secret: '{{ hook_secret }}' } }),
      await addHook(app, {
        handshake: 'discord',
        signature: { scheme: 'discord', secret: '{{ discord_key }}' },
      }),
    ]
    const seconds = String(Math.floor(Date.now() / 1_000))
    const zero = (body: string, prefix: string, secret = SECRET) => ({
      [prefix === 'zm' ? 'x-zm-request-timestamp' : 'x-slack-request-timestamp']: seconds,
      [`x-${prefix}-signature`]: `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`,
    })
    const post = (
      hook: Hook,
      body: object,
      headers: (text: string) => Record<string, string>,
      query = '',
    ) => {
      const text = JSON.stringify(body)
      return call(app, hook, 'POST', query, text, { 'content-type': JSON_TYPE, ...headers(text) })
    }
    const bySlack = (text: string) => zero(text, 'slack')
    const byZoom = (text: string) => zero(text, 'zm')
    const byDiscord = (text: string) => ({
      'x-signature-timestamp': seconds,
      'x-signature-ed25519': sign(null, Buffer.from(seconds + text), key).toString('hex'),
    })
    const verification = {
      token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl',
      challenge: '3eZbrw1aBm2r<b>',
      type: 'url_verification',
    }
    const validation = (plainToken: unknown) => ({
      event: 'endpoint.url_validation',
      payload: { plainToken },
    })
    const encryptedToken = createHmac('sha256', SECRET).update('qgg8vlvZRS6UYooatFL8Aw').digest('hex')
    const answers = [
      await post(slack, verification, bySlack, '?challenge=other'),
      await post(zoom, validation('qgg8vlvZRS6UYooatFL8Aw'), byZoom),
      await post(discord, { id: '1', application_id: '2', type: 1 }, byDiscord),
      await post(discord, { version: 1, application_id: '2', type: 0 }, byDiscord),
    ]
    expect(answers.map(shown)).toEqual([
      [200, TEXT, '3eZbrw1aBm2r<b>'],
      [200, JSON_TYPE, JSON.stringify({ plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken })],
      [200, JSON_TYPE, '{"type":1}'],
      [204, undefined, ''],
    ])
    expect((await listed(app)).map(([, outcome]) => outcome)).toEqual(
      Array.from({ length: 4 }, () => 'handshake'),
    )
    expect(app.runs()).toEqual([])
    const others = [
      await post(slack, verification, (text) => zero(text, 'slack', 'guessed')),
      await post(slack, { ...verification, challenge: ['a'] }, bySlack),
      await post(slack, { ...verification, challenge: 'a'.repeat(2_001) }, bySlack),
      await post(slack, { ...verification, challenge: 'a'.repeat(20_000) }, bySlack),
      await post(slack, { type: 'event_callback', challenge: 'a' }, bySlack),
      await post(zoom, validation(7), byZoom),
      await post(zoom, validation('v0:1:{}'), byZoom),
      await post(zoom, validation('a'), () => ({})),
      await post(discord, { id: '2', application_id: '2', type: 2 }, byDiscord),
      await post(discord, { id: '3', version: 1, type: null }, byDiscord),
      await post(discord, { id: '1', application_id: '2', type: 1 }, () => ({})),
    ]
    expect(others.map(({ status }) => status)).toEqual([
      401, 200, 400, 200, 200, 200, 400, 401, 200, 200, 401,
    ])
  })

  it('are answered while the flow is paused if the URL has them, and never if the webhook asks for no service', async () => {
    const app = await startApp()
    const plain = await addHook(app, { methods: ['GET', 'POST'] })
    const steps = [{ ref_id: 'web1', type: 'webhook' as const, config: { handshake: 'dropbox' } }]
    const paused = await app.addFlow(steps, { ...OPEN, status: 'paused' })
    const closed = await app.addFlow(steps, {})
    const queries = '?challenge=abc&validationToken=abc&crc_token=abc&hub.mode=subscribe&hub.challenge=abc'
    expect([
      (await call(app, plain, 'GET', queries)).text,
      (await call(app, plain, 'POST', queries, '{"type":"url_verification","challenge":"abc"}')).text,
      (await call(app, paused, 'GET', '?challenge=abc')).text,
      (await call(app, closed, 'GET', '?challenge=abc')).status,
    ]).toEqual(['ran', 'ran', 'abc', 401])
  })

  it('need what they are answered with, which saving says', async () => {
    const app = await startApp()
    const signed = (scheme: string) => ({ scheme, secret: '{{ hook_secret }}' })
    expect([
      await problemsOf(app, { handshake: 'meta' }),
      await problemsOf(app, { handshake: 'meta', verify_token: 'in plain sight' }),
      await problemsOf(app, { handshake: 'x' }),
      await problemsOf(app, { handshake: 'zoom', signature: signed('slack') }),
      await problemsOf(app, { handshake: 'other' }),
      await problemsOf(app, { handshake: 'slack' }),
    ]).toMatchObject([
      { 'steps[0].config.verify_token': ['is required if "handshake" is meta'] },
      { 'steps[0].config.verify_token': [expect.stringContaining('store it in a secret variable')] },
      { 'steps[0].config.handshake': ['needs "signature" with the scheme x'] },
      { 'steps[0].config.handshake': ['needs "signature" with the scheme zoom'] },
      { 'steps[0].config.handshake': [expect.anything()] },
      [],
    ])
  })
})
