import { generateKeyPairSync, sign } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { WebhookReplay } from '../../../src/shared/contract/reach/forwards.ts'
import type { WebhookRequestDetail } from '../../../src/shared/contract/webhooks.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import {
  anOddRequest,
  aProgram,
  aRecorder,
  asArriving,
  closedAtEnd,
  sendOdd,
} from '../../helpers/odd-requests.ts'
import { randomFrom } from '../../helpers/random.ts'
import { session } from '../../helpers/test-server.ts'

const OPEN = { settings: { webhook_token_enabled: false } }
const HOOK = {
  ref_id: 'web1',
  type: 'webhook',
  config: { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
}
const START = '2020-01-01T00:00:00Z'

async function replayed(app: FlowApp, wish: object): Promise<WebhookReplay[]> {
  const { status, text } = await app.call('POST', '/v1/webhook-requests/replay', wish)
  expect({ status, text }).toMatchObject({ status: 200 })
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as WebhookReplay)
}

const detailOf = async (app: FlowApp, id: string) =>
  (await app.call('GET', `/v1/webhook-requests/${id}`)).json as WebhookRequestDetail

/** The IDs of this many requests, oldest first, once their first attempts are stored. */
async function idsOf(app: FlowApp, count: number, attempts = 0): Promise<string[]> {
  for (;;) {
    const requests = await app.requests()
    const details = await Promise.all(requests.map(({ id }) => detailOf(app, id)))
    if (requests.length === count && details.every((one) => one.attempts.length >= attempts))
      return requests.map(({ id }) => id).toReversed()
    await wait(5)
  }
}

describe('a replay to a local program', () => {
  it('sends forwarded requests as the bytes that came, in their order', async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
    const [first, second] = [closedAtEnd(await aRecorder()), closedAtEnd(await aRecorder())]
    const hook = await app.addFlow([HOOK], OPEN)
    await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url: `${first.url}/in` })
    const random = randomFrom(21)
    const odd = Array.from({ length: 40 }, () => anOddRequest(random, 5_000))
    for (const request of odd) await sendOdd(app.port, hook.path, request)
    const ids = await idsOf(app, 40, 1)
    const results = await replayed(app, { to: second.port, ids: ids.toReversed() })
    expect(second.arrived).toEqual(odd.map((one) => asArriving(one, `localhost:${second.port}`, '/in')))
    expect(
      results.map(({ request_id, is_exact, is_signed, reason }) => ({
        request_id,
        is_exact,
        is_signed,
        reason,
      })),
    ).toEqual(ids.map((request_id) => ({ request_id, is_exact: true, is_signed: false, reason: null })))
  })

  it('rebuilds what was not forwarded: run, compressed, rejected', async () => {
    const app = await startFlowApp()
    const bodies: string[] = []
    const program = closedAtEnd(
      await aProgram((request, response) => {
        const chunks: Buffer[] = []
        request
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('end', () => {
            const { method = '', url = '', headers } = request
            bodies.push(`${method} ${url} ${String(headers['x-own'])} ${Buffer.concat(chunks).toString()}`)
            response.end('ok')
          })
      }),
    )
    const hook = await app.addFlow([HOOK], OPEN)
    const headers = { 'content-type': 'application/json', 'x-own': '1' }
    const send = (body: string | Buffer, more = {}, method = 'POST') =>
      callHttp(app.port, { method, path: `${hook.path}?a=1`, headers: { ...headers, ...more }, body })
    await send('{"id": 1}')
    await send(gzipSync('{"id": 2}'), { 'content-encoding': 'gzip' }, 'PUT')
    expect((await send('{"id": 3')).status).toBe(400)
    const ids = await idsOf(app, 3)
    const to = `${program.url}/x?own=1`
    const some = await replayed(app, { to, since: START })
    const all = await replayed(app, { to, ids })
    expect({
      some: some.map(({ request_id }) => request_id),
      all: all.map(({ attempt, is_exact }) => `${attempt?.kind} ${attempt?.status} ${is_exact}`),
      bodies: bodies.slice(2),
    }).toEqual({
      some: ids.slice(0, 2),
      all: Array(3).fill('replay 200 false'),
      bodies: [
        'POST /x?own=1&a=1 1 {"id": 1}',
        'PUT /x?own=1&a=1 1 {"id": 2}',
        'POST /x?own=1&a=1 1 {"id": 3',
      ],
    })
  })

  it('compares each response with the first one, and keeps it', async () => {
    const app = await startFlowApp()
    let body = '{"total": 19.8}'
    const program = closedAtEnd(await aProgram((_, response) => response.writeHead(201).end(body)))
    const sync = { ...HOOK, config: { ...HOOK.config, async: false, response_body: 'by the flow' } }
    const hook = await app.addFlow([sync], OPEN)
    await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url: program.url })
    await app.trigger(hook, { body: { id: 1 } })
    await idsOf(app, 1, 1)
    await app.call('DELETE', `/v1/flows/${hook.flow.id}/forward`)
    await app.trigger(hook, { body: { id: 2 } })
    const ids = await idsOf(app, 2)
    const [same] = await replayed(app, { to: program.url, ids: ids.slice(0, 1) })
    body = '{"total": 21.5}'
    const [changed, other] = await replayed(app, { to: program.url, ids })
    await program.close()
    const [gone] = await replayed(app, { to: program.url, ids: ids.slice(0, 1) })
    const of = ({ first, body: compared, difference, attempt }: WebhookReplay) => ({
      first: first && `${first.from} ${first.status}`,
      body: compared,
      difference,
      now: attempt?.status,
    })
    const { attempts } = await detailOf(app, ids[0] ?? '')
    expect({
      same: of(same!),
      changed: of(changed!),
      other: of(other!),
      gone: { ...of(gone!), error: gone!.attempt?.error?.replace(/\d+$/, 'PORT') },
      attempts: attempts.map(({ kind, status }) => `${kind} ${status}`),
    }).toEqual({
      same: { first: 'program 201', body: 'same', difference: null, now: 201 },
      changed: {
        first: 'program 201',
        body: 'different',
        difference: { at: 10, before: '19.8}', now: '21.5}' },
        now: 201,
      },
      other: {
        first: 'millrace 200',
        body: 'different',
        difference: { at: 0, before: 'by the flow', now: '{"total": 21.5}' },
        now: 201,
      },
      gone: {
        first: 'program 201',
        body: 'unknown',
        difference: null,
        now: null,
        error: 'Nobody listens on 127.0.0.1:PORT',
      },
      attempts: ['forward 201', 'replay 201', 'replay 201', 'replay null'],
    })
  })

  it('signs nothing that was rejected, and says what it cannot sign', async () => {
    const app = await startFlowApp()
    const program = closedAtEnd(await aRecorder())
    const signed = { ...HOOK, config: { signature: { scheme: 'github', secret: 'whsec_local' } } }
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const secret = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
    const discord = { ...HOOK, config: { signature: { scheme: 'discord', secret } } }
    for (const step of [HOOK, signed]) await app.trigger(await app.addFlow([step], OPEN), { body: { id: 1 } })
    const time = String(Math.floor(Date.now() / 1_000))
    await app.trigger(await app.addFlow([discord], OPEN), {
      body: { id: 1 },
      headers: {
        'x-signature-timestamp': time,
        'x-signature-ed25519': sign(null, Buffer.from(`${time}{"id":1}`), privateKey).toString('hex'),
      },
    })
    const ids = await idsOf(app, 3)
    const results = await replayed(app, { to: program.url, ids, sign: true })
    expect({ reasons: results.map(({ reason }) => reason), arrived: program.arrived }).toEqual({
      reasons: [
        "The request isn't signed again: the webhook step of its flow has no signature, so no secret is known",
        "The request isn't signed again, because it was rejected",
        "The request isn't signed again: only the service has the key that signs it",
      ],
      arrived: [],
    })
  })

  it('keeps the rhythm if asked, and stops when its caller leaves', async () => {
    const at = { now: Date.parse('2026-03-01T12:00:00Z') }
    const app = await startFlowApp({ clock: { now: () => at.now, monotonic: () => performance.now() } })
    const program = closedAtEnd(await aRecorder())
    const hook = await app.addFlow([HOOK], OPEN)
    for (const gap of [0, 20, 7_200_000]) {
      at.now += gap
      await app.trigger(hook, { query: `?after=${gap}`, body: {} })
    }
    await idsOf(app, 3)
    const left = new AbortController()
    const response = await fetch(`http://127.0.0.1:${app.port}/v1/webhook-requests/replay`, {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json' },
      body: JSON.stringify({ to: program.port, since: START, keep_rhythm: true }),
      signal: left.signal,
    })
    const lines = createInterface({ input: Readable.fromWeb(response.body as never) })
    const seen: string[] = []
    try {
      for await (const line of lines) {
        seen.push(line)
        // The third would be sent in an hour.
        if (seen.length === 2) left.abort()
      }
    } catch {}
    expect({ seen: seen.length, arrived: program.arrived.map(({ url }) => url) }).toEqual({
      seen: 2,
      arrived: ['/?after=0', '/?after=20'],
    })
  })

  it('only ever goes to this computer, and takes one way to choose', async () => {
    const app = await startFlowApp()
    const refused = []
    for (const wish of [
      { to: 'http://example.com', ids: ['a'] },
      { to: 0, ids: ['a'] },
      { to: 65_536, ids: ['a'] },
      { to: 3_000 },
      { to: 3_000, ids: ['a'], since: START },
      { to: 3_000, ids: [] },
      { to: 3_000, ids: Array(1_001).fill('a') },
      { to: 3_000, since: 'yesterday' },
    ]) {
      const { status } = await app.call('POST', '/v1/webhook-requests/replay', wish)
      refused.push(status)
    }
    const unknown = await app.call('POST', '/v1/webhook-requests/replay', { to: 3_000, ids: ['a'] })
    expect({ refused, unknown: unknown.status }).toEqual({ refused: Array(8).fill(400), unknown: 404 })
  })
})
