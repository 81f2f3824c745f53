/** Webhooks that go on to a local program, from the command line and over a crash. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { WebhookRequest, WebhookRequestDetail } from '../../src/shared/contract/webhooks.ts'
import { callHttp } from '../helpers/http.ts'
import { aProgram, aRecorder, closedAtEnd } from '../helpers/odd-requests.ts'
import { onPosix } from '../helpers/platform.ts'
import { COMMAND, createHome, type Home, type Served } from '../helpers/program.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

async function call<T>(served: Served, method: string, path: string, body?: unknown): Promise<T> {
  const { json } = await callHttp(Number(new URL(served.url).port), {
    method,
    path,
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return json as T
}

const send = (served: Served, { id }: Pick<Flow, 'id'>, query = '') =>
  callHttp(Number(new URL(served.url).port), {
    method: 'POST',
    path: `/v1/flow-webhook/${id}${query}`,
    body: 'a=1',
  })

test.runIf(onPosix)(
  'millrace forward makes a flow, prints each request, and ends the forward with itself',
  async () => {
    const served = await home.serve()
    const program = closedAtEnd(await aRecorder())
    const command = spawn(
      process.execPath,
      [...FLAGS, COMMAND, 'forward', String(program.port), '--path', '/in', '--json'],
      { env: home.env },
    )
    onTestFinished(() => void command.kill('SIGKILL'))
    const lines = createInterface({ input: command.stdout })[Symbol.asyncIterator]()
    const flowOf = async () =>
      (await call<Flow[]>(served, 'GET', '/v1/flows')).find(({ name }) => name.startsWith('Forward to port'))
    const forwardOf = async (flow: Flow | undefined) =>
      (await call<{ forward: unknown }>(served, 'GET', `/v1/flows/${flow?.id ?? ''}/forward`)).forward ?? null
    await expect.poll(async () => forwardOf(await flowOf()), { timeout: 60_000 }).not.toBe(null)
    const flow = (await flowOf())!
    expect((await send(served, flow, '?n=1')).text).toBe('#1')
    const { value } = await lines.next()
    expect(JSON.parse(value ?? '')).toMatchObject({ method: 'POST', forwarded: { status: 201, error: null } })
    expect(program.arrived[0]).toMatchObject({ url: '/in?n=1', method: 'POST' })
    const ended = new Promise((resolve) => command.once('exit', resolve))
    command.kill('SIGINT')
    expect({ code: await ended, forward: await forwardOf(flow) }).toEqual({ code: 0, forward: null })
  },
)

test('requests that are kept until the program listens survive kill -9', async () => {
  const closed = await aRecorder()
  await closed.close()
  const before = await home.serve()
  const flow = await call<Flow>(before, 'POST', '/v1/flows', {
    name: 'Kept',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
    settings: { webhook_token_enabled: false },
  })
  await call(before, 'PUT', `/v1/flows/${flow.id}/forward`, { url: closed.url, keep_when_closed: true })
  const statuses = []
  for (const n of [1, 2, 3]) statuses.push((await send(before, flow, `?n=${n}`)).status)
  before.process.kill('SIGKILL')
  await before.ended
  const program = closedAtEnd(await aRecorder(closed.port))
  await home.serve()
  await expect.poll(() => program.arrived.length, { timeout: 60_000 }).toBe(3)
  expect({ statuses, arrived: program.arrived.map(({ url }) => url) }).toEqual({
    statuses: [202, 202, 202],
    arrived: ['/?n=1', '/?n=2', '/?n=3'],
  })
})

test('millrace webhook replay sends a time span to a local program and says what differs', async () => {
  const served = await home.serve()
  let body = 'first'
  const program = closedAtEnd(await aProgram((_, response) => response.end(body)))
  const flow = await call<Flow>(served, 'POST', '/v1/flows', {
    name: 'Replayed',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
    settings: { webhook_token_enabled: false },
  })
  await call(served, 'PUT', `/v1/flows/${flow.id}/forward`, { url: program.url })
  for (const n of [1, 2]) await send(served, flow, `?n=${n}`)
  body = 'fire'
  const to = ['webhook', 'replay', '--to', String(program.port)]
  const span = await home.run([...to, '--since', '1h', '--flow', 'Replayed'])
  const signed = await home.run([...to, '--since', '1h', '--sign', '--json'])
  const wrong = [
    await home.run(to),
    await home.run([...to, 'a', '--since', '1h']),
    await home.run([...to, 'a', '--version', '1']),
    await home.run(['webhook', 'replay', 'a', '--sign']),
    await home.run(['webhook', 'replay', 'a', 'b']),
    await home.run([...to, '--since', 'yesterday']),
  ]
  const line =
    /^\S+ {2}200 {2}\d+ ms {2}first time 200 in \d+ ms {2}different body {2}from character 3: "e", first time "st"$/
  expect({
    code: span.code,
    lines: span.stdout
      .trimEnd()
      .split('\n')
      .map((one) => line.test(one) || one),
    signed: [signed.code, (JSON.parse(signed.stdout.split('\n')[0] ?? '') as { reason: string }).reason],
    wrong: wrong.map(({ code }) => code),
  }).toEqual({
    code: 0,
    lines: [true, true],
    signed: [
      1,
      "The request isn't signed again: the webhook step of its flow has no signature, so no secret is known",
    ],
    wrong: [2, 2, 2, 2, 2, 2],
  })
})

test('nothing is forwarded or sent again to a port of Millrace itself', async () => {
  const served = await home.serve()
  const flow = await call<Flow>(served, 'POST', '/v1/flows', {
    name: 'Round and round',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const port = Number(new URL(served.url).port)
  type Refusal = { readonly error: string; readonly message: string }
  const url = `http://localhost:${port}/v1/flow-webhook/${flow.id}`
  const refusals = [
    await call<Refusal>(served, 'PUT', `/v1/flows/${flow.id}/forward`, { url }),
    await call<Refusal>(served, 'POST', '/v1/webhook-requests/replay', { to: port, ids: ['a'] }),
    await call<Refusal>(served, 'POST', '/v1/webhook-requests/replay', { to: url, ids: ['a'] }),
  ]
  expect(refusals.map(({ error, message }) => error + message.includes('is Millrace itself'))).toEqual(
    Array(3).fill('validationtrue'),
  )
})

test('kill -9 in the middle of a replay loses no response that came before', async () => {
  const before = await home.serve()
  let asked = 0
  const third = Promise.withResolvers<void>()
  const program = closedAtEnd(
    await aProgram((_, response) => {
      if (++asked < 3) response.end('ok')
      else third.resolve()
    }),
  )
  const flow = await call<Flow>(before, 'POST', '/v1/flows', {
    name: 'Replayed',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
    settings: { webhook_token_enabled: false },
  })
  for (const n of [1, 2, 3]) await send(before, flow, `?n=${n}`)
  const command = home.run(['webhook', 'replay', '--to', String(program.port), '--since', '1h', '--json'])
  await third.promise
  before.process.kill('SIGKILL')
  await before.ended
  const { stdout } = await command
  const printed = stdout
    .trimEnd()
    .split('\n')
    .map((one) => (JSON.parse(one) as { request_id: string }).request_id)
  const after = await home.serve()
  const kept = await call<WebhookRequest[]>(after, 'GET', '/v1/webhook-requests')
  const attempts = await Promise.all(
    kept.map(async ({ id }) => {
      const detail = await call<WebhookRequestDetail>(after, 'GET', `/v1/webhook-requests/${id}`)
      return detail.attempts.map(({ kind, status }) => `${kind} ${status}`)
    }),
  )
  expect({ attempts: attempts.toReversed(), printed }).toEqual({
    attempts: [['replay 200'], ['replay 200'], []],
    printed: kept
      .slice(1)
      .map(({ id }) => id)
      .toReversed(),
  })
})

/** A command in a terminal with 70 columns and 12 rows, which is looked at afterwards. */
function inTerminal(args: readonly string[]) {
  const command = [process.execPath, ...FLAGS, COMMAND, ...args].map((one) => `'${one}'`).join(' ')
  const script = `stty cols 70 rows 12; ${command}; code=$?; stty -a; exit $code`
  const own =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', script] : ['-qec', script, '/dev/null']
  const terminal = spawn('script', own, { env: { ...home.env, TERM: 'xterm', SHELL: '/bin/sh' } })
  onTestFinished(() => void terminal.kill('SIGKILL'))
  let screen = ''
  terminal.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  return {
    type: (keys: string) => void terminal.stdin.write(keys),
    async shows(text: string) {
      await expect.poll(() => screen, { timeout: 60_000 }).toContain(text)
    },
    ended: new Promise<{ code: number | null; isRestored: boolean }>((resolve) =>
      terminal.once('close', (code) => {
        const [, after = ''] = screen.split('\u001b[?25h\u001b[?1049l')
        resolve({ code, isRestored: / icanon/.test(after) && / echo\b/.test(after) })
      }),
    ),
  }
}

test.runIf(onPosix)('in a terminal, millrace forward shows a table that keys move in', async () => {
  const served = await home.serve()
  const program = closedAtEnd(await aRecorder())
  const terminal = inTerminal(['forward', String(program.port), '--path', '/in'])
  await terminal.shows('No request yet.')
  const [flow] = await call<Flow[]>(served, 'GET', '/v1/flows')
  await send(served, flow!, '?n=1')
  await terminal.shows('  201  ')
  terminal.type('r')
  await terminal.shows('Sent again: 201')
  terminal.type('/nowhere')
  await terminal.shows('No request contains this text.')
  terminal.type('\rq')
  const { forward } = await terminal.ended.then(() =>
    call<{ forward: unknown }>(served, 'GET', `/v1/flows/${flow!.id}/forward`),
  )
  expect({ arrived: program.arrived.map(({ url }) => url), ended: await terminal.ended, forward }).toEqual({
    arrived: ['/in?n=1', '/in?n=1'],
    ended: { code: 0, isRestored: true },
    forward: null,
  })
})

test.runIf(onPosix)('the terminal is as before after Ctrl+C, and when Millrace goes away', async () => {
  const served = await home.serve()
  const program = closedAtEnd(await aRecorder())
  const interrupted = inTerminal(['forward', String(program.port)])
  await interrupted.shows('No request yet.')
  interrupted.type('\u0003')
  const ends = [await interrupted.ended]
  const left = inTerminal(['forward', String(program.port)])
  await left.shows('No request yet.')
  served.process.kill('SIGKILL')
  ends.push(await left.ended)
  expect(ends).toEqual([
    { code: 0, isRestored: true },
    { code: 1, isRestored: true },
  ])
})
