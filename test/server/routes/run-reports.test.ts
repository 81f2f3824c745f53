import { expect, test } from 'vitest'
import { z } from 'zod'
import type { RunReport } from '../../../src/shared/contract/run-debugging.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const SECRET = 'planted-secret-0123456789'
const TOKEN = 'planted-token-of-the-auth-42'

async function make<T = { id: string }>(app: TestApp, path: string, body: object, status = 201): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text.slice(0, 300) }).toEqual({
    status,
    text: expect.any(String),
  })
  return answer.json as T
}

/**
 * A run with secrets everywhere: in a header, query, body, response, results and variables, and written into the flow.
 */
async function aRunWithSecrets() {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ headers }, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.setHeader('X-Echo', `${headers.authorization}`)
    response.end(JSON.stringify({ yours: headers.authorization, key: SECRET, id: 7 }))
  })
  await make(app, '/v1/env-variables', { name: 'shop_key', type: 'text', value: SECRET, secret: true })
  const connector = await make(app, '/v1/connectors', { name: 'Shop', base_domain: api.url })
  const auth = { connector_id: connector.id, name: 'Mine', auth_type: 'bearer', auth_token: TOKEN }
  const { id: auth_id } = await make(app, '/v1/connector-auths', auth)
  const flow = await make(app, '/v1/flows', {
    name: 'Orders',
    settings: { dynamic_title: 'Key {{ shop_key }}', automatic_retries: false },
    steps: [
      {
        ref_id: 'call',
        type: 'rest',
        config: {
          method: 'POST',
          url: `${api.url}/orders`,
          auth_id,
          query: { key: '{{ shop_key }}', page: '1' },
          headers: { 'X-Key': '{{ shop_key }}', 'X-Api-Key': 'written-into-the-flow' },
          body: { key: '{{ shop_key }}', written: SECRET },
        },
      },
      {
        ref_id: 'keep',
        type: 'set',
        config: { values: { text: 'The key is {{ shop_key }}', all: '{{ call }}' } },
      },
      { ref_id: 'gone', type: 'rest', config: { url: 'http://127.0.0.1:1/nobody', fail_on_error: false } },
    ],
  })
  const run = await make<{ id: string }>(app, `/v1/flows/${flow.id}/run?wait=true`, {}, 200)
  return { app, api, flow, run }
}

const PLANTED = new RegExp(`${SECRET}|${TOKEN}|written-into-the-flow`)

test('a run as a file has its flow, steps, calls and versions, and no secret', async () => {
  const { app, flow, run } = await aRunWithSecrets()
  const { text, json } = await app.call('GET', `/v1/flow-runs/${run.id}/export`)
  const report = json as RunReport
  expect(text).not.toMatch(PLANTED)
  expect(text).not.toContain(Buffer.from(SECRET).toString('base64'))
  expect(report).toMatchObject({
    format: 'millrace-run',
    version: 1,
    program: {
      version: '0.0.0-test',
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
    },
    flow: { id: flow.id, name: 'Orders', steps: [{ ref_id: 'call', config: { auth: 'Mine' } }, {}, {}] },
    run: { id: run.id, flow_id: flow.id, title: 'Key ***', status: 'error', error: { ref_id: 'gone' } },
    steps: [
      {
        ref_id: 'call',
        http: [
          {
            request: { method: 'POST', headers: { 'x-key': '***', 'x-api-key': '***' } },
            response: { status: 200 },
          },
        ],
      },
      { ref_id: 'keep', output: { text: 'The key is ***' } },
      { ref_id: 'gone', status: 'error' },
    ],
    steps_cut: false,
  })
})

/** What HAR 1.2 requires of an entry. */
const named = z.array(z.looseObject({ name: z.string(), value: z.string() }))
const harFile = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    entries: z.array(
      z.looseObject({
        startedDateTime: z.iso.datetime(),
        time: z.number().min(0),
        request: z.looseObject({
          method: z.string(),
          url: z.url(),
          httpVersion: z.string(),
          cookies: named,
          headers: named,
          queryString: named,
          postData: z
            .looseObject({ mimeType: z.string(), text: z.string(), params: z.array(z.unknown()) })
            .optional(),
          headersSize: z.number().int(),
          bodySize: z.number().int(),
        }),
        response: z.looseObject({
          status: z.number().int(),
          statusText: z.string(),
          httpVersion: z.string(),
          cookies: named,
          headers: named,
          content: z.looseObject({ size: z.number().int(), mimeType: z.string() }),
          redirectURL: z.string(),
          headersSize: z.number().int(),
          bodySize: z.number().int(),
        }),
        cache: z.strictObject({}),
        timings: z.strictObject({
          send: z.number().min(0),
          wait: z.number().min(0),
          receive: z.number().min(0),
        }),
      }),
    ),
  }),
})

test('the calls of a run are a HAR file as its specification has it, without secrets', async () => {
  const { app, api, run } = await aRunWithSecrets()
  const { text, json } = await app.call('GET', `/v1/flow-runs/${run.id}/har`)
  expect(text).not.toMatch(PLANTED)
  const { entries } = harFile.parse(json).log
  expect(entries[0]).toMatchObject({
    comment: 'Step call',
    request: {
      method: 'POST',
      url: expect.stringMatching(new RegExp(`^${api.url}/orders\\?`)),
      queryString: [
        { name: 'key', value: '***' },
        { name: 'page', value: '1' },
      ],
      postData: {
        mimeType: expect.stringContaining('application/json'),
        text: '{"key":"***","written":"***"}',
      },
    },
    response: {
      status: 200,
      content: { mimeType: 'application/json', text: expect.stringContaining('"id":7') },
    },
  })
  expect(
    entries.slice(1).map(({ comment, response }) => ({ comment, status: response.status })),
  ).toContainEqual({
    comment: 'Step gone',
    status: 0,
  })
})

test('a token needs the scope of runs', async () => {
  const { app, run } = await aRunWithSecrets()
  const as = async (...scopes: string[]) => {
    const body = { scopes, expiration: null, note: '' }
    const { token } = await make<{ token: string }>(app, '/v1/personal-access-tokens', body)
    return { authorization: `Bearer ${token}` }
  }
  const [runs, none] = [await as('automation:view'), await as('connectors')]
  const paths = ['export', 'har'].map((kind) => `/v1/flow-runs/${run.id}/${kind}`)
  const statuses = await Promise.all(
    [runs, none].flatMap((headers) => paths.map((path) => app.call('GET', path, undefined, headers))),
  )
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403, 403])
  expect((await app.call('GET', '/v1/flow-runs/0b1c9a52-7a0e-4c9c-8f53-2f10b7a3e9d4/export')).status).toBe(
    404,
  )
})
