import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { session } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config,
})
const set = (ref_id: string, values: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})
/** Responds with its whole input. */
const ECHO = [webhook({ response_body: '{{ web1 | tojson }}' })]

const SANDBOX = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' }

describe('a webhook', () => {
  it('accepts the methods of its step; others are rejected if the flow exists, and 404 otherwise', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ methods: ['GET', 'PUT', 'HEAD'], response_body: '{{ [webhook.method, web1] | tojson }}' }),
    ])
    const call = (method: string, path?: string) =>
      app.trigger(hook, { method, query: '?n=1', ...(path === undefined ? {} : { path }) })
    expect((await call('GET')).json).toEqual(['GET', { n: '1' }])
    expect((await app.trigger(hook, { method: 'PUT', body: { n: 2 } })).json).toEqual(['PUT', { n: 2 }])
    expect(await call('HEAD')).toMatchObject({ status: 200, text: '' })
    const unknown = '/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7'
    const [post, options, elsewhere] = [await call('POST'), await call('OPTIONS'), await call('GET', unknown)]
    expect([post, options, elsewhere].map(({ status, headers }) => [status, headers['allow']])).toEqual([
      [405, 'GET, PUT, HEAD'],
      [405, 'GET, PUT, HEAD'],
      [404, undefined],
    ])
    expect(post.json).toMatchObject({ message: 'This webhook accepts GET, PUT, HEAD, not POST' })
    expect((await app.trigger({ ...hook, token: 'x' }, { method: 'GET' })).status).toBe(401)
  })

  it.each([[[]], [['TRACE']], ['GET'], [['get']]])(
    'with the methods %j is rejected on saving',
    async (methods) => {
      const app = await startFlowApp()
      const steps = [webhook({ methods })]
      expect((await app.call('POST', '/v1/flows', { name: 'X', steps })).status).toBe(400)
    },
  )

  it('responds to a preflight for its methods', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ methods: ['PUT'], cors_origins: ['https://shop.example'] })])
    const ask = (method: string) =>
      app.trigger(hook, {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': method },
      })
    const [put, post] = [await ask('PUT'), await ask('POST')]
    expect([put.status, put.headers['access-control-allow-methods'], post.status]).toEqual([204, 'PUT', 405])
  })

  it('says on saving, and in the run, that a body that begins like JSON is none', async () => {
    const app = await startFlowApp()
    const steps = [webhook({ response_body: '{"order": {{ web1.order }}' })]
    const saved = await app.call('POST', '/v1/flows', { name: 'Cut', status: 'active', steps })
    const {
      id,
      webhook: hook,
      warnings,
    } = saved.json as {
      id: string
      webhook: { url: string; token: string }
      warnings: unknown
    }
    const caller = { token: hook.token, path: new URL(hook.url).pathname }
    const response = await app.trigger(caller, { body: { order: 7 } })
    const [run] = (await app.call('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)).json as {
      id: string
    }[]
    const full = (await app.call('GET', `/v1/flow-runs/${run?.id}`)).json
    expect({ warnings, type: response.headers['content-type'], text: response.text, full }).toMatchObject({
      warnings: [{ field: 'steps[0].config.response_body' }],
      type: 'text/plain; charset=utf-8',
      text: '{"order": 7',
      full: { status: 'success', warnings: [{ code: 'not_json' }] },
    })
  })

  it('responds with the status, headers and body of its step, based on the results of the flow', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({
        response_status_code: '{{ 201 if check.ok else 422 }}',
        response_body: '{"valid": {{ check.ok }}, "name": "{{ web1.name }}"}',
        response_headers: { 'X-Order': '{{ web1.id }}' },
      }),
      set('check', { ok: '{{ web1.total > 10 }}' }),
    ])
    const answer = await app.trigger(hook, { body: { id: 7, total: 12, name: 'He said "hi"' } })
    expect(answer).toMatchObject({
      status: 201,
      json: { valid: true, name: 'He said "hi"' },
      headers: {
        'content-type': 'application/json',
        'x-order': '7',
        ...SANDBOX,
        'cache-control': 'no-store',
      },
    })
  })

  it('sends non-ASCII text in a header as UTF-8, once', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ response_body: 'ok', response_headers: { 'X-Name': '{{ web1.name }}' } }),
    ])
    const { headers } = await app.trigger(hook, { body: { name: 'é😀' } })
    expect(Buffer.from(String(headers['x-name']), 'latin1').toString()).toBe('é😀')
  })

  it('has the run in the history before its response is sent', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_body: 'done' }), set('a', { n: '{{ web1.n + 1 }}' })])
    expect(await app.trigger(hook, { body: { n: 1 } })).toMatchObject({ status: 200, text: 'done' })
    const [run] = app.runs()
    expect(run).toMatchObject({
      flow_id: hook.flow.id,
      trigger: 'webhook',
      status: 'success',
      flow_version: 1,
      error: null,
    })
    expect(app.stepsOf(run!).map(({ ref_id, status, output }) => [ref_id, status, output])).toEqual([
      ['web1', 'success', { n: 1 }],
      ['a', 'success', { n: 2 }],
    ])
    expect(await app.requests()).toMatchObject([
      {
        flow_run_id: run!.id,
        status: 200,
        reason: null,
        method: 'POST',
        path: hook.path,
        size: 7,
        client: '127.0.0.1',
      },
    ])
  })

  it('shows a run over HTTP, with its steps', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    await app.trigger(hook, { body: { n: 1 } })
    const [run] = (await app.call('GET', `/v1/flow-runs?filter=flow_id,eq,${hook.flow.id}`)).json as {
      id: string
    }[]
    const steps = await app.call('GET', `/v1/flow-runs/${run!.id}/steps`)
    const requests = await app.call('GET', '/v1/webhook-requests')
    expect({ steps: steps.json, requests: requests.json }).toMatchObject({
      steps: [{ ref_id: 'web1', path: '1', iteration: [], flow_run_id: run!.id }],
      requests: [{ flow_run_id: run!.id }],
    })
    expect(await app.call('DELETE', `/v1/flow-runs/${run!.id}`)).toMatchObject({ status: 204 })
    expect(await app.call('GET', `/v1/flow-runs/${run!.id}`)).toMatchObject({ status: 404 })
  })

  it.each<[string, string | Uint8Array | undefined, Record<string, string>, string, unknown]>([
    [
      'JSON',
      '{"a": 1, "b": [true, null]}',
      { 'content-type': 'application/json' },
      '',
      { a: 1, b: [true, null] },
    ],
    [
      'JSON under a type of its own',
      '{"a": 1}',
      { 'content-type': 'application/vnd.api+json' },
      '',
      { a: 1 },
    ],
    ['JSON without a type', '{"a": 1}', {}, '', { a: 1 }],
    ['a JSON list', '[1, 2]', { 'content-type': 'application/json' }, '', { body: [1, 2] }],
    [
      'a large number',
      '{"n": 12345678901234567890}',
      { 'content-type': 'application/json' },
      '',
      { n: Number('12345678901234567890') },
    ],
    [
      'a form',
      'a=1&b=x+y&b=z&c[d]=%C3%BC',
      { 'content-type': 'application/x-www-form-urlencoded' },
      '',
      { a: '1', b: ['x y', 'z'], 'c[d]': 'ü' },
    ],
    ['a form without a type', 'a=1', {}, '', { a: '1' }],
    [
      'XML',
      '<order id="7"><line>a</line><line>b</line><none/></order>',
      { 'content-type': 'text/xml' },
      '',
      { order: { '@id': '7', line: ['a', 'b'], none: null } },
    ],
    ['XML of another type', '<a>1</a>', { 'content-type': 'application/xml; charset=utf-8' }, '', { a: '1' }],
    ['text', 'plain words', { 'content-type': 'text/plain' }, '', { body: 'plain words' }],
    ['no body', undefined, {}, '?a=1&b=2&b=3', { a: '1', b: ['2', '3'] }],
    ['nothing', undefined, {}, '', {}],
    [
      'body and query, where the query wins',
      '{"a": 1, "b": 1}',
      { 'content-type': 'application/json' },
      '?b=2',
      { a: 1, b: '2' },
    ],
    [
      'gzip',
      gzipSync('{"a": 1}'),
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      '',
      { a: 1 },
    ],
  ])('accepts %s', async (_name, body, headers, query, input) => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    const answer = await callHttp(app.port, {
      method: 'POST',
      path: hook.path + query,
      headers: { authorization: `Bearer ${hook.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    expect({ status: answer.status, json: answer.json }).toEqual({ status: 200, json: input })
  })

  it('keeps the files of a form, for sending them on', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    const body = [
      '--b',
      'Content-Disposition: form-data; name="note"',
      '',
      'hi',
      '--b',
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      'Content-Type: text/plain',
      '',
      'content',
      '--b--',
      '',
    ].join('\r\n')
    const answer = await app.trigger(hook, {
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    expect(answer.json).toMatchObject({
      note: 'hi',
      file: { filename: 'a.txt', content_type: 'text/plain', size: 7 },
    })
  })

  it('accepts its own token, a personal one with the scope, or none if it requires none', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    const open = await app.addFlow(ECHO, { settings: { webhook_token_enabled: false } })
    const other = await app.addFlow(ECHO)
    const issue = async (...scopes: string[]) =>
      (
        (await app.call('POST', '/v1/personal-access-tokens', { expiration: null, note: '', scopes }))
          .json as { token: string }
      ).token
    const status = async (token: string | null, path = hook.path) =>
      (
        await callHttp(app.port, {
          method: 'POST',
          path,
          headers: token === null ? {} : { authorization: token },
        })
      ).status
    expect({
      own: await status(`Bearer ${hook.token}`),
      lowerCase: await status(`bearer ${hook.token}`),
      automation: await status(`Bearer ${await issue('automation')}`),
      manage: await status(`Bearer ${await issue('automation:manage')}`),
      webhookRun: await status(`Bearer ${await issue('automation.webhook_run')}`),
      webhookRunAlone: await status(`Bearer ${await issue('webhook_run')}`),
      open: await status(null, open.path),
      openWithNonsense: await status('Bearer nonsense', open.path),
    }).toEqual({
      own: 200,
      lowerCase: 200,
      automation: 200,
      manage: 200,
      webhookRun: 200,
      webhookRunAlone: 200,
      open: 200,
      openWithNonsense: 200,
    })
    expect({
      view: await status(`Bearer ${await issue('automation:view')}`),
      connectors: await status(`Bearer ${await issue('connectors')}`),
      ofOtherFlow: await status(`Bearer ${other.token}`),
      twoSpaces: await status(`Bearer  ${hook.token}`),
      bare: await status(hook.token),
      basic: await status('Basic abc'),
      none: await status(null),
    }).toEqual({
      view: 403,
      connectors: 403,
      ofOtherFlow: 401,
      twoSpaces: 401,
      bare: 401,
      basic: 401,
      none: 401,
    })
  })

  it('rejects the old token from the moment it has another', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    expect((await app.trigger(hook)).status).toBe(200)
    await app.store.write(() => app.store.flows.setWebhookToken(hook.flow.id, { token: 'x', hash: 'x' }))
    app.services.events.emit({ type: 'updated', noun: 'flow', id: hook.flow.id })
    expect((await app.trigger(hook)).status).toBe(401)
  })

  it('returns 500 if the flow fails, and names the run', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook(), set('bad', { x: '{{ 1 / 0 }}' })])
    const answer = await app.trigger(hook)
    const [run] = app.runs()
    expect(answer).toMatchObject({
      status: 500,
      json: { status: 500, error: 'flow_error', data: { flow_run_id: run!.id } },
      headers: SANDBOX,
    })
    expect(run).toMatchObject({
      status: 'error',
      error: { code: 'template_error', ref_id: 'bad', field: 'config.values.x' },
    })
    expect(await app.requests()).toMatchObject([{ status: 500, flow_run_id: run!.id }])
  })

  it("returns 500 for a status that HTTP doesn't have", async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_status_code: '{{ web1.code }}' })])
    const answers = await Promise.all(
      ['100', '199', '1000', 'abc', ''].map((code) => app.trigger(hook, { body: { code } })),
    )
    expect(answers.map(({ status, json }) => [status, (json as { error: string }).error])).toEqual(
      answers.map(() => [500, 'flow_error']),
    )
  })

  it("returns 500 for a header that HTTP can't carry, and the run names it", async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_headers: { 'X-A': '{{ web1.text }}' } })])
    expect(await app.trigger(hook, { body: { text: 'a\r\nSet-Cookie: b=c' } })).toMatchObject({ status: 500 })
    expect(app.runs()[0]?.error).toMatchObject({ ref_id: 'web1', field: 'config.response_headers["X-A"]' })
  })

  it('responds early if a step does so, and continues', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ response_body: 'late' }),
      { ref_id: 'soon', type: 'respond', config: { status_code: 202, body: 'soon' } },
      { ref_id: 'wait', type: 'delay', config: { seconds: 0.05 } },
      set('after', { done: '{{ true }}' }),
    ])
    expect(await app.trigger(hook)).toMatchObject({ status: 202, text: 'soon' })
    const run = await app.until(({ status }) => status === 'success')
    expect(app.stepsOf(run).map(({ ref_id, status }) => [ref_id, status])).toEqual([
      ['web1', 'success'],
      ['soon', 'success'],
      ['wait', 'success'],
      ['after', 'success'],
    ])
    expect(await app.requests()).toMatchObject([{ status: 202, flow_run_id: run.id }])
  })

  it('returns 408 in time while the run continues', async () => {
    const app = await startFlowApp({ answerWithinMs: 50 })
    const isReleased = Promise.withResolvers<void>()
    const slow = await startThirdPartyApi(
      (_request, response) => void isReleased.promise.then(() => response.end('{}')),
    )
    const hook = await app.addFlow([
      webhook({ response_body: 'late' }),
      { ref_id: 'wait', type: 'rest', config: { url: slow.url } },
    ])
    const answer = await app.trigger(hook)
    const { flow_run_id: id } = (answer.json as { data: { flow_run_id: string } }).data
    expect(answer).toMatchObject({ status: 408, json: { error: 'timeout' }, headers: SANDBOX })
    expect(app.store.flowRuns.get(id)).toMatchObject({ status: 'running' })
    expect(await app.requests()).toMatchObject([{ status: 408, flow_run_id: id }])
    isReleased.resolve()
    expect(await app.until(({ status }) => status === 'success')).toMatchObject({ id })
    expect(await app.requests()).toHaveLength(1)
  })

  it('responds to pages of the origins that it lists, and to their preflight', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_body: 'hi', cors_origins: ['https://shop.example'] })])
    const ask = (origin: string) =>
      app.trigger(hook, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const [allowed, foreign] = [await ask('https://shop.example'), await ask('https://evil.example')]
    expect(allowed).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://shop.example',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization,content-type',
        ...SANDBOX,
      },
    })
    expect({ status: foreign.status, allowedOrigin: foreign.headers['access-control-allow-origin'] }).toEqual(
      { status: 405, allowedOrigin: undefined },
    )
    const called = await app.trigger(hook, { headers: { origin: 'https://shop.example' } })
    const refused = await app.trigger(
      { ...hook, token: 'x' },
      { headers: { origin: 'https://shop.example' } },
    )
    const other = await app.trigger(hook, { headers: { origin: 'https://evil.example' } })
    expect(
      [called, refused, other].map(({ status, headers }) => [
        status,
        headers['access-control-allow-origin'],
        headers.vary,
      ]),
    ).toEqual([
      [200, 'https://shop.example', 'Origin'],
      [401, 'https://shop.example', 'Origin'],
      [200, undefined, 'Origin'],
    ])
  })

  it('reads headers and raw body in addition to the input, without the token that opens it', async () => {
    const app = await startFlowApp()
    const steps = [
      webhook({
        response_body:
          '{{ [webhook.raw_body, webhook.headers["x-a"], webhook.headers.authorization | default(none)] | tojson }}',
      }),
    ]
    const [closed, open] = [
      await app.addFlow(steps),
      await app.addFlow(steps, { settings: { webhook_token_enabled: false } }),
    ]
    const call = { body: '{"a":1}', headers: { 'x-a': 'yes' } }
    expect((await app.trigger(closed, call)).json).toEqual(['{"a":1}', 'yes', null])
    expect((await app.trigger({ ...open, token: 'mine' }, call)).json).toEqual([
      '{"a":1}',
      'yes',
      'Bearer mine',
    ])
  })
})

describe('a webhook rejects', () => {
  it('every other URL', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    const none = await app.addFlow([set('a', {})])
    const off = await app.addFlow([{ ...webhook(), disabled: true }])
    const paths = ['/', '/more', '%20', '//', '/../x', ';a=1'].map((end) => hook.path + end)
    const altered = [
      ...paths,
      hook.path.replace('/v1/flow-webhook/', '/v1/flow-webhook//'),
      hook.path.toUpperCase().replace('/V1/FLOW-WEBHOOK', '/v1/flow-webhook'),
      '/v1/flow-webhook',
      '/v1/flow-webhook/',
      '/v1/flow-webhook/nope',
      none.path,
      off.path,
    ]
    for (const path of altered) {
      const answer = await app.trigger(hook, { path })
      expect({
        path,
        status: answer.status,
        error: (answer.json as { error: string }).error,
        securityPolicy: answer.headers['content-security-policy'],
      }).toEqual({ path, status: 404, error: 'not_found', securityPolicy: 'sandbox' })
    }
    expect(app.runs()).toEqual([])
  })

  it('every other method', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      const answer = await app.trigger(hook, { method })
      expect({ method, status: answer.status, allow: answer.headers.allow }).toEqual({
        method,
        status: 405,
        allow: 'POST',
      })
      expect(answer.headers).toMatchObject(SANDBOX)
    }
  })

  it('a paused flow with the exact specified response, stores nothing of the request and counts it', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO, { status: 'paused' })
    const body = {
      status: 200,
      error: 'biz_logic',
      message: 'Flow status is `paused`. Unpause to run this flow using a webhook',
      data: null,
    }
    const answer = await app.trigger(hook, {
      body: 'not even <parsed',
      headers: { 'content-type': 'application/json' },
    })
    expect({ status: answer.status, text: answer.text, headers: answer.headers }).toMatchObject({
      status: 200,
      text: JSON.stringify(body),
      headers: SANDBOX,
    })
    expect((await app.trigger({ ...hook, token: 'x' })).status).toBe(401)
    await app.trigger(hook)
    expect(app.runs()).toEqual([])
    expect((await app.requests()).map(({ status }) => status)).toEqual([401])
    expect((await app.call('GET', '/v1/webhook-requests/paused')).json).toMatchObject([
      { flow_id: hook.flow.id, count: 2 },
    ])
  })

  it('a body that is too large, announced or not', async () => {
    const app = await startFlowApp({ settings: { webhook_body_limit_bytes: 2_000 } })
    const hook = await app.addFlow(ECHO)
    const body = JSON.stringify({ a: 'x'.repeat(3_000) })
    const announced = await app.trigger(hook, { body })
    const chunked = await app.trigger(hook, { body, headers: { 'transfer-encoding': 'chunked' } })
    const bomb = await app.trigger(hook, { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } })
    const refusals = [announced, chunked, bomb]
    expect(refusals.map(({ status, json }) => [status, (json as { error: string }).error])).toEqual(
      refusals.map(() => [413, 'too_large']),
    )
    expect((announced.json as { message: string }).message).toContain('larger than the limit of 2000 bytes')
    // The size that the caller announced; of a chunked body, what was read of it.
    const [sizeOfBomb, sizeOfChunked = 0, sizeOfAnnounced] = (await app.requests()).map(({ size }) => size)
    expect([sizeOfBomb, sizeOfChunked > 2_000, sizeOfAnnounced]).toEqual([
      gzipSync(body).length,
      true,
      body.length,
    ])
  })

  it.each<[string, string | Uint8Array, Record<string, string>, number]>([
    ['broken JSON', '{"a": ', { 'content-type': 'application/json' }, 400],
    [
      'JSON that is nested too deeply',
      '['.repeat(100) + ']'.repeat(100),
      { 'content-type': 'application/json' },
      400,
    ],
    ['broken XML', '<a><b></a>', { 'content-type': 'text/xml' }, 400],
    [
      'XML with a document type',
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      { 'content-type': 'application/xml' },
      400,
    ],
    ['multipart without its boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    [
      'bytes that are no UTF-8',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      { 'content-type': 'application/json' },
      400,
    ],
    ['an unknown charset', 'abc', { 'content-type': 'text/plain; charset=nonsense' }, 415],
    ['an unknown encoding', 'abc', { 'content-encoding': 'zip' }, 415],
    ['data that does not decompress', 'abc', { 'content-encoding': 'gzip' }, 400],
  ])('%s', async (_name, body, headers, status) => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ECHO)
    const answer = await callHttp(app.port, {
      method: 'POST',
      path: hook.path,
      headers: { authorization: `Bearer ${hook.token}`, ...headers },
      body,
    })
    expect({ status: answer.status, securityPolicy: answer.headers['content-security-policy'] }).toEqual({
      status,
      securityPolicy: 'sandbox',
    })
    expect(await app.requests()).toMatchObject([
      {
        status,
        flow_id: hook.flow.id,
        flow_run_id: null,
        reason: (answer.json as { message: string }).message,
      },
    ])
    expect(app.runs()).toEqual([])
  })

  it('requests above the limit of one IP address across all flows, also after a restart', async () => {
    const app = await startFlowApp({
      settings: { webhook_rate_limit_requests: 5, webhook_rate_limit_seconds: 300 },
    })
    const [one, two] = [await app.addFlow(ECHO), await app.addFlow(ECHO)]
    const statuses = [
      (await app.trigger(one)).status,
      (await app.trigger(two)).status,
      (await app.trigger({ ...one, token: 'x' })).status,
      (await app.trigger({ ...two, token: 'y' })).status,
      (await app.trigger(one, { headers: { 'x-forwarded-for': '9.9.9.9' } })).status,
    ]
    const over = await app.trigger(two)
    expect(statuses).toEqual([200, 200, 401, 401, 200])
    expect(over).toMatchObject({ status: 429, json: { error: 'rate_limit' }, headers: SANDBOX })
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
    expect(over.headers).toMatchObject({
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': over.headers['retry-after'],
      'ratelimit-policy': '"webhook";q=5;w=300',
      ratelimit: `"webhook";r=0;t=${over.headers['retry-after']}`,
    })
    expect((await app.trigger(one, { method: 'GET' })).status).toBe(405)
    const refused = await app.requests()
    expect(refused.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  it('nothing below the limit, but says on every response how much is left', async () => {
    const app = await startFlowApp({
      settings: { webhook_rate_limit_requests: 10, webhook_rate_limit_seconds: 300 },
    })
    const hook = await app.addFlow(ECHO)
    const answers = [
      await app.trigger(hook),
      await app.trigger({ ...hook, token: 'x' }),
      await app.trigger(hook, { path: '/v1/flow-webhook/3d0e6a34-3c52-4b0d-9a53-0f2b7d1c9e77' }),
    ]
    const open = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
    const unlimited = await open.trigger(await open.addFlow(ECHO))
    expect({
      limits: answers.map(({ status, headers }) => [
        status,
        headers['ratelimit'],
        headers['ratelimit-policy'],
      ]),
      unlimited: [unlimited.status, unlimited.headers['ratelimit']],
    }).toEqual({
      limits: [
        [200, expect.stringMatching(/^"webhook";r=9;t=(?:300|[12]?\d{1,2})$/), '"webhook";q=10;w=300'],
        [401, expect.stringMatching(/^"webhook";r=8;t=(?:300|[12]?\d{1,2})$/), '"webhook";q=10;w=300'],
        [404, expect.stringMatching(/^"webhook";r=9;t=(?:300|[12]?\d{1,2})$/), '"webhook";q=10;w=300'],
      ],
      unlimited: [200, undefined],
    })
  })

  it('in the contract’s order: URL, method, rate, flow, caller, size, format', async () => {
    const app = await startFlowApp({
      settings: { webhook_body_limit_bytes: 1_024, webhook_rate_limit_requests: 4 },
    })
    const hook = await app.addFlow(ECHO)
    const paused = await app.addFlow(ECHO, { status: 'paused' })
    const bad = {
      body: '{'.repeat(2_000),
      headers: { 'content-type': 'application/json', 'content-encoding': 'zip' },
    }
    expect(
      (await app.trigger({ ...hook, token: 'x' }, { ...bad, method: 'PUT', path: `${hook.path}/x` })).status,
    ).toBe(404)
    expect((await app.trigger({ ...hook, token: 'x' }, { ...bad, method: 'PUT' })).status).toBe(405)
    expect((await app.trigger({ ...hook, token: 'x' }, bad)).status).toBe(401)
    expect((await app.trigger(paused, bad)).status).toBe(200)
    expect((await app.trigger(hook, bad)).status).toBe(413)
    expect((await app.trigger(hook, { ...bad, body: '{' })).status).toBe(415)
    expect(
      (
        await app.trigger(
          { ...hook, token: 'x' },
          { path: '/v1/flow-webhook/00000000-0000-4000-8000-000000000000' },
        )
      ).status,
    ).toBe(404)
    expect((await app.trigger({ ...hook, token: 'x' })).status).toBe(429)
  })

  it("requests to flows that don't exist in a separate window", async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: 2 } })
    const hook = await app.addFlow(ECHO)
    const nowhere = { path: '/v1/flow-webhook/00000000-0000-4000-8000-000000000000' }
    const guesses = [
      await app.trigger(hook, nowhere),
      await app.trigger(hook, nowhere),
      await app.trigger(hook, nowhere),
    ]
    expect(guesses.map(({ status }) => status)).toEqual([404, 404, 429])
    const calls = [await app.trigger(hook), await app.trigger(hook), await app.trigger(hook)]
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 429])
  })
})

describe('an asynchronous webhook', () => {
  it('responds at once, and runs', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ async: true, response_body: 'not used' }),
      set('a', { n: '{{ web1.n }}' }),
    ])
    const answer = await app.trigger(hook, { body: { n: 5 } })
    expect(answer).toMatchObject({
      status: 200,
      text: 'null',
      headers: { 'content-type': 'application/json', ...SANDBOX },
    })
    const run = await app.until(({ status }) => status === 'success')
    expect(app.stepsOf(run).map(({ ref_id, output }) => [ref_id, output])).toEqual([
      ['web1', { n: 5 }],
      ['a', { n: 5 }],
    ])
    expect(await app.requests()).toMatchObject([{ status: 200, flow_run_id: run.id }])
  })

  it('is stored once, however many of its steps pass it on', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ async: true }), set('a', { n: '{{ web1.text | length }}' })])
    const body = { text: randomBytes(20_000).toString('hex') }
    await app.trigger(hook, { body })
    const { id } = await app.until(({ status }) => status === 'success')
    const kept = app.store.runStates.of(id).join('')
    expect({
      places: kept.split(body.text).length - 1,
      results: app.services.flowRuns.resultsOf(id),
    }).toEqual({
      places: 2, // This includes the body that it came in.
      results: { web1: body, a: { n: 40_000 } },
    })
  })

  it('runs in the order of acceptance, no more at a time than configured', async () => {
    const app = await startFlowApp({ settings: { concurrent_runs: 1 } })
    const hook = await app.addFlow([
      webhook({ async: true }),
      { ref_id: 'wait', type: 'delay', config: { seconds: 0.01 } },
    ])
    for (let n = 0; n < 6; n++) await app.trigger(hook, { body: { n } })
    await app.until(() => app.runs().length === 6 && app.runs().every(({ status }) => status === 'success'))
    const oldestFirst = app.runs().toReversed()
    const inputs = oldestFirst.map((run) => app.stepsOf(run)[0]?.output)
    const finished = oldestFirst.map(({ finished_at: at }) => Date.parse(at ?? ''))
    expect({ inputs, finished }).toEqual({
      inputs: [0, 1, 2, 3, 4, 5].map((n) => ({ n })),
      finished: finished.toSorted((a, b) => a - b),
    })
  })
})

it('keeps no bearer and no secret in the history or the list of requests', async () => {
  const app = await startFlowApp()
  const steps = [
    webhook({ response_body: '{{ web1.token }}' }),
    set('copy', {
      token: '{{ web1.token }}',
      inside: 'Basic {{ ("user:" ~ web1.token) }}',
      url: 'http://x/?t={{ web1.token | urlencode }}',
    }),
  ]
  const hook = await app.addFlow(steps)
  const { token } = (
    await app.call('POST', '/v1/personal-access-tokens', {
      expiration: null,
      note: '',
      scopes: ['automation'],
    })
  ).json as { token: string }
  for (const secret of [hook.token, token]) {
    const answer = await app.trigger(
      { ...hook, token: secret },
      { body: { token: secret }, query: `?also=${secret}` },
    )
    expect(answer.text).toBe(secret)
  }
  const shown = JSON.stringify([
    app.runs(),
    app.runs().map((run) => app.stepsOf(run)),
    await app.requests(),
    app.logged,
  ])
  expect(shown).toContain('***')
  for (const secret of [hook.token, token]) expect(shown).not.toContain(secret)
  expect(session.authorization).not.toBe('')
})
