import { describe, expect, it } from 'vitest'
import type { ConnectorImportPlan } from '../../../src/shared/contract/connector-imports.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { session } from '../../helpers/test-server.ts'

/** An API description of any requested size. */
const anApi = (bytes: number) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Large', version: '1', description: 'x'.repeat(bytes) },
    servers: [{ url: 'https://api.example.test' }],
    paths: { '/things': { get: { operationId: 'list_things', responses: {} } } },
  })

/** Ten lists that refer to each other; expanded, the last one has ten billion members. */
const A_BOMB = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, at) => {
    const names = Array.from({ length: 10 }, () => `*a${at}`).join(', ')
    return `a${at + 1}: &a${at + 1} [${names}]`
  }),
].join('\n')

describe('a slow import', () => {
  it('is stopped with a sentence, and others are served in the meantime', async () => {
    const app = await startTestApp({ importLimits: { timeMs: 1_500, memoryMb: 256 } })
    const lines = Array.from({ length: 400_000 }, (_, at) => `key${at}: {a: [1, 2, {b: *top}]}`)
    const hostile = `openapi: 3.1.0\ntop: &top [1]\n${lines.join('\n')}`.slice(0, 5_000_000)
    let isOver = false
    const planned = app
      .call('POST', '/v1/connectors/import/plan', { source: hostile })
      .finally(() => (isOver = true))
    const others = [await app.call('GET', '/v1/health'), await app.call('GET', '/v1/flows')]
    expect([isOver, others.map(({ status }) => status)]).toEqual([false, [200, 200]])
    const { status, json } = await planned
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        error: 'validation',
        message: expect.stringMatching(
          /^The source (?:takes longer to read than the limit of 1.5 seconds|needs more than the limit of 256 MB)/,
        ),
      },
    })
  })

  it('is stopped whatever its format', async () => {
    const app = await startTestApp({ importLimits: { timeMs: 1, memoryMb: 256 } })
    const answers = await Promise.all([
      app.call('POST', '/v1/flows/import/plan', { source: '{"nodes":[],"connections":{}}' }),
      app.call('POST', '/v1/connectors/import/plan', { source: 'curl https://api.example.test/things' }),
    ])
    expect(answers.map(({ status, json }) => [status, (json as { data: unknown }).data])).toEqual(
      answers.map(() => [
        400,
        { source: [expect.stringContaining('takes longer to read than the limit of 0.001 seconds')] },
      ]),
    )
  })

  it("is rejected if aliases expand beyond an import's limit", async () => {
    const app = await startTestApp()
    const { status, json } = await app.call('POST', '/v1/connectors/import/plan', { source: A_BOMB })
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/aliases|values/) },
    })
  })
})

describe('an import of more than 5 MiB', () => {
  it('is rejected as a body with a hint, and accepted as an uploaded file', async () => {
    const app = await startTestApp()
    const source = anApi(6_000_000)
    for (const path of ['/v1/connectors/import/plan', '/v1/flows/import/plan', '/v1/flows/import'])
      expect(await app.call('POST', path, { source })).toMatchObject({
        status: 413,
        json: {
          error: 'too_large',
          message: expect.stringContaining('upload it as a file of up to 32 MiB (POST /v1/file-uploads)'),
        },
      })
    const upload = await callHttp(app.port, {
      method: 'POST',
      path: '/v1/file-uploads?filename=api.json',
      headers: { ...session, 'content-type': 'application/json' },
      body: source,
    })
    const { id: file_id } = upload.json as { id: string }
    const plan = await app.call('POST', '/v1/connectors/import/plan', { file_id })
    expect([plan.status, (plan.json as ConnectorImportPlan).file.connector.name]).toEqual([200, 'Large'])
    expect(await app.call('POST', '/v1/connectors/import', { file_id })).toMatchObject({
      status: 201,
      json: { name: 'Large' },
    })
    expect(await app.call('POST', '/v1/flows/import/plan', { file_id })).toMatchObject({
      status: 400,
      json: { error: 'validation' },
    })
  })

  it('needs one source, and an existing file', async () => {
    const app = await startTestApp()
    const path = '/v1/flows/import/plan'
    const statuses = await Promise.all(
      [{}, { source: '{}', file_id: 'x' }, { file_id: 'x' }].map(
        async (body) => (await app.call('POST', path, body)).status,
      ),
    )
    expect(statuses).toEqual([400, 400, 404])
  })
})
