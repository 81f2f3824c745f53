import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { startAuthorizationServer } from '../helpers/authorization-server.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const ORDER = {
  name: 'Order',
  steps: [
    {
      ref_id: 'hook',
      type: 'webhook',
      config: { response_body: '{"order": {{ hook.id }}, "page": "{{ hook.page }}"}' },
    },
    {
      ref_id: 'check',
      type: 'condition',
      config: { when: '{{ hook.id > 100 }}' },
      then: [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: 'Too many' } }],
      else: [],
    },
  ],
}

interface RunRecord {
  readonly id: string
  readonly status: string
}

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

/** `never`, so that each test can read it as what it expects. */
async function json(...args: string[]): Promise<never> {
  const { code, stdout, stderr } = await home.run([...args, '--json'])
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as never
}

async function importOrder(): Promise<void> {
  const file = join(home.folder, 'order.json')
  writeFileSync(file, JSON.stringify(ORDER))
  await json('flow', 'import', file)
}

describe.each([
  ['through the running Millrace', true],
  ['on the folder itself', false],
])('millrace, %s:', (_how, isRunning) => {
  beforeEach(async () => {
    if (isRunning) await home.serve()
    await importOrder()
  })

  test('webhook send prints the response, run list and show find its run, and a failed one ends with 1', async () => {
    const sent = await home.run(['webhook', 'send', 'Order', '--data', '{"id": 7}', '--query', 'page=2'])
    const bad = await home.run([
      'webhook',
      'send',
      'Order',
      '--data',
      '{"id": ',
      '--header',
      'Content-Type: application/json',
    ])
    const failed = await home.run(['webhook', 'send', 'Order', '--data', '{"id": 700}'])
    const runs = (await json('run', 'list', '--flow', 'Order')) as RunRecord[]
    const [error, success] = runs
    const table = await home.run(['run', 'list', '--status', 'success'])
    const shown = await home.run(['run', 'show', success!.id, '--steps'])
    const failedRun = await home.run(['run', 'show', error!.id])
    expect({ sent, bad, failed, runs, table, shown, failedRun }).toMatchObject({
      sent: { code: 0, stdout: 'Response 200 (application/json)\n{"order": 7, "page": "2"}\n' },
      bad: { code: 1, stdout: expect.stringMatching(/^Response 400 .*\n.*isn't valid JSON/) },
      failed: { code: 1, stdout: expect.stringMatching(/^Response 500 .*\n.*flow_error/) },
      runs: [{ status: 'error' }, { status: 'success' }],
      table: {
        code: 0,
        stdout: expect.stringMatching(new RegExp(`^ID +STATUS .*\n${success!.id} +success .* Order `)),
      },
      shown: {
        code: 0,
        stdout: expect.stringMatching(
          /^Run \S+: success.*\nhook: success \{.*\ncheck: success .*\nResponse 200 /,
        ),
      },
      failedRun: { code: 0, stdout: expect.stringMatching(/^Run \S+: error.*\nStep "end": Too many\n$/) },
    })
  })

  test('figures count them by day, and one day by the hour', async () => {
    await home.run(['webhook', 'send', 'Order', '--data', '{"id": 7}'])
    await home.run(['webhook', 'send', 'Order', '--data', '{"id": 700}'])
    const week = await home.run(['figures', '--flow', 'Order'])
    const webhooks = await home.run(['figures', '--of', 'webhooks', '--days', '1'])
    const day = (await json('figures', '--days', '1')) as Record<string, unknown>
    expect({ week, day, webhooks }).toMatchObject({
      webhooks: { code: 0, stdout: expect.stringMatching(/^HOUR \(UTC\) .*2XX[^]*\nall +\d+/) as string },
      week: {
        code: 0,
        stdout: expect.stringMatching(
          /^DAY \(UTC\) +RUNS +FAILED +P50 +P95\n(.*\n){6}\S+ +2 +1 +\S+ ms +\S+ ms\n\n2 runs, 50 % succeeded, p95 \S+ ms\n$/,
        ),
      },
      day: { of: 'runs', bucket: 'hour', totals: { counts: { success: 1, error: 1 } } },
    })
  })

  test('flow test records requests, passes if the responses are the same, and reports differences', async () => {
    for (const id of [1, 2])
      await home.run(['webhook', 'send', 'Order', '--data', `{"id": ${id}}`, '--query', 'page=2'])
    const folder = join(home.folder, 'cases')
    const recorded = (await json('flow', 'test', folder, '--live', '--record', 'Order')) as {
      files: string[]
      left_out: unknown[]
    }
    const alike = await home.run(['flow', 'test', folder, '--live'])
    const [first = ''] = recorded.files
    const one = {
      flow: 'Order',
      request: { query: '?page=3', headers: { 'content-type': 'application/json' }, body: { id: 5 } },
      response: { status: 200, headers: {}, body: { order: 5, page: '2', more: [1] } },
    }
    writeFileSync(first, JSON.stringify(one))
    const different = await home.run(['flow', 'test', folder, '--live'])
    const asJson = await home.run(['flow', 'test', first, '--live', '--json'])
    writeFileSync(first, JSON.stringify({ ...one, ignore: ['body.page', 'body.more[*]', 'body.more'] }))
    const ignoring = await home.run(['flow', 'test', first, '--live'])
    writeFileSync(first, JSON.stringify(one))
    const updated = await home.run(['flow', 'test', folder, '--live', '--update'])
    const after = await home.run(['flow', 'test', folder, '--live'])
    writeFileSync(first, '{"flow": "Order", "request": {}}')
    const broken = await home.run(['flow', 'test', folder, '--live'])
    const none = await home.run(['flow', 'test', join(home.folder, 'nowhere'), '--live'])
    expect({ recorded, alike, different, ignoring, updated, after, broken, none }).toMatchObject({
      recorded: {
        files: [expect.stringMatching(/order-\d{8}T\d{6}-[0-9a-f]{4}\.json$/), expect.any(String)],
        left_out: [],
      },
      alike: { code: 0, stdout: expect.stringMatching(/^ok .*\nok .*\n2 passed, 0 failed\n$/) },
      different: {
        code: 1,
        stdout: expect.stringContaining(
          [
            '         body.page',
            '           - "2"',
            '           + "3"',
            '         body.more',
            '           - [1]',
            '           + (nothing)',
          ].join('\n'),
        ),
      },
      ignoring: { code: 0 },
      updated: { code: 0, stdout: expect.stringContaining('updated  order-') },
      after: { code: 0 },
      broken: { code: 1, stderr: expect.stringMatching(/order-.*\.json: response: /) },
      none: { code: 1, stderr: expect.stringContaining('There are no test cases in') },
    })
    expect({ code: asJson.code, result: JSON.parse(asJson.stdout) as unknown }).toMatchObject({
      code: 1,
      result: {
        passed: 0,
        failed: 1,
        cases: [
          {
            flow: 'Order',
            passed: false,
            differences: [
              { path: 'body.page', expected: '2', got: '3' },
              { path: 'body.more', expected: [1] },
            ],
          },
        ],
      },
    })
  })

  test('connectors are listed and imported, and auths are listed and tested', async () => {
    const file = join(home.folder, 'request.txt')
    writeFileSync(file, 'curl https://api.example.test/v1/orders?page=1 -H "Accept: application/json"')
    const imported = await json('connector', 'import', file)
    const connectors = await home.run(['connector', 'list'])
    await json('flow', 'import', 'sample:multi-tenant')
    const auths = (await json('auth', 'list')) as { id: string; name: string }[]
    const table = await home.run(['auth', 'list'])
    const tested = await home.run(['auth', 'test', auths[0]!.name])
    const lost = await home.run(['auth', 'test', 'Nobody'])
    expect({ imported, connectors, table, tested, lost }).toMatchObject({
      imported: { connector: { id: expect.any(String) }, source_format: 'curl', actions: 1 },
      connectors: { code: 0, stdout: expect.stringMatching(/^ID +STATUS +FROM +NAME\n[^]* yours +/) },
      table: { code: 0, stdout: expect.stringMatching(/^ID +STATE +TYPE +CONNECTOR +NAME\n\S+ +ok /) },
      tested: { stdout: expect.stringMatching(/^(ok|failed): /) },
      lost: { code: 1, stderr: expect.stringContaining('No connector auth has the name "Nobody"') },
    })
  })
})

test('a code to enter elsewhere signs in, and the outcome is the exit code', async () => {
  const served = await home.serve()
  const server = await startAuthorizationServer({ pollSeconds: 1 })
  const { id } = await callOrThrow<{ id: string }>(served, 'POST', '/v1/connectors', {
    name: 'Lobby',
    base_domain: server.url,
    auth_config: server.deviceConfig,
  })
  const auth = { connector_id: id, name: 'Television', auth_type: 'oauth2' }
  await callOrThrow(served, 'POST', '/v1/connector-auths', auth)
  server.polls.push('authorization_pending', 'access_denied')
  const refused = await home.run(['auth', 'sign-in', 'Television'])
  const done = await home.run(['auth', 'sign-in', 'Television'])
  const asLines = await home.run(['auth', 'sign-in', 'Television', '--json'])
  const shown = `Open ${server.url}/device?user_code=WDJB-MJHT in a browser and enter the code WDJB-MJHT\n`
  expect({
    refused,
    done,
    lines: asLines.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type),
  }).toMatchObject({
    refused: { code: 1, stdout: shown, stderr: expect.stringContaining('access_denied') as string },
    done: { code: 0, stdout: `${shown}Signed in: Television\n` },
    lines: ['code', 'done'],
  })
})

test("status shows where Millrace runs, and exits with 1 if it doesn't", async () => {
  const before = await home.run(['status', '--json'])
  const { url } = await home.serve()
  await importOrder()
  await home.run(['webhook', 'send', 'Order', '--data', '{"id": 1}'])
  const text = await home.run(['status'])
  expect({
    before,
    beforeValue: JSON.parse(before.stdout) as unknown,
    text,
    value: await json('status'),
  }).toMatchObject({
    before: { code: 1 },
    beforeValue: { running: false, data_dir: home.dataDir },
    text: {
      code: 0,
      stdout: expect.stringMatching(
        /^Millrace \S+ has been running at http.*\nPublic URL: none\nData folder: .*\nFlows: \d+ active, /,
      ),
    },
    value: { running: true, url, runs: { unended: 0, last_24_hours: { success: 1, error: 0 } } },
  })
})

test('run tail and webhook tail print existing and new items, one line each', async () => {
  await home.serve()
  await importOrder()
  await home.run(['webhook', 'send', 'Order', '--data', '{"id": 1}'])
  const runs = followLines(['run', 'tail', '--flow', 'Order', '--json'])
  const requests = followLines(['webhook', 'tail', '--count', '2'])
  await Promise.all([runs.next(), requests.next()])
  await home.run(['webhook', 'send', 'Order', '--data', '{"id": 200}'])
  const seen: string[] = []
  while (!seen.includes('error')) seen.push((JSON.parse(await runs.next()) as RunRecord).status)
  expect({ request: await requests.next(), end: await requests.ended }).toEqual({
    request: expect.stringMatching(/ 500 .* POST {2}\/v1\/flow-webhook\//),
    end: 0,
  })
})

test('run replay runs again with the same input, and run resume continues after a failure', async () => {
  let calls = 0
  const api = createServer((_request, response) => {
    calls++
    response
      .writeHead(calls === 1 ? 500 : 200, { 'Content-Type': 'application/json' })
      .end(`{"calls": ${calls}}`)
  })
  onTestFinished(() => void api.close())
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const { port } = api.address() as AddressInfo
  const call = { ref_id: 'call', type: 'rest', config: { method: 'GET', url: `http://127.0.0.1:${port}/` } }
  const file = join(home.folder, 'call.json')
  const settings = { automatic_retries: false }
  writeFileSync(file, JSON.stringify({ name: 'Call', settings, steps: [call] }))
  await home.serve()
  await json('flow', 'import', file)
  const failed = await home.run(['flow', 'run', 'Call', '--json'])
  const { id } = JSON.parse(failed.stdout) as RunRecord
  const resumed = await home.run(['run', 'resume', id])
  const replayed = await home.run(['run', 'replay', id])
  const started = (await json('run', 'replay', id, '--no-wait')) as { flow_run_id: string }
  expect({ failed: failed.code, resumed, replayed, started }).toMatchObject({
    failed: 1,
    resumed: { code: 0, stdout: expect.stringMatching(/^Run \S+: success.*\nOutput of call: \{.*"calls":2/) },
    replayed: {
      code: 0,
      stdout: expect.stringMatching(/^Run \S+: success.*\nOutput of call: \{.*"calls":3/),
    },
    started: { flow_run_id: expect.not.stringMatching(id) },
  })
})

test('webhook replay runs a request again, and says so if nothing can be sent', async () => {
  const { url, bearer } = await home.serve()
  await importOrder()
  await home.run(['webhook', 'send', 'Order', '--data', '{"id": 7}', '--query', 'page=1'])
  const headers = { Authorization: `Bearer ${bearer}` }
  await fetch(`${url}/v1/flow-webhook/00000000-0000-4000-8000-000000000000`, { method: 'POST', headers })
  const list = async () =>
    (await (await fetch(`${url}/v1/webhook-requests`, { headers })).json()) as {
      id: string
      status: number
    }[]
  await expect.poll(list).toHaveLength(2)
  const all = await list()
  const [ran, refused] = [200, 404].map((status) => all.find((one) => one.status === status)?.id ?? '')
  const again = await home.run(['webhook', 'replay', ran ?? ''])
  const lost = await home.run(['webhook', 'replay', refused ?? ''])
  expect({ again, lost }).toMatchObject({
    again: { code: 0, stdout: expect.stringContaining('{"order": 7, "page": "1"}') },
    lost: { code: 1, stderr: expect.stringContaining('only part of its body was kept') },
  })
})

test('tailing needs a running Millrace', async () => {
  const { code, stderr } = await home.run(['run', 'tail'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('start it with "millrace start"'),
  })
})

/** Lines of a command that keeps running. */
function followLines(args: readonly string[]) {
  const command = join(import.meta.dirname, '../../out/main/headless.js')
  const child = spawn(process.execPath, [...FLAGS, command, ...args], { env: home.env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { ended, next: async () => String((await lines.next()).value) }
}

test('runs whose list is in doubt look like no other success', async () => {
  const api = await startThirdPartyApi((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"d":[{"id":1}],"next":"b"}')
  })
  await home.serve()
  const pagination = { response_jsonpath: '$.d', query: '{"after": "{{ previous_request.nxt }}"}' }
  const file = join(home.folder, 'doubtful.json')
  const list = { ref_id: 'list', type: 'rest', config: { url: `${api.url}/items`, pagination } }
  writeFileSync(file, JSON.stringify({ name: 'Doubtful', steps: [list] }))
  await json('flow', 'import', file)
  const ran = await home.run(['flow', 'run', 'Doubtful', '--steps'])
  const listed = await home.run(['run', 'list'])
  expect({ code: ran.code, ran: ran.stdout, listed: listed.stdout }).toEqual({
    code: 0,
    ran: expect.stringMatching(
      /^Run \S+: success \(in doubt\) in [^]*\nIn doubt: Step "list": [^]*"nxt"[^]*\nlist: success \(in doubt\)/,
    ) as string,
    listed: expect.stringContaining('success (in doubt)') as string,
  })
})
