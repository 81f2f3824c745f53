import type { ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../../src/shared/contract/base/limits.ts'
import type { Forward } from '../../../src/shared/contract/reach/forwards.ts'
import type { WebhookRequestDetail } from '../../../src/shared/contract/webhooks.ts'
import { createProgramSender } from '../../../src/main/services/reaching/sending/to-program.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { sendBytes } from '../../helpers/http.ts'
import {
  anOddRequest,
  aProgram,
  aRecorder,
  asArriving,
  closedAtEnd,
  sendOdd,
} from '../../helpers/odd-requests.ts'
import { randomFrom } from '../../helpers/random.ts'
import { PROXY_CERTIFICATE, PROXY_KEY } from '../../helpers/tls-proxy.ts'

const OPEN = { settings: { webhook_token_enabled: false } }
const HOOK = {
  ref_id: 'web1',
  type: 'webhook',
  config: { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
}
const ANSWERS = { ref_id: 'answer', type: 'set', config: { values: { by: 'flow' } } }

async function forwarding(app: FlowApp, hook: Hook, forward: Partial<Forward>): Promise<void> {
  const answer = await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, forward)
  expect(answer).toMatchObject({ status: 200 })
}

/** The newest request, once it has been sent as often as this. */
async function newest(app: FlowApp, attempts = 1): Promise<WebhookRequestDetail> {
  for (;;) {
    const [latest] = await app.requests()
    const { json } = await app.call('GET', `/v1/webhook-requests/${latest?.id ?? ''}`)
    const detail = json as WebhookRequestDetail
    if (latest !== undefined && detail.attempts.length >= attempts) return detail
    await wait(5)
  }
}

const shown = ({ request, attempts, answer }: WebhookRequestDetail) => ({
  status: request.status,
  reason: request.reason,
  answer: answer?.body,
  ran: request.flow_run_id !== null,
  attempts: attempts.map((one) => ({
    kind: one.kind,
    status: one.status,
    error: one.error,
    body: one.body,
    answered: one.answered_caller,
  })),
})

describe('a forward', () => {
  it('passes on each request as the bytes that came, and its answer back', async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: `${program.url}/in` })
    const random = randomFrom(20)
    for (let count = 1; count <= 200; count++) {
      const odd = anOddRequest(random, count % 20 === 0 ? 300_000 : 5_000)
      const { status, headers, body } = await sendOdd(app.port, hook.path, odd)
      expect(program.arrived.pop()).toEqual(asArriving(odd, `127.0.0.1:${program.port}`, '/in'))
      expect({ status, body: body.toString(), own: headers.filter((name) => name === 'X-Program') }).toEqual({
        status: 201,
        body: '#1',
        own: ['X-Program', 'X-Program'],
      })
    }
  })

  it('streams a body that is too large for the flow, which does not run', async () => {
    const app = await startFlowApp({ settings: { webhook_body_limit_bytes: 1_000_000 } })
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    const body = Buffer.alloc(12_000_000, 'large ')
    for (const framing of [
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', String(body.length)],
    ]) {
      const odd = { method: 'POST', query: '', headers: framing, body }
      expect((await sendOdd(app.port, hook.path, odd)).status).toBe(201)
      expect(program.arrived.pop()).toEqual(asArriving(odd, `127.0.0.1:${program.port}`, '/'))
      const detail = await newest(app)
      expect({ ...shown(detail), size: detail.request.size }).toMatchObject({
        status: 201,
        ran: false,
        size: body.length,
        reason: "The body is larger than the flow reads: it was forwarded, and the flow didn't run",
      })
    }
  })

  it('keeps the answer of each attempt, and runs the flow', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK, ANSWERS], OPEN)
    await forwarding(app, hook, { url: program.url })
    await app.trigger(hook, { body: { id: 1 } })
    await app.until((run) => run.status === 'success')
    expect(shown(await newest(app))).toEqual({
      status: 201,
      reason: null,
      answer: '#1',
      ran: true,
      attempts: [
        {
          kind: 'forward',
          status: 201,
          error: null,
          body: '#1',
          answered: true,
        },
      ],
    })
    const { json } = await app.call('GET', '/v1/webhook-requests')
    expect(json).toMatchObject([{ forwarded: { status: 201, error: null, answered_caller: true } }])
  })

  it('says 502 if nobody listens, and 504 if the program does not answer in time', async () => {
    const app = await startFlowApp({ answerWithinMs: 300 })
    const silent = closedAtEnd(await aProgram(() => {}))
    const closed = await aRecorder()
    await closed.close()
    const hook = await app.addFlow([HOOK], OPEN)
    const answers: unknown[] = []
    for (const { url, port } of [closed, silent]) {
      await forwarding(app, hook, { url })
      const { status, json } = await app.trigger(hook, { body: { id: 1 } })
      const { error, message } = json as { error: string; message: string }
      answers.push({ status, error, message: message.replace(String(port), 'PORT') })
      answers.push(shown(await newest(app)).ran)
    }
    expect(answers).toEqual([
      {
        status: 502,
        error: 'bad_gateway',
        message:
          'Nobody listens on 127.0.0.1:PORT: start the program, or change the URL that the webhook forwards to',
      },
      false,
      {
        status: 504,
        error: 'gateway_timeout',
        message: "127.0.0.1:PORT hasn't responded within 0 seconds",
      },
      false,
    ])
  })

  it('lets the flow, the program, the first of both or a fixed response answer', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const slow = closedAtEnd(await aProgram(() => {}))
    const failing = closedAtEnd(await aProgram((_, response) => response.destroy()))
    const sync = { ...HOOK, config: { ...HOOK.config, async: false, response_body: '{{ answer.by }}' } }
    const stuck = { ref_id: 'later', type: 'wait', config: { seconds: 3_600 } }
    const fixed = { status: 418, headers: { 'x-fixed': '1' }, body: 'short and stout' }
    const answerOf = async (steps: (typeof HOOK)[], forward: Partial<Forward>) => {
      const hook = await app.addFlow(steps, OPEN)
      await forwarding(app, hook, forward)
      const { status, text } = await app.trigger(hook, { body: { id: 1 } })
      return `${status} ${text.slice(0, 30)}`
    }
    const flow = [sync, ANSWERS] as (typeof HOOK)[]
    expect({
      flow: await answerOf(flow, { url: program.url, respond: 'flow' }),
      program: await answerOf(flow, { url: program.url, respond: 'program' }),
      fixed: await answerOf(flow, { url: program.url, respond: 'fixed', fixed }),
      'first: the flow': await answerOf(flow, { url: slow.url, respond: 'first' }),
      'first: the flow, without a program': await answerOf(flow, { url: failing.url, respond: 'first' }),
      'first: the program': await answerOf([sync, stuck] as (typeof HOOK)[], {
        url: program.url,
        respond: 'first',
      }),
      off: await answerOf(flow, { url: program.url, enabled: false }),
    }).toEqual({
      flow: '200 flow',
      program: expect.stringMatching(/^201 #\d$/),
      fixed: '418 short and stout',
      'first: the flow': '200 flow',
      'first: the flow, without a program': '200 flow',
      'first: the program': expect.stringMatching(/^201 #\d$/),
      off: '200 flow',
    })
  })

  it('forwards what its methods and its filter let through', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, {
      url: `${program.url}/?fixed=1`,
      methods: ['POST'],
      filter: '{{ web1.type == "paid" and webhook.headers["x-kind"] == "a" }}',
    })
    const headers = { 'x-kind': 'a' }
    await app.trigger(hook, { body: { type: 'paid' }, headers, query: '?q=1' })
    await app.trigger(hook, { body: { type: 'open' }, headers })
    await app.trigger(hook, { body: { type: 'paid' } })
    await app.trigger(hook, { body: { type: 'paid' }, headers, method: 'PUT' })
    expect(program.arrived.map(({ url }) => url)).toEqual(['/?fixed=1&q=1'])
  })

  it('does not pass on what opens Millrace', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK])
    await forwarding(app, hook, { url: program.url, keep_host: true })
    await app.trigger(hook, {
      body: {},
      query: `?a=1&token=${hook.token}&token=other`,
      headers: { host: 'a.example' },
    })
    const [request] = program.arrived
    expect({ url: request?.url, headers: request?.headers.join('\n').includes(hook.token) }).toEqual({
      url: '/?a=1&token=other',
      headers: false,
    })
    expect(request?.headers).toContain('a.example')
  })

  it('drops what a program must not say on behalf of Millrace', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(
      await aProgram((_, response) =>
        response
          .writeHead(200, {
            'set-cookie': 'a=1',
            'content-security-policy': 'default-src *',
            'clear-site-data': '"*"',
            'x-own': '1',
            'cache-control': 'max-age=5',
            'content-type': 'text/html',
          })
          .end('<b>'),
      ),
    )
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    const { headers, text } = await app.trigger(hook, { body: {} })
    expect({ ...headers, text }).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      text: '<b>',
      'x-own': '1',
      'cache-control': 'max-age=5',
      'content-type': 'text/html',
    })
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['set-cookie', 'clear-site-data']))
  })

  it('refuses and leaves out headers of a fixed or manual answer that would act on the page of Millrace', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    const headers = {
      'Content-Security-Policy': 'default-src *',
      'set-cookie': 'a=1',
      'service-worker-allowed': '/',
      'transfer-encoding': 'chunked',
      'x-own': 'ä',
      'content-type': 'text/html',
    }
    const refused = await Promise.all(
      Object.entries(headers).map(async ([name, value]) => {
        const fixed = { status: 200, headers: { [name]: value }, body: '<b>' }
        const body = { url: program.url, respond: 'fixed', fixed }
        return (await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, body)).status
      }),
    )
    await app.call('PUT', `/v1/flows/${hook.flow.id}/hold`, { what: 'next' })
    const sent = app.trigger(hook, { body: {} })
    let held: { id: string } | undefined
    while (held === undefined) {
      const { json } = await app.call('GET', '/v1/webhook-holds')
      held = (json as { held: { id: string }[] }).held[0]
      await wait(5)
    }
    await app.call('POST', `/v1/webhook-holds/${held.id}/answer`, { status: 200, headers, body: '<b>' })
    const { headers: given, text: body } = await sent
    expect({ refused, body, names: Object.keys(given).filter((name) => name in headers) }).toEqual({
      refused: [400, 400, 400, 400, 200, 200],
      body: '<b>',
      names: ['x-own', 'content-type'],
    })
    expect(given['content-security-policy']).toBe('sandbox')
  })

  it('serves others after many callers have hung up, and after answers that are not HTTP', async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
    const begun = new Set<Socket>()
    const program = closedAtEnd(
      await aProgram((request, response) => {
        if (request.url === '/odd') request.socket.end('HTTP/1.1 042 Odd\r\n\r\n')
        else if (request.url === '/slow') begun.add(request.socket)
        else response.end('well')
      }),
    )
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: `${program.url}/odd` })
    const odd = await app.trigger(hook, { body: {} })
    await forwarding(app, hook, { url: `${program.url}/slow` })
    for (let count = 0; count < 105; count++) {
      const caller = connect(app.port, '127.0.0.1')
      caller.write(`GET ${hook.path} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n\r\n`)
      while (begun.size === 0) await wait(1)
      const [socket] = begun
      begun.clear()
      const gone = once(caller, 'close')
      caller.destroy()
      await gone
      const ended = once(socket as Socket, 'close')
      socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlate')
      await ended
    }
    await forwarding(app, hook, { url: `${program.url}/fast` })
    const { status, text: last } = await app.trigger(hook, { body: {} })
    expect({ odd: odd.status, status, last }).toEqual({ odd: 502, status: 200, last: 'well' })
  })

  it('keeps the session of the page from flows and programs', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    await app.trigger(hook, { body: {}, headers: { cookie: 'a=1; __Host-millrace=secret; b=2' } })
    await app.trigger(hook, { body: {}, headers: { cookie: '__Host-millrace=secret' } })
    const { received } = await newest(app)
    expect({
      arrived: program.arrived.map(({ headers }) => headers.filter((line) => /millrace|a=1/.test(line))),
      kept: JSON.stringify(received).includes('millrace='),
    }).toEqual({ arrived: [['a=1; b=2'], []], kept: false })
  })

  it('keeps requests while nobody listens, and sends them in order once somebody does', async () => {
    const app = await startFlowApp()
    const place = await aRecorder()
    await place.close()
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: place.url, keep_when_closed: true })
    const answers = []
    for (const id of [1, 2, 3]) answers.push(await app.trigger(hook, { query: `?id=${id}`, body: { id } }))
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      [1, 2, 3].map(() => [202, '{"kept":true}']),
    )
    const state = await app.call('GET', `/v1/flows/${hook.flow.id}/forward`)
    expect(state.json).toMatchObject({ waiting: 3 })
    const program = closedAtEnd(await aRecorder(place.port))
    const detail = await newest(app, 1)
    expect(shown(detail)).toMatchObject({ status: 202, ran: true })
    expect(program.arrived.map(({ url }) => url)).toEqual(['/?id=1', '/?id=2', '/?id=3'])
    expect((await app.call('GET', `/v1/flows/${hook.flow.id}/forward`)).json).toMatchObject({ waiting: 0 })
  })

  it('says 502 while its program has not answered a hundred, and calls other programs', async () => {
    const app = await startFlowApp({
      settings: { webhook_rate_limit_requests: null },
      answerWithinMs: 60_000,
    })
    const waiting: ServerResponse[] = []
    const slow = closedAtEnd(await aProgram((_, response) => void waiting.push(response)))
    const other = closedAtEnd(await aRecorder())
    const [busy, idle] = [await app.addFlow([HOOK], OPEN), await app.addFlow([HOOK], OPEN)]
    await forwarding(app, busy, { url: slow.url })
    await forwarding(app, idle, { url: other.url })
    const sent = Array.from({ length: 100 }, () => app.trigger(busy, { body: {} }))
    while (waiting.length < 100) await wait(5)
    const [over, beside] = [await app.trigger(busy, { body: {} }), await app.trigger(idle, { body: {} })]
    for (const response of waiting) response.end('late')
    expect({
      over: [over.status, over.text.includes("hasn't responded to 100 requests yet")],
      beside: beside.status,
      statuses: new Set((await Promise.all(sent)).map(({ status }) => status)),
    }).toEqual({ over: [502, true], beside: 201, statuses: new Set([200]) })
  })

  it('ends a response that never ends', async () => {
    const drip = closedAtEnd(
      await aProgram((_, response) => {
        const timer = setInterval(() => response.write('.'), 5)
        response.once('close', () => clearInterval(timer))
      }),
    )
    const programs = createProgramSender(() => new Set(), 100)
    const call = {
      url: new URL(drip.url),
      method: 'GET',
      target: '/',
      headers: ['Host', 'a'],
      body: Buffer.alloc(0),
    }
    const { body } = await programs.send({ ...call, withinMs: 60_000 })
    await expect(text(body)).rejects.toThrow('The response took too long')
  })

  it('hides secrets in what is kept of a response, also one that is cut off with it', async () => {
    const app = await startFlowApp()
    const secret = 'sk_live_very_secret'
    await app.call('POST', '/v1/env-variables', { name: 'key', type: 'text', value: secret, secret: true })
    const begun = 'x'.repeat(LIMITS.attemptBodyBytes - 14)
    const program = closedAtEnd(
      await aProgram((_, response) =>
        response.writeHead(201, { location: '/next?access_token=abc&page=2' }).end(`${begun}${secret}`),
      ),
    )
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: `${program.url}/in?token=abc` })
    await app.trigger(hook, { body: {} })
    const { attempts } = await newest(app)
    expect(attempts.map(({ url, headers, body }) => ({ url, location: headers['location'], body }))).toEqual([
      {
        url: `${program.url}/in?token=***`,
        location: '/next?access_token=***&page=2',
        body: expect.stringMatching(/^x+$/) as string,
      },
    ])
  })

  it('keeps at most 1,000 requests, 100 MB of them, and each for 24 hours', async () => {
    const at = { now: Date.now() }
    const app = await startFlowApp({
      clock: { now: () => at.now, monotonic: () => performance.now() },
      settings: { webhook_rate_limit_requests: null, webhook_body_limit_bytes: 104_857_600 },
    })
    const place = await aRecorder()
    await place.close()
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: place.url, keep_when_closed: true })
    const waiting = async () =>
      ((await app.call('GET', `/v1/flows/${hook.flow.id}/forward`)).json as { waiting: number }).waiting
    const sendLarge = async () => {
      const body = Buffer.alloc(40_000_000, 'large ')
      const headers = ['Content-Type', 'text/plain', 'Content-Length', String(body.length)]
      return (await sendOdd(app.port, hook.path, { method: 'POST', query: '', headers, body })).status
    }
    const large = [await sendLarge(), await sendLarge(), await sendLarge()]
    for (let count = await waiting(); count < 1_000; count += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, 1_000 - count) }, () => app.trigger(hook, { body: {} })),
      )
    const many = { waiting: await waiting(), next: (await app.trigger(hook, { body: {} })).status }
    at.now += 24 * 3_600_000 + 1
    while ((await waiting()) > 0) await wait(20)
    const program = closedAtEnd(await aRecorder(place.port))
    const oldest = (await app.requests()).at(-1)
    const { json } = await app.call('GET', `/v1/webhook-requests/${oldest?.id ?? ''}`)
    expect({
      large,
      many,
      attempts: (json as WebhookRequestDetail).attempts.map(({ kind, error }) => `${kind}: ${error}`),
      after: (await app.trigger(hook, { body: {} })).status,
      arrived: program.arrived.length,
    }).toEqual({
      large: [202, 202, 502],
      many: { waiting: 1_000, next: 502 },
      attempts: ['retry: Nobody listened for 24 hours'],
      after: 201,
      arrived: 1,
    })
  })

  it('keeps what waits while it is switched off, and drops it with the forward', async () => {
    const app = await startFlowApp()
    const place = await aRecorder()
    await place.close()
    const hook = await app.addFlow([HOOK], OPEN)
    const forward = { url: place.url, keep_when_closed: true }
    const path = `/v1/flows/${hook.flow.id}/forward`
    await forwarding(app, hook, forward)
    await app.trigger(hook, { query: '?n=1', body: {} })
    await forwarding(app, hook, { ...forward, enabled: false })
    const program = closedAtEnd(await aRecorder(place.port))
    const off = (await app.call('GET', path)).json as { waiting: number }
    await forwarding(app, hook, forward)
    await newest(app, 2)
    await program.close()
    await app.trigger(hook, { query: '?n=2', body: {} })
    await app.call('DELETE', path)
    await forwarding(app, hook, forward)
    const again = (await app.call('GET', path)).json as { waiting: number }
    expect({
      off: off.waiting,
      arrived: program.arrived.map(({ url }) => url),
      again: again.waiting,
    }).toEqual({
      off: 1,
      arrived: ['/?n=1'],
      again: 0,
    })
  })

  it('reaches a program with a certificate of its own', async () => {
    const app = await startFlowApp()
    const urls: string[] = []
    const server = createHttpsServer({ key: PROXY_KEY, cert: PROXY_CERTIFICATE }, (request, response) => {
      urls.push(request.url ?? '')
      response.end('over TLS')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closedAtEnd({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) })
    const { port } = server.address() as AddressInfo
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: `https://localhost:${port}/in` })
    const { status, text } = await app.trigger(hook, { query: '?a=1', body: {} })
    expect({ status, text, urls }).toEqual({ status: 200, text: 'over TLS', urls: ['/in?a=1'] })
  })

  it('passes on a request as it was edited while it was held', async () => {
    const app = await startFlowApp()
    const received: string[] = []
    const program = closedAtEnd(
      await aProgram((request, response) => {
        void text(request).then((body) => {
          const { method = '', url = '', headers } = request
          received.push(
            `${method} ${url} ${String(headers['x-order'])} ${headers['content-length'] ?? ''} ${body}`,
          )
          response.end('edited')
          return undefined
        })
      }),
    )
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    await app.call('PUT', `/v1/flows/${hook.flow.id}/hold`, { what: 'next' })
    const sent = app.trigger(hook, { body: { id: 1 }, headers: { 'x-order': 'a' } })
    let held: { id: string; headers: Record<string, string> } | undefined
    while (held === undefined) {
      const { json } = await app.call('GET', '/v1/webhook-holds')
      held = (json as { held: { id: string; headers: Record<string, string> }[] }).held[0]
      await wait(5)
    }
    await app.call('POST', `/v1/webhook-holds/${held.id}/release`, {
      method: 'PUT',
      query: '?b=2',
      headers: { ...held.headers, 'x-order': 'b' },
      body: '{"id": 22222}',
    })
    expect({ answer: (await sent).text, received }).toEqual({
      answer: 'edited',
      received: ['PUT /?b=2 b 13 {"id": 22222}'],
    })
  })

  it('says why its filter fails without the secrets in it', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const secret = 'sk_live_very_secret'
    await app.call('POST', '/v1/env-variables', { name: 'key', type: 'text', value: secret, secret: true })
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url, filter: '{{ {}[key].x.y }}' })
    const { status, text } = await app.trigger(hook, { body: {} })
    const [request] = await app.requests()
    expect({ status, text: text.includes(secret), reason: request?.reason?.includes(secret) }).toEqual({
      status: 500,
      text: false,
      reason: false,
    })
    expect(request?.reason).toContain('The filter of the forward failed')
  })

  it('only ever goes to this computer', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([HOOK], OPEN)
    const urls = [
      'http://example.com',
      'http://127.0.0.1.example.com',
      'http://localhost@example.com/',
      'ftp://localhost',
      'http://127.0.0.1:99999',
      'http://localhost:80\r\nX: 1',
      'http://0.0.0.0:80',
      'http://[::ffff:8.8.8.8]',
      'http://127.1',
      'http://localhost:3000#x',
      'http://user@localhost',
      'http://localhost.:80',
      '//localhost',
    ]
    const refused = []
    for (const url of urls) {
      const { status } = await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url })
      if (status === 400) refused.push(url)
    }
    expect(refused).toEqual(urls)
  })

  it('forwards only what the parser accepted whole', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    const statusOf = async (...lines: string[]) =>
      (
        await sendBytes(
          app.port,
          `POST ${hook.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('\r\n')}`,
        )
      ).slice(9, 12)
    expect([
      await statusOf('Content-Length: 3', 'Transfer-Encoding: chunked', '', '0', '', ''),
      await statusOf('Content-Length: 3', 'Content-Length: 4', '', 'abcd'),
      await statusOf('Transfer-Encoding: gzip, chunked', '', '0', '', ''),
      await statusOf('Transfer-Encoding : chunked', '', '0', '', ''),
      await statusOf('X: a\nTransfer-Encoding: chunked', '', '0', '', ''),
      await statusOf('Connection: close, content-length', 'Content-Length: 3', '', 'abc'),
    ]).toEqual(['400', '400', '502', '400', '400', '201'])
    expect(program.arrived).toHaveLength(1)
  })

  it('goes with its flow, and so do its attempts', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    await forwarding(app, hook, { url: program.url })
    await app.trigger(hook, { body: { id: 1 } })
    const { request } = await newest(app)
    expect(app.store.webhookAttempts.originalOf(request.id)?.body.toString()).toBe('{"id":1}')
    await app.call('DELETE', `/v1/flows/${hook.flow.id}`)
    while (await app.store.write(() => app.store.retention.deleteRemains()));
    expect({
      attempts: app.store.webhookAttempts.ofRequest(request.id),
      original: app.store.webhookAttempts.originalOf(request.id),
      forward: app.store.flows.forwardOf(hook.flow.id),
    }).toEqual({ attempts: [], original: null, forward: null })
  })
})
