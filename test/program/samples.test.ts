import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { IMAP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { FlowSample } from '../../src/shared/contract/flow-samples.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import type { FlowTrigger } from '../../src/shared/contract/reach/flow-trigger.ts'
import type { RunQuestion } from '../../src/shared/contract/reach/questions.ts'
import { onPosix } from '../helpers/platform.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { untilSeen } from '../helpers/served-runs.ts'

const home = createHome()
let served: Served
let samples: FlowSample[]
beforeAll(async () => {
  served = await home.serve()
  samples = await api('GET', '/v1/flow-samples')
})
afterAll(() => home.remove())

const api = <T>(method: string, path: string, body?: unknown) => callOrThrow<T>(served, method, path, body)

interface Tried {
  readonly flow: Flow
  readonly status: number
  readonly type: string | null
  readonly body: unknown
}

/** Plants a sample and calls it with the sample's own request, over real HTTP. */
async function tryOut(
  id: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Tried> {
  const flow = await api<Flow>('POST', `/v1/flow-samples/${id}/plant`)
  const request = samples.find((sample) => sample.id === id)?.sample_request
  const body = more.body ?? request?.body
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const secret = 'change-me-to-the-secret-of-the-webhook'
  const response = await fetch(`${served.url}/v1/flow-webhook/${flow.id}${request?.query ?? ''}`, {
    method: 'POST',
    headers: {
      ...(flow.settings.webhook_token_enabled ? { Authorization: `Bearer ${flow.webhook!.token}` } : {}),
      'Content-Type': request?.content_type ?? 'application/json',
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
      ...request?.headers,
      ...more.headers,
    },
    body: text,
  })
  const answer = await response.text()
  const type = response.headers.get('content-type')
  return { flow, status: response.status, type, body: type?.includes('json') ? JSON.parse(answer) : answer }
}

const untilRun = (matches: (run: FlowRun) => boolean): Promise<FlowRun> =>
  untilSeen(served, async () => {
    const found = (await api<FlowRun[]>('GET', '/v1/flow-runs')).find(matches)
    return found && found.finished_at !== null ? found : null
  })

const outputsOf = async (run: FlowRun) => {
  const steps = await api<FlowRunStep[]>('GET', `/v1/flow-runs/${run.id}/steps`)
  return Object.fromEntries(steps.map(({ ref_id, output }) => [ref_id, output]))
}

describe('the samples', () => {
  it('say what they teach', () => {
    expect(samples.map(({ id }) => id)).toEqual([
      'alarm-flow',
      'async-job',
      'cursor-pagination',
      'echo',
      'error-flow',
      'expense-approval',
      'fault-report',
      'form-to-json',
      'github-webhook',
      'multi-tenant',
      'new-articles',
      'new-files',
      'new-mail',
      'new-rows',
      'next-link',
      'nightly-report',
      'offset-headers',
      'read-a-web-page',
      'receive-an-order',
      'remember-what-was-seen',
      'run-a-program',
      'sync-to-database',
      'validate',
      'xml-order',
    ])
    expect(
      samples.filter(({ teaches, description }) => teaches.length < 40 || description.length < 20),
    ).toEqual([])
  })

  it('echo returns what it received', async () => {
    expect(await tryOut('echo')).toMatchObject({
      status: 200,
      body: {
        received: { hello: 'world', list: [1, 2], source: 'test' },
        method: 'POST',
        content_type: 'application/json',
      },
    })
  })

  it('form to JSON passes on typed values', async () => {
    expect(await tryOut('form-to-json')).toMatchObject({
      status: 200,
      body: { passed_on: { name: 'Ada Lind', seats: 2, newsletter: true, topics: ['tea', 'cake'] } },
    })
  })

  it('fault report is started by its form', async () => {
    const { flow, status } = await tryOut('fault-report')
    const run = await untilRun(({ flow_id }) => flow_id === flow.id)
    const { report } = await outputsOf(run)
    expect([status, run.trigger, report]).toEqual([
      200,
      'form',
      { from: 'ada@example.test', title: 'Kitchen: the tap leaks', urgent: true },
    ])
  })

  it('expense approval waits for a person', async () => {
    const { flow } = await tryOut('expense-approval')
    const [question] = await untilSeen(served, async () => {
      const runs = await api<FlowRun[]>('GET', '/v1/flow-runs')
      const asks = runs.find((one) => one.flow_id === flow.id && one.asks === true)
      return asks ? await api<RunQuestion[]>('GET', `/v1/flow-runs/${asks.id}/questions`) : null
    })
    expect(question?.question).toBe('Pay 84.5 EUR to Ada?')
    await fetch(question?.url ?? '', {
      method: 'POST',
      body: new URLSearchParams({ _choice: 'Reject', note: 'no receipt' }),
    })
    const run = await untilRun(({ flow_id }) => flow_id === flow.id)
    expect((await outputsOf(run))['rejected']).toEqual({ text: 'Ada gets nothing: no receipt' })
  })

  it('XML order responds in XML', async () => {
    const { status, type, body } = await tryOut('xml-order')
    expect({ status, type }).toEqual({ status: 200, type: 'application/xml; charset=utf-8' })
    expect(body).toMatch(
      /<confirmation order="A-7">\s*<id>1065<\/id>\s*<lines>2<\/lines>\s*<total>36\.00<\/total>/,
    )
  })

  it('validate responds whether an order is valid', async () => {
    const bodies = [
      undefined,
      { email: 'grace.moreau@example.test', total: 0 },
      { email: 'nobody@example.test', total: 1 },
      {},
    ]
    const answers = []
    for (const body of bodies) answers.push(await tryOut('validate', body === undefined ? {} : { body }))
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { valid: true, problem: null }],
      [422, { valid: false, problem: 'total must be above 0' }],
      [422, { valid: false, problem: 'nobody has this email' }],
      [422, { valid: false, problem: 'email is missing' }],
    ])
  })

  it('async job responds at once and keeps its result', async () => {
    const { flow, status, body } = await tryOut('async-job')
    expect({ status, body }).toEqual({ status: 200, body: null })
    const run = await untilRun(({ flow_id }) => flow_id === flow.id)
    const { done } = await outputsOf(run)
    expect({ status: run.status, state: (done as { state: string }).state }).toEqual({
      status: 'success',
      state: 'done',
    })
  })

  it('GitHub webhook only accepts signed deliveries', async () => {
    const good = await tryOut('github-webhook')
    const issue = await tryOut('github-webhook', {
      body: { action: 'opened', issue: { number: 7 } },
      headers: { 'X-GitHub-Event': 'issues' },
    })
    const bad = await tryOut('github-webhook', {
      headers: { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` },
    })
    expect([good, issue, bad].map(({ status, body }) => [status, (body as { said?: string }).said])).toEqual([
      [200, '2 commits to main'],
      [200, 'issue 7 was opened'],
      [401, undefined],
    ])
  })

  it('cursor pagination reads every ticket', async () => {
    const { body } = await tryOut('cursor-pagination')
    const { tickets, by_priority } = body as { tickets: number; by_priority: { tickets: number }[] }
    expect({ tickets, sum: by_priority.reduce((sum, one) => sum + one.tickets, 0) }).toEqual({
      tickets: 64,
      sum: 64,
    })
  })

  it('offset in headers returns CSV', async () => {
    const { status, type, body } = await tryOut('offset-headers')
    const lines = (body as string).trim().split('\r\n')
    expect({ status, type, firstLine: lines[0] }).toEqual({
      status: 200,
      type: 'text/csv; charset=utf-8',
      firstLine: 'name,email,city',
    })
    expect(lines.slice(1).every((line) => line.endsWith(',Oslo'))).toBe(true)
    expect(lines.length).toBeGreaterThan(5)
  })

  it('next link is followed to the end, by connector and by rest step', async () => {
    expect((await tryOut('next-link')).body).toMatchObject({
      orders: 64,
      again: 64,
      largest: { ids: [1058, 1045, 1032] },
    })
  })

  it('read a web page responds with its articles', async () => {
    const { status, type, body } = await tryOut('read-a-web-page')
    expect({ status, type }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(body).toMatch(/^<h1>3 articles<\/h1>\n<ul>\n<li><a href="http:\/\/[^"]+#winter-hours">Opening/)
  })

  it.runIf(onPosix)('run a program responds with its output', async () => {
    await api('PUT', '/v1/settings', { programs: [{ name: 'sort', path: '/usr/bin/sort' }] })
    expect(await tryOut('run-a-program')).toMatchObject({
      status: 200,
      body: { sorted: ['Ann', 'Bo', 'Zoe'] },
    })
  })

  it("multi-tenant uses the requesting customer's credentials", async () => {
    const known = await tryOut('multi-tenant')
    const unknown = await tryOut('multi-tenant', { body: { customer: 'nobody' } })
    expect([known, unknown].map(({ status, body }) => [status, body])).toEqual([
      [200, { customer: 'acme', contacts: 64 }],
      [404, { error: 'no such customer' }],
    ])
  })

  it('new-articles starts a run for the newest article of a feed once it is active', async () => {
    const flow = await api<Flow>('POST', '/v1/flow-samples/new-articles/plant')
    await api('PUT', `/v1/flows/${flow.id}`, { status: 'active' })
    const run = await untilRun((one) => one.flow_id === flow.id)
    const { entry, message } = (await outputsOf(run)) as Record<string, Record<string, unknown>>
    expect({ trigger: run.trigger, id: entry?.['id'], text: message?.['text'] }).toEqual({
      trigger: 'list',
      id: 'winter-hours',
      text: 'Opening hours in winter: From December on we open at nine.',
    })
  })

  it('new-mail starts for an email as soon as the server reports it', async () => {
    const server = await startImapServer()
    onTestFinished(() => server.close())
    const { id: auth_id } = await api<{ id: string }>('POST', '/v1/connector-auths', {
      connector_id: IMAP_CONNECTOR_ID,
      name: 'Mail',
      auth_type: 'username_password',
      username: 'me',
      password: 'right',
      api_endpoint: server.url,
    })
    const { id, steps } = await api<Flow>('POST', '/v1/flow-samples/new-mail/plant')
    const [trigger, ...others] = steps
    const chosen = { ...trigger!, config: { ...trigger!.config, auth_id } }
    await api('PUT', `/v1/flows/${id}`, { status: 'active', steps: [chosen, ...others] })
    // The first check counts what is there as known, on a separate connection.
    const checkedAt = async () => (await api<FlowTrigger>('GET', `/v1/flows/${id}/trigger`)).checked_at
    await expect.poll(checkedAt).not.toBeNull()
    await expect.poll(() => server.idling).toBe(1)
    const more = 'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=7.pdf\r\n'
    server.deliver(aMail({ subject: 'Your invoice 7', more }))
    const { invoice } = await outputsOf(await untilRun((run) => run.flow_id === id))
    expect(invoice).toEqual({ from: 'ada@example.test', files: ['7.pdf'] })
    await api('PUT', `/v1/flows/${id}`, { status: 'paused' })
  })

  it('new-files and new-rows start for a file and a row that are new once they are active', async () => {
    const folder = join(home.folder, 'for-flows')
    mkdirSync(join(folder, 'inbox'), { recursive: true })
    const db = new Database(join(folder, 'shop.db'))
    db.exec(`CREATE TABLE orders (id, updated_at, total); INSERT INTO orders VALUES (7, '2026-03-01', 12.5)`)
    db.close()
    await api('PUT', '/v1/settings', { file_folders: [folder] })
    const plant = async (id: string, first: object) => {
      const { id: flowId, steps } = await api<Flow>('POST', `/v1/flow-samples/${id}/plant`)
      const [trigger, ...others] = steps
      const config = { ...trigger!.config, ...first }
      await api('PUT', `/v1/flows/${flowId}`, {
        status: 'active',
        steps: [{ ...trigger, config }, ...others],
      })
      return flowId
    }
    writeFileSync(join(folder, 'inbox', 'orders.csv'), 'id,total\n1,2\n3,4\n')
    // Otherwise it waits until the file hasn't changed for two seconds.
    const files = await plant('new-files', { first: 'all', settle_seconds: 0 })
    const rows = await plant('new-rows', {})
    const ended = async (flowId: string) => outputsOf(await untilRun((run) => run.flow_id === flowId))
    expect([(await ended(files))['report'], (await ended(rows))['message']]).toEqual([
      { file: 'orders.csv', rows: 2 },
      { text: 'Order 7: 12.5' },
    ])
  })

  it('nightly report compares with the previous one', async () => {
    const flow = await api<Flow>('POST', '/v1/flow-samples/nightly-report/plant')
    const run = () => api<FlowRun>('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [first, second] = [await outputsOf(await run()), await outputsOf(await run())]
    const reports = [first, second].map(
      ({ report }) => report as { revenue: number; more_than_before: number },
    )
    expect(reports[0]!.more_than_before).toBe(reports[0]!.revenue)
    expect(reports[1]!.more_than_before).toBe(0)
  })

  it('error flow starts the flow that handles the error', async () => {
    const { flow, status } = await tryOut('error-flow')
    expect(status).toBe(500)
    const heard = await untilRun(({ flow_id }) => flow_id === flow.settings.error_handling_flow_id)
    const { note } = await outputsOf(heard)
    expect((note as { text: string }).text).toContain('Error flow: step contact said Step "contact"')
  })

  it('alarm flow starts with the alarm of the flow that failed', async () => {
    const planted = await api<Flow>('POST', '/v1/flow-samples/alarm-flow/plant')
    await api('PUT', `/v1/flows/${planted.id}`, { status: 'active' })
    const response = await fetch(`${served.url}/v1/flow-webhook/${planted.id}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${planted.webhook!.token}` },
    })
    const alarmed = await untilRun(({ flow_id }) => flow_id === planted.settings.alarms?.flow_id)
    const { note } = await outputsOf(alarmed)
    expect({ status: response.status, run: alarmed.status, note }).toEqual({
      status: 500,
      run: 'success',
      note: { text: 'Alarm: A run of "Alarm flow" failed: Step "end": There is no stock', urgent: true },
    })
  })

  it('receive an order responds for a known customer', async () => {
    expect(await tryOut('receive-an-order')).toMatchObject({ status: 200, body: { known_customer: true } })
  })

  it('remember what was seen returns an article only the first time', async () => {
    const first = await tryOut('remember-what-was-seen')
    const again = await tryOut('remember-what-was-seen', {
      body: {
        articles: [{ link: 'https://example.com/2' }, { link: 'https://example.com/3', title: 'Third' }],
      },
    })
    expect([first.body, again.body]).toEqual([{ new: ['First', 'Second'] }, { new: ['Third'] }])
  })

  it('are also created by the command line', async () => {
    const { code, stdout } = await home.run(['flow', 'import', 'sample:echo', '--json'])
    expect({ code, name: (JSON.parse(stdout) as { flow: Flow }).flow.name }).toEqual({
      code: 0,
      name: 'Echo (copy)', // Another one was planted above.
    })
    for (const [name, sentence] of [
      ['nothing', 'There is no sample "nothing"; the samples are '],
      ['ecco', 'There is no sample "ecco"; did you mean "echo"?'],
    ]) {
      const { code: refused, stderr } = await home.run(['flow', 'import', `sample:${name}`])
      expect({ refused, stderr }).toEqual({ refused: 1, stderr: expect.stringContaining(sentence ?? '') })
    }
  })
})
