import { quoted } from '../../../src/shared/contract/base/message.ts'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createApi } from '../../../src/renderer/api/create-api.ts'
import { asAppError, fieldsOf } from '../../../src/renderer/api/failure.ts'
import { listAll } from '../../../src/renderer/api/list-all.ts'
import type { Session } from '../../../src/renderer/api/session.ts'
import { AppError, fieldErrors } from '../../../src/shared/contract/base/errors.ts'
import { createFileUploadRoute, readFileContentRoute } from '../../../src/shared/contract/file-uploads.ts'
import { readFlowRoute, updateFlowRoute } from '../../../src/shared/contract/flows.ts'
import { listFlowRunsRoute } from '../../../src/shared/contract/flow-runs.ts'
import { testPaginationRoute } from '../../../src/shared/contract/pagination.ts'
import { listUsersRoute } from '../../../src/shared/contract/users.ts'
import { revokeTokenRoute } from '../../../src/shared/contract/tokens.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

test('a call fills in the path, repeats a query key and sends JSON with the bearer', async () => {
  const { api, seen } = await aProgram((_request, response) => response.end('{"id":"x"}'))
  await api.call(updateFlowRoute, { params: { id: 'a/b c' }, body: { name: 'Ä' } })
  await api.call(listFlowRunsRoute, {
    query: { filter: ['status,eq,error', 'flow_id,eq,1'], per_page: '20' },
  })
  expect(seen).toEqual([
    {
      line: 'PUT /v1/flows/a%2Fb%20c',
      bearer: 'Bearer first',
      type: 'application/json',
      body: '{"name":"Ä"}',
    },
    {
      line: 'GET /v1/flow-runs?filter=status%2Ceq%2Cerror&filter=flow_id%2Ceq%2C1&per_page=20',
      bearer: 'Bearer first',
      type: undefined,
      body: '',
    },
  ])
})

test('a response without a body is undefined', async () => {
  const { api } = await aProgram((_request, response) => response.writeHead(204).end())
  expect(await api.call(revokeTokenRoute, { params: { id: '1' } })).toBeUndefined()
})

test('a file is sent as the body, and bytes are read unchanged', async () => {
  const { api, seen } = await aProgram((request, response) =>
    response.end(request.method === 'GET' ? Buffer.from([0, 255]) : '{"id":"f"}'),
  )
  const file = new Blob(['a,b'], { type: 'text/csv' })
  const made = await api.upload(createFileUploadRoute, { query: { filename: 'ä.csv' }, file })
  const bytes = await (await api.download(readFileContentRoute, { params: { id: 'f' } })).bytes()
  expect({ made, bytes: [...bytes], seen: seen.map(({ line, type, body }) => [line, type, body]) }).toEqual({
    made: { id: 'f' },
    bytes: [0, 255],
    seen: [
      ['POST /v1/file-uploads?filename=%C3%A4.csv', 'text/csv', 'a,b'],
      ['GET /v1/file-uploads/f/content', undefined, ''],
    ],
  })
})

test('a list is read to the end', async () => {
  const { api, seen } = await aProgram((request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
    response.end(JSON.stringify(Array.from({ length: page < 3 ? 200 : 1 }, (_, index) => ({ page, index }))))
  })
  const all = await listAll(api, listUsersRoute, { sort: 'name' })
  expect({ items: all.length, lines: seen.map(({ line }) => line) }).toEqual({
    items: 401,
    lines: [1, 2, 3].map((page) => `GET /v1/users?sort=name&page=${page}&per_page=200`),
  })
})

test('the page acts as one user; a call as another affects only that call, and a deleted user is dropped', async () => {
  const gone = fieldErrors({ 'Millrace-User-Id': [quoted('must name a user')] })
  const { api, seen } = await aProgram(({ headers }, response) =>
    headers['millrace-user-id'] === 'gone'
      ? response.writeHead(400).end(JSON.stringify(gone.toEnvelope()))
      : response.end('[]'),
  )
  api.actAs('ann')
  await api.call(listUsersRoute)
  await api.as('bob').call(listUsersRoute)
  expect(api.actingAs()).toBe('ann')
  api.actAs('gone')
  await failureOf(api.call(listUsersRoute))
  await api.call(listUsersRoute)
  expect({ actingAs: api.actingAs(), seen: seen.map(({ as }) => as) }).toEqual({
    actingAs: null,
    seen: ['ann', 'bob', 'gone', undefined],
  })
})

test('the envelope becomes the error that the program threw', async () => {
  const thrown = fieldErrors({ 'steps[1].config.url': [quoted('is required')] })
  const { api } = await aProgram((_request, response) =>
    response.writeHead(thrown.status, { 'Retry-After': '7' }).end(JSON.stringify(thrown.toEnvelope())),
  )
  const error = asAppError(await failureOf(api.call(readFlowRoute, { params: { id: '1' } })))
  expect({
    code: error.code,
    message: error.message,
    headers: error.headers,
    fields: fieldsOf(error),
  }).toEqual({
    code: 'validation',
    message: '"steps[1].config.url" is required',
    headers: { 'Retry-After': '7' },
    fields: { 'steps[1].config.url': ['is required'] },
  })
})

test("a response that isn't an envelope is still an error, with the code of its status", async () => {
  const { api } = await aProgram((_request, response) => response.writeHead(404).end('<html>'))
  const error = await failureOf(api.call(readFlowRoute, { params: { id: '1' } }))
  expect(error).toMatchObject({ code: 'not_found' })
})

test("a program that can't be reached is reported as unavailable", async () => {
  const { api, stop } = await aProgram((_request, response) => response.end())
  stop()
  const error = await failureOf(api.call(readFlowRoute, { params: { id: '1' } }))
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('isn’t responding') })
})

test('an aborted call fails as aborted', async () => {
  const { api } = await aProgram(() => undefined)
  const controller = new AbortController()
  const failing = failureOf(api.call(readFlowRoute, { params: { id: '1' } }, controller.signal))
  controller.abort()
  expect(await failing).toMatchObject({ name: 'AbortError' })
})

test('after a 401 the session is renewed once and the call sent again', async () => {
  const unauthorized = JSON.stringify(new AppError('unauthorized', quoted('No such session')).toEnvelope())
  const { api, seen } = await aProgram((request, response) =>
    request.headers.authorization === 'Bearer second'
      ? response.end('{"id":"1"}')
      : response.writeHead(401).end(unauthorized),
  )
  expect(await api.call(readFlowRoute, { params: { id: '1' } })).toEqual({ id: '1' })
  expect(seen.map(({ bearer }) => bearer)).toEqual(['Bearer first', 'Bearer second'])
})

test('a list has its total and the position of its next page', async () => {
  const { api } = await aProgram((_request, response) =>
    response
      .writeHead(200, {
        'X-Total-Count': '120',
        Link: '</v1/flow-runs?per_page=2&after=r2>; rel="next", </v1/flow-runs>; rel="prev"',
      })
      .end('[{"id":"r1"},{"id":"r2"}]'),
  )
  const { items, total, after } = await api.list(listFlowRunsRoute)
  expect({ ids: items.map(({ id }) => id), total, after }).toEqual({
    ids: ['r1', 'r2'],
    total: 120,
    after: 'r2',
  })
})

test('a stream yields each line as it arrives, even if chunks split lines and characters', async () => {
  const bytes = new TextEncoder().encode('{"type":"output","value":"Ä"}\n\n{"type":"output","value":2}\n')
  const { api } = await aProgram((_request, response) => {
    response.writeHead(200)
    response.write(bytes.subarray(0, 27))
    setImmediate(() => response.end(bytes.subarray(27)))
  })
  const events = []
  for await (const event of api.stream(testPaginationRoute, { body: aTest })) events.push(event)
  expect(events).toEqual([
    { type: 'output', value: 'Ä' },
    { type: 'output', value: 2 },
  ])
})

test('leaving a stream closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const { api } = await aProgram((_request, response) => {
    response.on('close', () => closed.resolve())
    response.writeHead(200).write('{"type":"output","value":1}\n')
  })
  for await (const event of api.stream(testPaginationRoute, { body: aTest })) {
    expect(event).toEqual({ type: 'output', value: 1 })
    break
  }
  await closed.promise
})

const aTest = {
  request: { base_url: 'http://localhost', endpoint: '/' },
} as const

/** A small program on its own port with given responses, and an API client that calls it. */
async function aProgram(answer: RequestListener) {
  const seen: {
    line: string
    bearer: string | undefined
    type: string | undefined
    body: string
    as?: string | string[]
  }[] = []
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const { method, url, headers } = request
      seen.push({
        line: `${method} ${url}`,
        bearer: headers.authorization,
        type: headers['content-type'],
        body,
        ...(headers['millrace-user-id'] === undefined ? {} : { as: headers['millrace-user-id'] }),
      })
      return answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  stops.push(stop)
  let acting: string | null = null
  const session: Session = {
    bearer: () => Promise.resolve('first'),
    renew: () => Promise.resolve('second'),
    actingAs: () => acting,
    actAs(userId) {
      acting = userId
    },
    moveTo: () => undefined,
  }
  const api = createApi({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, session })
  return { api, seen, stop }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  )
}
