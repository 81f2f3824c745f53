import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { anAuth, connectedPorts } from '../../../../helpers/flow-connectors.ts'
import { createTestRecorder, runSteps } from '../../../../helpers/flow-run.ts'
import { startThirdPartyApi } from '../../../../helpers/third-party-api.ts'

const AUTH = anAuth()

interface Given {
  /** The status for each time that it is requested; the last one is repeated. */
  readonly statuses?: readonly string[]
  readonly file?: { readonly type: string; readonly content: string | Buffer }
  readonly retryAfter?: string
}

/** An API with exports: `POST /exports`, `GET /exports/7`, and the file on the same origin or another one. */
async function exporter({ statuses = ['queued', 'RUNNING', 'Completed'], file, retryAfter }: Given = {}) {
  const { type, content } = file ?? { type: 'application/json', content: '[{"id":1},{"id":2}]' }
  let asked = 0
  return startThirdPartyApi(({ method, target, headers }, response) => {
    const json = (value: unknown, more: Record<string, string> = {}) =>
      response.writeHead(200, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(value))
    if (method === 'POST') json({ id: 7 })
    else if (method === 'DELETE') json({})
    else if (target === '/exports/7')
      json(
        { status: statuses[Math.min(asked++, statuses.length - 1)], url: `http://${headers.host}/files/7` },
        retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
      )
    else response.writeHead(200, { 'Content-Type': type }).end(content)
  })
}

const job = (
  url: string,
  config: Record<string, unknown> = {},
  more: Partial<StepInput> = {},
): StepInput => ({
  ref_id: 'export',
  type: 'export_job',
  config: {
    url: `${url}/exports`,
    body: { from: '{{ start }}' },
    status_url: `${url}/exports/{{ job.body.id }}`,
    download_url: '{{ poll.body.url }}',
    ...config,
  },
  ...more,
})

const linesOf = ({ received }: Awaited<ReturnType<typeof exporter>>) =>
  received.map(({ method, target }) => `${method} ${target}`)

describe('an export job', () => {
  it('is created once, asked for with growing waits, and downloaded as a list', async () => {
    const api = await exporter()
    const { results, error, slept } = await runSteps([job(api.url)], {
      ports: connectedPorts(),
      env: { start: '2030-01-01' },
    })
    expect({ error, results, slept, lines: linesOf(api), sent: api.received[0]?.body.toString() }).toEqual({
      error: null,
      results: { export: [{ id: 1 }, { id: 2 }] },
      slept: [5_000, 7_500, 11_250],
      lines: ['POST /exports', 'GET /exports/7', 'GET /exports/7', 'GET /exports/7', 'GET /files/7'],
      sent: '{"from":"2030-01-01"}',
    })
    expect(api.received[0]?.headers['idempotency-key']).toBe('run-1-export')
  })

  it.each([
    [
      'JSON lines',
      { format: 'ndjson' },
      'application/octet-stream',
      '{"id":1}\n{"id":2}\n',
      [{ id: 1 }, { id: 2 }],
    ],
    ['CSV by its Content-Type', {}, 'text/csv', 'id\n1\n2\n', [{ id: '1' }, { id: '2' }]],
    ['compressed CSV', { format: 'csv' }, 'application/gzip', gzipSync('id\n1\n'), [{ id: '1' }]],
    [
      'compressed JSON with a path',
      { records: '$.rows' },
      'application/x-gzip',
      gzipSync('{"rows":[{"id":1}]}'),
      [{ id: 1 }],
    ],
  ])('reads %s', async (_, config, type, content, records) => {
    const api = await exporter({ statuses: ['done'], file: { type, content } })
    const { results, error } = await runSteps([job(api.url, config)], { ports: connectedPorts() })
    expect({ error, results }).toEqual({ error: null, results: { export: records } })
  })

  it('reads pages if the download has some, and returns the last status if nothing is downloaded', async () => {
    const api = await startThirdPartyApi(({ target }, response) => {
      const page = new URL(target, 'http://any.test').searchParams.get('page') ?? '0'
      const rows = { 0: [1, 2], 1: [3] }[page] ?? []
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(target.includes('/rows') ? rows : { status: 'ready', rows: 3 }))
    })
    const paged = { download_url: `${api.url}/rows`, pagination: { query: '{"page": {{ page }}}' } }
    const { results } = await runSteps(
      [job(api.url, paged), { ...job(api.url, { download_url: '' }), ref_id: 'plain' }],
      { ports: connectedPorts() },
    )
    expect(results).toEqual({ export: [1, 2, 3], plain: { status: 'ready', rows: 3 } })
  })

  it('waits as long as the API asks for, and continues with the same job', async () => {
    const api = await exporter({ retryAfter: '120' })
    const recorder = createTestRecorder()
    const { outcome } = await runSteps([job(api.url, { interval_seconds: 1 })], {
      ports: connectedPorts(),
      recorder,
      resumable: true,
    })
    expect({ outcome, lines: linesOf(api) }).toMatchObject({
      outcome: { kind: 'halted', reason: 'parked', resumeAt: expect.any(Number) as unknown },
      lines: ['POST /exports', 'GET /exports/7'],
    })
    const resumeAt = outcome.kind === 'halted' ? (outcome.resumeAt ?? 0) : 0
    const resumed = await runSteps([job(api.url, { interval_seconds: 1 })], {
      ports: { ...connectedPorts(), clock: { now: () => resumeAt, monotonic: () => 0 } },
      resumable: true,
      resumeFrom: recorder.resumeState(),
    })
    expect({ status: resumed.status, lines: linesOf(api).slice(2) }).toEqual({
      status: 'parked',
      lines: ['GET /exports/7'],
    })
  })

  it('fails with the status of a failed job; the next attempt creates another one', async () => {
    const api = await exporter({ statuses: ['failed', 'done'] })
    const failed = await runSteps([job(api.url, { failed: ['nope', 'FAILED'] })], { ports: connectedPorts() })
    expect(failed.error).toMatchObject({
      code: 'export_failed',
      message: 'Step "export": the job ended with the status "failed"',
    })
    const other = await exporter({ statuses: ['failed', 'done'] })
    const retried = await runSteps([job(other.url, {}, { retry: { attempts: 2, wait_seconds: 1 } })], {
      ports: connectedPorts(),
    })
    expect({ status: retried.status, lines: linesOf(other) }).toEqual({
      status: 'success',
      lines: ['POST /exports', 'GET /exports/7', 'POST /exports', 'GET /exports/7', 'GET /files/7'],
    })
  })

  it('cancels a job that takes too long', async () => {
    const api = await exporter({ statuses: ['running'] })
    const { error } = await runSteps(
      [job(api.url, { timeout_minutes: 0.25, cancel_url: `${api.url}/exports/{{ job.body.id }}` })],
      { ports: connectedPorts() },
    )
    expect({ error, lines: linesOf(api) }).toMatchObject({
      error: { code: 'timeout', field: 'config.timeout_minutes' },
      lines: ['POST /exports', 'GET /exports/7', 'GET /exports/7', 'DELETE /exports/7'],
    })
  })

  it('sends credentials only to its own origin, and reads no template out of a response', async () => {
    const files = await exporter()
    const api = await startThirdPartyApi(({ method }, response) => {
      const url = `${files.url}/files/{{ start }}`
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(method === 'POST' ? { id: 7 } : { status: 'done', url }))
    })
    const { error } = await runSteps([job(api.url, { auth_id: AUTH.id })], {
      ports: connectedPorts({ auth: AUTH }),
      env: { start: 'secret' },
    })
    expect({
      error,
      api: api.received.map(({ headers }) => headers.authorization),
      files: files.received.map(({ headers, target }) => [target, headers.authorization]),
    }).toEqual({
      error: null,
      api: [`Bearer ${AUTH.auth_token}`, `Bearer ${AUTH.auth_token}`],
      files: [['/files/%7B%7B%20start%20%7D%7D', undefined]],
    })
  })
})
