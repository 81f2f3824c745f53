import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { SaveWarning } from '../../../src/shared/contract/base/save-warnings.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const SECRET = 'a secret of the sender'
const github = { scheme: 'github', secret: '{{ shop_secret }}' }
const webhook = (config: object): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config: { signature: github, ...config },
})
const OPEN = { settings: { webhook_token_enabled: false } }

async function startSignedApp(options: Parameters<typeof startFlowApp>[0] = {}): Promise<FlowApp> {
  const app = await startFlowApp(options)
  await app.call('POST', '/v1/env-variables', {
    name: 'shop_secret',
    type: 'text',
    value: SECRET,
    secret: true,
  })
  return app
}

/** As GitHub sends it. */
function deliver(app: FlowApp, hook: Hook, id: string, body = '{"n": 1}', secret = SECRET) {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return app.trigger(hook, {
    body,
    headers: { 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${signature}` },
  })
}

describe('a webhook that asks for signatures', () => {
  it('runs signed requests, rejects and lists the others, and shows no secret', async () => {
    const app = await startSignedApp()
    const hook = await app.addFlow([webhook({ response_body: 'ran' })], OPEN)
    const good = await deliver(app, hook, '1')
    const forged = await deliver(app, hook, '2', '{"n": 1}', 'guessed')
    const unsigned = await app.trigger(hook, { body: { n: 1 } })
    expect({ good, forged, unsigned }).toMatchObject({
      good: { status: 200, text: 'ran' },
      forged: {
        status: 401,
        json: { error: 'unauthorized', message: "The signature doesn't match the body and the secret" },
      },
      unsigned: { status: 401, json: { message: 'The signature is missing: X-Hub-Signature-256' } },
    })
    expect(app.runs().length).toBe(1)
    const listed = await app.requests()
    expect(listed.map(({ status, reason }) => [status, reason])).toEqual([
      [401, 'The signature is missing: X-Hub-Signature-256'],
      [401, "The signature doesn't match the body and the secret"],
      [200, null],
    ])
    expect(JSON.stringify([listed, app.runs(), app.runs().map((run) => app.stepsOf(run))])).not.toContain(
      SECRET,
    )
  })

  it.each([true, false])(
    'returns the earlier response to a repeated delivery, and runs nothing (asynchronous: %s)',
    async (async) => {
      const dataDir = temporaryFolder()
      const app = await startSignedApp({ dataDir })
      const hook = await app.addFlow(
        [
          webhook({
            async,
            response_status_code: 201,
            response_body: '{"at": {{ now() | tojson }}}',
            response_headers: { 'X-Shop': 'a' },
          }),
        ],
        OPEN,
      )
      const [first, second] = [await deliver(app, hook, '1'), await deliver(app, hook, '1')]
      const other = await deliver(app, hook, '2')
      const counted = app.runs().length
      app.services.runtime.beginStop()
      await app.services.runtime.stop({ graceMs: 1_000 })
      app.store.close()
      const later = await startFlowApp({ dataDir })
      const third = await deliver(later, hook, '1')
      const told = [first, second, third].map(({ status, text, headers }) => [
        status,
        text,
        headers['x-shop'],
      ])
      expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1)
      expect({ first: first.status, other: other.status, counted, runs: later.runs().length }).toEqual({
        first: async ? 200 : 201,
        other: async ? 200 : 201,
        counted: 2,
        runs: 2,
      })
      expect((await later.requests())[0]).toMatchObject({
        reason: "Duplicate delivery: it got the first response again, and the flow didn't run twice",
        flow_run_id: null,
      })
    },
  )

  it('lets a delivery that is repeated while it runs wait for the same response', async () => {
    const app = await startSignedApp()
    const waiting: (() => void)[] = []
    const api = await startThirdPartyApi((_request, response) => void waiting.push(() => response.end('{}')))
    const hook = await app.addFlow(
      [webhook({ response_body: 'once' }), { ref_id: 'call', type: 'rest', config: { url: api.url } }],
      OPEN,
    )
    const first = deliver(app, hook, '1')
    while (waiting.length === 0) await app.store.write(() => undefined)
    const second = deliver(app, hook, '1')
    await app.call('GET', '/v1/flows')
    for (const answer of waiting) answer()
    expect({
      first: (await first).text,
      second: (await second).text,
      runs: app.runs().length,
      waiting: waiting.length,
    }).toEqual({ first: 'once', second: 'once', runs: 1, waiting: 1 })
  })

  it('runs a delivery again if its run failed', async () => {
    const app = await startSignedApp()
    const hook = await app.addFlow(
      [webhook({}), { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'not yet' } }],
      OPEN,
    )
    expect({
      first: (await deliver(app, hook, '1')).status,
      again: (await deliver(app, hook, '1')).status,
    }).toEqual({ first: 500, again: 500 })
    expect(app.runs().length).toBe(2)
  })

  it("says on saving, and in its 401, that callers who only sign can't send the token", async () => {
    const app = await startSignedApp()
    const steps = [webhook({ response_body: 'ran' })]
    const made = (await app.call('POST', '/v1/flows', { name: 'Signed', steps })).json as Flow
    const id = made.id
    const refused = await callHttp(app.port, { method: 'POST', path: `/v1/flow-webhook/${id}`, body: '{}' })
    const opened = await app.call('PUT', `/v1/flows/${id}`, { settings: { webhook_token_enabled: false } })
    const closed = await app.call('PUT', `/v1/flows/${id}`, { settings: { webhook_token_enabled: true } })
    const renamed = await app.call('PUT', `/v1/flows/${id}`, { name: 'Other' })
    const codes = ({ json }: { json: unknown }) =>
      (json as { warnings?: SaveWarning[] }).warnings?.map(({ code, field }) => [code, field]) ?? []
    const told = [['signed_and_token', 'settings.webhook_token_enabled']]
    expect([{ json: made }, opened, closed, renamed].map(codes)).toEqual([told, [], told, []])
    expect(refused).toMatchObject({
      status: 401,
      json: { message: expect.stringContaining('turn the token off') },
    })
  })

  it('checks a signature over the URL with the public URL, or the host that was called, and says which', async () => {
    const app = await startSignedApp()
    const signature = { scheme: 'square', secret: '{{ shop_secret }}' }
    const hook = await app.addFlow([webhook({ signature, response_body: 'ran' })], OPEN)
    const path = `${hook.path}?a=%20b`
    const send = async (origin: string) => {
      const value = createHmac('sha256', SECRET).update(`${origin}${path}{}`).digest('base64')
      const headers = { host: 'hooks.example', 'x-square-hmacsha256-signature': value }
      const { status, json } = await callHttp(app.port, { method: 'POST', path, body: '{}', headers })
      return status === 200 ? status : (json as { message: string }).message
    }
    const before = [await send('https://hooks.example'), await send('https://public.example/base')]
    await app.call('PUT', '/v1/settings', { public_url: 'https://public.example/base/' })
    const after = [
      await send('https://public.example/base'),
      await send('https://public.example:443/base'),
      await send('https://hooks.example:443'),
      await send('http://hooks.example'),
      await send('https://elsewhere.example'),
    ]
    const told = (url: string) =>
      `The signature doesn't match the body, the secret and the URL ${url}; if the service calls another URL, set it as the public URL in the settings`
    expect({ before, after }).toEqual({
      before: [200, told(`https://hooks.example${path}`)],
      after: [200, 200, 200, 200, told(`https://public.example/base${path}`)],
    })
  })

  it('takes the secret only from an env variable, and says so if it is missing', async () => {
    const app = await startFlowApp()
    const save = async (signature: object) => {
      const { json, status } = await app.call('POST', '/v1/flows', {
        name: 'Signed',
        steps: [webhook({ signature })],
      })
      return status === 201 ? status : (json as { data: object }).data
    }
    expect([
      await save({ scheme: 'github', secret: 'in plain sight' }),
      await save({ scheme: 'hmac', secret: '{{ playground_url }}' }),
      await save({ scheme: 'gitlib', secret: '{{ playground_url }}' }),
      await save({ scheme: 'github', secret: '{{ nowhere }}' }),
      await save({ scheme: 'github', secret: '{{ playground_url }}' }),
    ]).toMatchObject([
      { 'steps[0].config.signature.secret': [expect.stringContaining('store it in a secret variable')] },
      { 'steps[0].config.signature.header': [expect.stringContaining('is required')] },
      { 'steps[0].config.signature.scheme': [expect.anything()] },
      { 'steps[0].config.signature.secret': [expect.stringContaining('nowhere')] },
      201,
    ])
    const hook = await app.addFlow([webhook({})], OPEN)
    expect(await deliver(app, hook, '1')).toMatchObject({ status: 500, json: { error: 'flow_error' } })
    expect(app.runs()).toEqual([])
  })
})
