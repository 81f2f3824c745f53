import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { RunQuestion } from '../../../src/shared/contract/reach/questions.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { addMailAuth, startMailServer } from '../../helpers/mail-server.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { session } from '../../helpers/test-server.ts'

const NOTE = { name: 'note', type: 'textarea', label: 'Note' }
const came = (label: string): StepInput[] => [
  { ref_id: `did_${label}`, type: 'set', config: { values: { label } } },
]
const ask = (config: object = {}): StepInput => ({
  ref_id: 'approval',
  type: 'ask_person',
  config: { question: 'Pay {{ start.invoice }}?', details: 'From\nNorthwind', fields: [NOTE], ...config },
  cases: [
    { label: 'Approve', steps: came('approve') },
    { label: 'Reject', steps: came('reject') },
  ],
  default: came('nobody'),
})
const start = (invoice = '4711'): StepInput => ({
  ref_id: 'start',
  type: 'set',
  config: { values: { invoice } },
})
const end: StepInput = { ref_id: 'end', type: 'set', config: { values: { said: '{{ approval }}' } } }

/** Starts a run in the queue, and waits until it asks. */
async function asked(app: FlowApp, steps: readonly StepInput[] = [start(), ask(), end]) {
  const { flow } = await app.addFlow(steps)
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run`)
  const { flow_run_id: id } = json as { flow_run_id: string }
  await app.until((run) => run.id === id && run.asks === true && run.parked_until !== undefined)
  return { id, ...(await linkOf(app, id)) }
}

async function linkOf(app: FlowApp, id: string) {
  const [question] = (await app.call('GET', `/v1/flow-runs/${id}/questions`)).json as RunQuestion[]
  return { question, path: new URL(question!.url).pathname }
}

const open = (app: FlowApp, path: string, more = {}) => callHttp(app.port, { path, ...more })
const send = (app: FlowApp, path: string, values: Record<string, string>, headers = {}) =>
  callHttp(app.port, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(values).toString(),
  })
const titleOf = ({ text }: { text: string }) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]

async function outputs(app: FlowApp, id: string) {
  const run = await app.until((one) => one.id === id && one.finished_at !== null)
  const steps = app.stepsOf(run)
  return { run, output: Object.fromEntries(steps.map(({ ref_id, output }) => [ref_id, output])) }
}

describe('a question to a person', () => {
  it('parks the run; opening its page shows it, and pressing a button answers it', async () => {
    const app = await startFlowApp()
    const { id, question, path } = await asked(app)
    expect(question).toMatchObject({
      ref_id: 'approval',
      question: 'Pay 4711?',
      choices: ['Approve', 'Reject'],
      has_fields: true,
      public_url: null,
    })
    const page = await open(app, path)
    expect([page.status, titleOf(page)]).toEqual([200, 'Pay 4711?'])
    await app.call('POST', `/v1/flows/${(await app.addFlow([end])).flow.id}/run?wait=true`)
    const listed = async (filter: string) =>
      ((await app.call('GET', `/v1/flow-runs?filter=${filter}`)).json as FlowRun[]).map(
        (run) => run.id === id,
      )
    expect([await listed('asks,eq,true'), await listed('asks,eq,false')]).toEqual([[true], [false]])
    expect(page.headers['content-security-policy']).toMatch(/^sandbox allow-forms; default-src 'none'/)
    expect(page.text).toContain('<p>From\nNorthwind</p>')
    expect(page.text).toContain('<button name="_choice" value="Approve">Approve</button>')
    const head = await open(app, path, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await open(app, `${path}?utm_source=mail`)).status).toBe(200)

    const [, asking] = app.stepsOf(await app.until((one) => one.id === id))
    const answer = await send(app, path, { _choice: 'Approve', note: ' fine ' })
    expect([answer.status, titleOf(answer)]).toEqual([200, 'Thank you'])
    const { run, output } = await outputs(app, id)
    expect(run).toMatchObject({ status: 'success' })
    expect(run.asks).toBeUndefined()
    // The step began when it asked, and waiting for the answer is part of it.
    const [, waited] = app.stepsOf(run)
    expect(waited?.started_at).toBe(asking?.started_at)
    const until = Date.parse(waited?.started_at ?? '') + (waited?.duration_ms ?? 0)
    expect(until).toBeGreaterThanOrEqual(
      Date.parse(String((waited?.output as { answered_at?: string } | null)?.answered_at)),
    )
    expect(await listed('asks,eq,true')).toEqual([])
    expect(output).toMatchObject({
      approval: {
        choice: 'Approve',
        fields: { note: ' fine ' },
        answered_at: expect.stringMatching(/^20.*Z$/),
        timed_out: false,
      },
      did_approve: { label: 'approve' },
      end: { said: { choice: 'Approve' } },
    })
    expect(output['did_reject']).toBeUndefined()
    expect((await app.call('GET', `/v1/flow-runs/${id}/questions`)).json).toEqual([])
    expect(await app.requests()).toEqual([])
  })

  it('has the logo of its step on all its pages, as long as the file is there', async () => {
    const app = await startFlowApp()
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const uploaded = await fetch(`http://127.0.0.1:${app.port}/v1/file-uploads?filename=logo.png`, {
      method: 'POST',
      headers: { ...session, 'content-type': 'image/png' },
      body: new Uint8Array(png),
    })
    const { id: logoId } = (await uploaded.json()) as { id: string }
    const { path } = await asked(app, [start(), ask({ logo_file_id: logoId, logo_alt: 'Northwind' }), end])
    const image = `<img class="logo" src="data:image/png;base64,${png.toString('base64')}" alt="Northwind">`
    const pages = [await open(app, path), await send(app, path, { _choice: 'Approve' })]
    expect(pages.map(({ text }) => text.includes(image))).toEqual([true, true])

    const again = await asked(app, [start(), ask({ logo_file_id: logoId })])
    await app.call('DELETE', `/v1/file-uploads/${logoId}`)
    const page = await open(app, again.path)
    expect([page.status, page.text.includes('<img')]).toEqual([200, false])
  })

  it('can be answered once: later answers, opened links and other tokens get an explanation', async () => {
    const app = await startFlowApp()
    const { id, path } = await asked(app)
    const both = await Promise.all([
      send(app, path, { _choice: 'Approve' }),
      send(app, path, { _choice: 'Reject' }),
    ])
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const { output } = await outputs(app, id)
    const first = both[0]?.status === 200 ? 'Approve' : 'Reject'
    expect(output['approval']).toMatchObject({ choice: first })
    const again = [await open(app, path), await send(app, path, { _choice: 'Reject' })]
    expect(again.map((one) => [one.status, titleOf(one)])).toEqual([
      [409, 'Already answered'],
      [409, 'Already answered'],
    ])
    const other = await open(app, `${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}`)
    const german = await open(app, '/v1/flow-webhook/question/x', { headers: { 'accept-language': 'de' } })
    expect([other.status, titleOf(other), german.status, titleOf(german)]).toEqual([
      404,
      'Question not found',
      404,
      'Frage nicht gefunden',
    ])
    const put = await open(app, path, { method: 'PUT' })
    expect([put.status, put.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('expires, even while Millrace is off, and the steps for that case run', async () => {
    const dataDir = temporaryFolder()
    let later = 0
    const clock = { now: () => Date.now() + later, monotonic: () => performance.now() }
    const first = await startFlowApp({ dataDir, clock })
    const { id, path } = await asked(first, [start(), ask({ timeout_hours: '{{ 1 + 1 }}' }), end])
    first.services.runtime.beginStop()
    await first.services.runtime.stop({ graceMs: 2_000 })
    first.store.close()
    later = 2.1 * 3_600_000
    const app = await startFlowApp({ dataDir, clock })
    const { output } = await outputs(app, id)
    expect(output).toMatchObject({
      approval: { choice: null, fields: {}, answered_at: null, timed_out: true },
      did_nobody: { label: 'nobody' },
    })
    const late = [await open(app, path), await send(app, path, { _choice: 'Approve' })]
    expect(late.map((one) => [one.status, titleOf(one)])).toEqual([
      [410, 'Too late'],
      [410, 'Too late'],
    ])
  })

  it('is closed when its run is cancelled, or its flow is deleted', async () => {
    const app = await startFlowApp()
    const one = await asked(app)
    expect((await app.call('POST', `/v1/flow-runs/${one.id}/cancel`)).status).toBe(200)
    const cancelled = [await open(app, one.path), await send(app, one.path, { _choice: 'Approve' })]
    expect(cancelled.map((page) => [page.status, titleOf(page)])).toEqual([
      [410, 'No longer needed'],
      [410, 'No longer needed'],
    ])
    expect((await app.call('GET', `/v1/flow-runs/${one.id}/questions`)).json).toEqual([])
    const other = await asked(app)
    const run = app.runs().find(({ id }) => id === other.id) as FlowRun
    await app.call('DELETE', `/v1/flows/${run.flow_id}`)
    expect([404, 410]).toContain((await send(app, other.path, { _choice: 'Approve' })).status)
  })

  it("survives a restart, as does an answer that the run hasn't received yet", async () => {
    const dataDir = temporaryFolder()
    const first = await startFlowApp({ dataDir })
    const warned: StepInput = { ref_id: 'told', type: 'respond', config: { body: 'hello' } }
    const [waits, answered] = [await asked(first, [start(), warned, ask(), end]), await asked(first)]
    first.services.runtime.beginStop()
    await send(first, answered.path, { _choice: 'Reject' })
    await first.services.runtime.stop({ graceMs: 2_000 })
    first.store.close()
    const second = await startFlowApp({ dataDir })
    expect((await outputs(second, answered.id)).output['approval']).toMatchObject({ choice: 'Reject' })
    expect((await send(second, waits.path, { _choice: 'Approve', note: 'late' })).status).toBe(200)
    const { run, output } = await outputs(second, waits.id)
    expect(output['approval']).toMatchObject({ choice: 'Approve', fields: { note: 'late' } })
    expect(run.warnings.map(({ code }) => code)).toEqual(['nobody_waits'])
  })

  it('also works in a run whose caller waits, and has one button if it has no choices', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      { ref_id: 'web1', type: 'webhook', config: { response_body: '{{ approval | tojson }}' } },
      {
        ref_id: 'approval',
        type: 'ask_person',
        config: { question: 'How many?', fields: [{ name: 'n', type: 'number' }] },
      },
    ])
    const response = app.trigger(hook)
    const { id } = await app.until((run) => run.asks === true)
    const { path } = await linkOf(app, id)
    expect((await open(app, path)).text).toContain('<button>Send</button>')
    await send(app, path, { n: '3' })
    expect((await response).json).toMatchObject({ choice: null, fields: { n: 3 }, timed_out: false })
  })

  it('takes files, which belong to its run; a rejected or late answer stores none', async () => {
    const dataDir = temporaryFolder()
    const app = await startFlowApp({ dataDir })
    const fields = [{ name: 'receipt', type: 'file', accept: ['.pdf'], required: true }]
    const { id, path } = await asked(app, [start(), ask({ fields })])
    const post = async (choice: string, content: string) => {
      const data = new FormData()
      data.append('_choice', choice)
      data.append('receipt', new Blob([content], { type: 'application/pdf' }), 'a.pdf')
      return (await fetch(`http://127.0.0.1:${app.port}${path}`, { method: 'POST', body: data })).status
    }
    const rejected = [await post('Approve', 'MZ'), await post('Something', '%PDF-1.7')]
    const kept = existsSync(join(dataDir, 'files'))
    const both = await Promise.all([post('Approve', '%PDF-1.7'), post('Approve', '%PDF-1.7')])
    const { approval } = (await outputs(app, id)).output as {
      approval: { fields: { receipt: { file_id: string } } }
    }
    const { receipt } = approval.fields
    expect({ rejected, kept, both: both.toSorted(), receipt }).toMatchObject({
      rejected: [400, 400],
      kept: false,
      both: [200, 409],
      receipt: { filename: 'a.pdf', content_type: 'application/pdf', size: 8 },
    })
    const files = readdirSync(join(dataDir, 'files')).toSorted()
    const { flow_run_id: runId } = JSON.parse(
      readFileSync(join(dataDir, 'files', `${receipt.file_id}.json`), 'utf8'),
    ) as { flow_run_id: string }
    expect({ files, runId }).toEqual({ files: [receipt.file_id, `${receipt.file_id}.json`], runId: id })
  })

  it('is asked once in each iteration of a loop', async () => {
    const app = await startFlowApp()
    const question = { ...ask({ question: 'Pay {{ item }}?' }), default: [] }
    const loop: StepInput = { ref_id: 'each', type: 'loop', config: { over: ['a', 'b'] }, steps: [question] }
    const { id, path } = await asked(app, [loop])
    await send(app, path, { _choice: 'Approve' })
    await app.until((run) => run.id === id && run.asks === true)
    const second = await linkOf(app, id)
    expect(second.question?.question).toBe('Pay b?')
    await send(app, second.path, { _choice: 'Reject' })
    const { run } = await outputs(app, id)
    const answers = app.stepsOf(run).filter(({ ref_id: ref }) => ref === 'approval')
    expect(answers.map(({ output }) => (output as { choice: string }).choice).toSorted()).toEqual([
      'Approve',
      'Reject',
    ])
  })

  it('is sent by email, once, with the link', async () => {
    const app = await startFlowApp()
    const server = await startMailServer()
    const authId = await addMailAuth(app, server.url)
    const { id, path } = await asked(app, [
      start(),
      ask({ auth_id: authId, to: 'Grace <grace@example.test>' }),
    ])
    await send(app, path, { _choice: 'Approve' })
    const { run } = await outputs(app, id)
    expect(server.received).toHaveLength(1)
    const [mail] = server.received
    expect(mail).toMatchObject({ from: 'ada@example.test', to: ['grace@example.test'] })
    expect(mail?.source).toContain('Subject: Pay 4711?')
    expect(mail?.source.replaceAll('=\r\n', '')).toContain(path)
    expect(run.warnings.map(({ code }) => code)).toEqual(['local_link'])
    const shown = app.stepsOf(run).flatMap((step) => step.warnings.map(({ code }) => [step.ref_id, code]))
    expect(shown).toEqual([['approval', 'local_link']])
  })

  it('is sent by email with its texts in the body alone, whatever they contain', async () => {
    const app = await startFlowApp()
    const server = await startMailServer()
    const auth_id = await addMailAuth(app, server.url)
    const hostile = '4711\r\nBcc: eve@example.test\r\n\r\n.\r\nRCPT TO:<eve@example.test>\u2028X-A: b\0'
    const mail = { auth_id, to: 'grace@example.test' }
    for (const config of [
      { ...mail, details: '{{ start.invoice }}' },
      { ...mail, subject: '{{ start.invoice }}' },
    ])
      await asked(app, [start(hostile), ask(config)])
    const failed: unknown[] = []
    for (const config of [
      { ...mail, to: 'grace@example.test\r\nBcc: eve@example.test' },
      { ...mail, from: '"A\r\nBcc: eve@example.test" <ada@example.test>' },
    ]) {
      const { flow } = await app.addFlow([start(hostile), ask(config)])
      const { json: run } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
      failed.push((run as FlowRun).error?.code)
    }
    const headers = server.received.map(({ source }) => source.split('\r\n\r\n', 1)[0] ?? '')
    const names = headers.map((text) =>
      text
        .replaceAll(/\r\n[ \t]/g, ' ')
        .split('\r\n')
        .map((line) => line.split(':')[0]),
    )
    const usual = [
      'From',
      'To',
      'Subject',
      'Message-ID',
      'Content-Transfer-Encoding',
      'Date',
      'MIME-Version',
      'Content-Type',
    ]
    expect({
      to: server.received.map(({ to }) => to),
      others: names.flat().filter((name) => !usual.includes(name ?? '')),
      failed,
    }).toEqual({
      to: [['grace@example.test'], ['grace@example.test']],
      others: [],
      failed: ['validation', 'validation'],
    })
  })
})

describe('access to an answer', () => {
  it('needs the link, which only users who can start runs can read', async () => {
    const dataDir = temporaryFolder()
    const app = await startFlowApp({ dataDir })
    const { id, path } = await asked(app)
    const token = path.split('/').at(-1) ?? ''
    const create = (scopes: string[]) =>
      app.call('POST', '/v1/personal-access-tokens', { note: 'x', expiration: 1, scopes })
    const statuses = []
    for (const scope of ['automation:view', 'automation:manage']) {
      const { token: secret } = (await create([scope])).json as { token: string }
      const headers = { authorization: `Bearer ${secret}` }
      statuses.push((await callHttp(app.port, { path: `/v1/flow-runs/${id}/questions`, headers })).status)
    }
    expect(statuses).toEqual([403, 200])
    const readable = [
      (await app.call('GET', `/v1/flow-runs/${id}/steps`)).text,
      (await app.call('GET', '/v1/flow-runs')).text,
      JSON.stringify(app.logged),
      ...readdirSync(dataDir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(dataDir, name), 'latin1')),
    ]
    expect(readable.filter((text) => text.includes(token))).toEqual([])
  })

  it('counts towards the rate limit of webhooks, which prevents guessing', async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: 3 } })
    const statuses = []
    for (let count = 0; count < 5; count++)
      statuses.push((await open(app, '/v1/flow-webhook/question/mr_ask_x')).status)
    expect(statuses).toEqual([404, 404, 404, 429, 429])
  })
})

describe('hostile input', () => {
  const SCRIPT = '"></textarea><script>alert(1)</script>\'`&'

  it('is never part of the page', async () => {
    const app = await startFlowApp()
    const question: StepInput = {
      ...ask({
        details: SCRIPT,
        fields: [{ name: 'constructor', label: SCRIPT, help: SCRIPT, required: true }],
      }),
      cases: [{ label: SCRIPT, steps: [] }],
    }
    const { path, id } = await asked(app, [start(SCRIPT), question])
    const pages = [await open(app, path), await send(app, path, { _choice: SCRIPT })]
    expect(pages.map(({ status }) => status)).toEqual([200, 400])
    for (const { text } of pages) expect(text).not.toMatch(/<script|alert\(1\)</)
    await send(app, path, { _choice: SCRIPT, constructor: SCRIPT })
    expect((await outputs(app, id)).output['approval']).toMatchObject({
      choice: SCRIPT,
      fields: { constructor: SCRIPT },
    })
  })

  it('is not an answer: a wrong button, unknown fields, other types, too much data', async () => {
    const app = await startFlowApp()
    const { id, path } = await asked(app)
    const json = { 'content-type': 'application/json' }
    const post = (body: string, headers: Record<string, string>) =>
      callHttp(app.port, { method: 'POST', path, headers, body })
    const statuses = [
      await send(app, path, {}),
      await send(app, path, { _choice: 'Approve it' }),
      await send(app, path, { _choice: 'Approve', other: 'x' }),
      await send(app, path, { _choice: 'Approve', __proto__x: 'x' }),
      await send(app, path, { _choice: 'Approve', _website: 'x' }),
      await send(app, path, { _choice: 'Approve', note: 'x'.repeat(20_001) }),
      await post('{"_choice": {"toString": "Approve"}}', json),
      await post('{"_choice": "Approve", "note": {"a": 1}}', json),
      await post('<a/>', { 'content-type': 'application/xml' }),
      await send(app, path, { _choice: 'Approve', note: 'x'.repeat(1_048_577) }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 400, 400, 415, 413])
    expect(app.runs().find((run) => run.id === id)?.asks).toBe(true)
  })

  it("can't be saved: empty questions and labels, repeated labels, invalid times", async () => {
    const app = await startFlowApp()
    const wrong: readonly [step: object, field: string][] = [
      [{ config: {} }, 'config.question'],
      [{ config: { question: ' ' } }, 'config.question'],
      [{ config: { question: 'x', timeout_hours: 0 } }, 'config.timeout_hours'],
      [{ config: { question: 'x', timeout_hours: 9_000 } }, 'config.timeout_hours'],
      [{ config: { question: 'x', auth_id: 'a' } }, 'config.to'],
      [{ config: { question: 'x' }, cases: [{ label: ' ', steps: [] }] }, 'cases[0].label'],
      [
        {
          config: { question: 'x' },
          cases: [
            { label: 'a', steps: [] },
            { label: 'a', steps: [] },
          ],
        },
        'cases[1].label',
      ],
      [{ config: { question: 'x', fields: [{ name: '_choice' }] } }, 'config.fields[0].name'],
    ]
    const got: unknown[] = []
    for (const [step] of wrong) {
      const steps = [{ ref_id: 'a', type: 'ask_person', ...step }]
      const { json } = await app.call('POST', '/v1/flows', { name: 'X', steps })
      got.push([step, Object.keys((json as { data: object }).data).join()])
    }
    expect(got).toEqual(wrong.map(([step, field]) => [step, `steps[0].${field}`]))
  })

  it('fails with a sentence: an invalid time, and a test of the step by itself', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([start(), ask({ timeout_hours: '{{ start.invoice }}x' })])
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    expect((json as FlowRun).error?.message).toBe(
      'Step "approval": "timeout_hours" is "4711x"; it must be a number above 0 and up to 8784',
    )
    const other = await app.addFlow([start(), ask()])
    const tried = await app.call('POST', `/v1/flows/${other.flow.id}/steps/approval/run`, {
      results: { start: {} },
    })
    expect((tried.json as { error: { message: string } }).error.message).toContain(
      'run the whole flow to try it',
    )
  })
})
