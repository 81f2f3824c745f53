import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type {
  ListedRequest,
  WebhookRequestDetail,
  WebhookRequest,
} from '../../../src/shared/contract/webhooks.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const ECHO = [
  {
    ref_id: 'web1',
    type: 'webhook',
    config: { response_status_code: 201, response_body: '{"id": "{{ web1.id }}"}' },
  },
] as const

async function detailOf(app: FlowApp): Promise<WebhookRequestDetail> {
  const [request] = await app.requests()
  return (await app.call('GET', `/v1/webhook-requests/${request!.id}`)).json as WebhookRequestDetail
}

async function changeAnswer(app: FlowApp, { flow }: Hook, config: object): Promise<void> {
  const steps = [{ ref_id: 'web1', type: 'webhook', config }]
  expect(await app.call('PUT', `/v1/flows/${flow.id}`, { steps })).toMatchObject({ status: 200 })
}

describe('the details of a webhook request', () => {
  it('show the body as sent, what was parsed from it, the source of each key, and the response', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await app.trigger(hook, { body: { id: 'body', total: 7 }, query: '?id=query&page=2' })
    expect(await detailOf(app)).toMatchObject({
      request: { status: 201, method: 'POST' },
      received: {
        encoding: 'text',
        body: '{"id":"body","total":7}',
        kind: 'json',
        truncated: false,
        input: { id: 'query', total: 7, page: '2' },
        keys: [
          { name: 'id', from: 'both', lost: 'body' },
          { name: 'total', from: 'body' },
          { name: 'page', from: 'query' },
        ],
      },
      answer: { status: 201, body: '{"id": "query"}', headers: { 'content-type': 'application/json' } },
      rate_limit: { used: 1, limit: 300 },
    })
  })

  it('show XML as sent next to its parsed form, and binary data as hex', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await app.trigger(hook, {
      body: gzipSync('<order><id>A-1</id></order>'),
      headers: { 'content-type': 'application/xml', 'content-encoding': 'gzip' },
    })
    expect((await detailOf(app)).received).toMatchObject({
      body: '<order><id>A-1</id></order>',
      kind: 'xml',
      input: { order: { id: 'A-1' } },
    })
    await app.trigger(hook, {
      body: Buffer.from([0xff, 0xfe, 0x00, 0x41]),
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect((await detailOf(app)).received).toMatchObject({ encoding: 'hex', body: 'fffe0041', kind: 'text' })
  })

  it('show the response to a caller with a wrong token, and keep nothing of its body', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    const answer = await app.trigger(hook, {
      headers: { authorization: 'Bearer wrong' },
      body: { secret: 1 },
    })
    const detail = await detailOf(app)
    expect(detail.received).toBe(null)
    expect(JSON.parse(detail.answer?.body ?? '')).toEqual(answer.json)
  })

  it('keeps a body that could not be read, without its content encoding', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    const answer = await app.trigger(hook, {
      body: gzipSync('{"id": '),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    const detail = await detailOf(app)
    expect({ status: answer.status, received: detail.received }).toEqual({
      status: 400,
      received: { encoding: 'text', body: '{"id": ', truncated: false, kind: null, input: null, keys: [] },
    })
    await app.trigger(hook, { body: gzipSync('{}').subarray(0, 9), headers: { 'content-encoding': 'gzip' } })
    expect((await detailOf(app)).received).toMatchObject({ encoding: 'hex', body: '1f8b08000000000000' })
  })

  it('keeps the first 64 KB of such a body, up to a whole character', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    const body = `"${'ä'.repeat(50_000)}`
    await app.trigger(hook, { body: Buffer.from(body), headers: { 'content-type': 'application/json' } })
    const { request, received } = await detailOf(app)
    expect({ size: request.size, ...received }).toEqual({
      size: 100_001,
      encoding: 'text',
      body: `"${'ä'.repeat(32_767)}`,
      truncated: true,
      kind: null,
      input: null,
      keys: [],
    })
  })

  it('keeps the body of a request with a wrong signature and the input it would have been, without secrets', async () => {
    const app = await startFlowApp()
    const variable = { name: 'HOOK_SECRET', type: 'text', value: 'It is a secret to everybody', secret: true }
    expect(await app.call('POST', '/v1/env-variables', variable)).toMatchObject({ status: 201 })
    const signature = { scheme: 'github', secret: '{{ HOOK_SECRET }}' }
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { signature } }])
    await app.trigger(hook, {
      body: { id: 7, echo: 'It is a secret to everybody' },
      query: '?page=2',
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    })
    expect(await detailOf(app)).toMatchObject({
      request: { status: 401 },
      received: {
        body: '{"id":7,"echo":"***"}',
        kind: 'json',
        input: { id: 7, echo: '***', page: '2' },
        keys: [
          { name: 'id', from: 'body' },
          { name: 'echo', from: 'body' },
          { name: 'page', from: 'query' },
        ],
      },
    })
  })

  it('writes rejected bodies to the disk encrypted only', async () => {
    const dataDir = temporaryFolder()
    const app = await startFlowApp({ dataDir })
    const hook = await app.addFlow([...ECHO])
    await app.trigger(hook, {
      body: Buffer.from('{"card": "4000-0027-6000-3184"'),
      headers: { 'content-type': 'application/json' },
    })
    expect((await detailOf(app)).received?.body).toContain('4000-0027-6000-3184')
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const holding = files.filter((one) =>
      readFileSync(join(one.parentPath, one.name)).includes('4000-0027-6000-3184'),
    )
    expect({ read: files.length > 0, holding: holding.map(({ name }) => name) }).toEqual({
      read: true,
      holding: [],
    })
  })

  it('show the responses of asynchronous and of failed runs', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { async: true } }])
    await app.trigger(hook, { body: {} })
    await app.until(({ status }) => status === 'success')
    expect((await detailOf(app)).answer).toMatchObject({ status: 200, body: 'null' })
    await changeAnswer(app, hook, { response_body: '{{ web1.customer.name }}' })
    const failed = await app.trigger(hook, { body: {} })
    const { answer } = await detailOf(app)
    expect({ status: answer?.status, body: JSON.parse(answer?.body ?? '') }).toEqual({
      status: 500,
      body: failed.json,
    })
  })

  it('let a replay be compared: it computes the response of its own version', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await app.trigger(hook, { body: { id: 7 } })
    const [first] = app.runs()
    await changeAnswer(app, hook, { response_body: '{"id": "{{ web1.id }}", "ok": true}' })
    const answers: string[] = []
    for (const version of [1, 2]) {
      const replayed = (await app.call('POST', `/v1/flow-runs/${first!.id}/replay`, { version })).json as {
        flow_run_id: string
      }
      await app.until(({ id, status }) => id === replayed.flow_run_id && status === 'success')
      const answer = (await app.call('GET', `/v1/flow-runs/${replayed.flow_run_id}/answer`)).json
      answers.push((answer as { body: string }).body)
    }
    expect(answers).toEqual(['{"id": "7"}', '{"id": "7", "ok": true}'])
  })

  it("are not found if the request or the response doesn't exist", async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([{ ref_id: 'one', type: 'set', config: { values: { a: 1 } } }])
    const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as { id: string }
    expect(await app.call('GET', `/v1/webhook-requests/${run.id}`)).toMatchObject({ status: 404 })
    expect(await app.call('GET', `/v1/flow-runs/${run.id}/answer`)).toMatchObject({ status: 404 })
  })
})

describe('a test run stands in for a caller', () => {
  const RESPOND = { ref_id: 'now', type: 'respond', config: { status_code: 202, body: 'soon' } } as const
  const FAIL = { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'no' } } as const

  const run = async (app: FlowApp, id: string, body: object, query = '?wait=true') => {
    const started = (await app.call('POST', `/v1/flows/${id}/run${query}`, body)).json as {
      id: string
      flow_run_id: string
    }
    const runId = started.id ?? started.flow_run_id
    const ended = await app.until((each) => each.id === runId && each.finished_at !== null)
    const { status, json } = await app.call('GET', `/v1/flow-runs/${runId}/answer`)
    return { runId, ended, answer: status === 404 ? null : (json as { status: number; body: string }) }
  }

  it('gets the response of the webhook step or of a respond step, waited for or not', async () => {
    const app = await startFlowApp()
    const [echo, respond] = [await app.addFlow([...ECHO]), await app.addFlow([...ECHO, RESPOND])]
    const input = { id: 'A-1' }
    const [waited, queued] = [
      await run(app, echo.flow.id, { input }),
      await run(app, echo.flow.id, { input }, ''),
    ]
    const early = await run(app, respond.flow.id, { input })
    const own = { status: 201, body: '{"id": "A-1"}', headers: { 'content-type': 'application/json' } }
    expect({ waited: waited.answer, queued: queued.answer }).toMatchObject({ waited: own, queued: own })
    expect(early.answer).toMatchObject({ status: 202, body: 'soon' })
    expect(app.stepsOf(early.ended)[1]?.output).toEqual({ answered: true })
    const listed = (await app.call('GET', `/v1/flow-runs?answers=true&filter=id,eq,${waited.runId}`)).json
    expect(listed).toMatchObject([{ answer: { status: 201, body: '{"id": "A-1"}' } }])
  })

  it('gets the response of the working copy, and 500 if the flow fails', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([...ECHO])
    const copyOf = (steps: readonly object[]) =>
      app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps })
    await copyOf([{ ref_id: 'web1', type: 'webhook', config: { response_body: 'copy' } }])
    const copy = await run(app, flow.id, { working_copy: true })
    await copyOf([...ECHO, FAIL])
    const failed = await run(app, flow.id, { working_copy: true })
    expect({ copy: copy.answer, failed: failed.answer }).toMatchObject({
      copy: { status: 200, body: 'copy' },
      failed: { status: 500 },
    })
    expect(JSON.parse(failed.answer?.body ?? '')).toMatchObject({
      error: 'flow_error',
      data: { flow_run_id: failed.runId },
    })
  })

  it("gets no response if callers don't wait, or if nothing calls the flow", async () => {
    const app = await startFlowApp()
    const at = { ref_id: 'at', type: 'schedule', config: { interval: 'daily' } } as const
    const later = { ref_id: 'web1', type: 'webhook', config: { async: true, response_body: 'x' } } as const
    const flows = [await app.addFlow([later, RESPOND]), await app.addFlow([at, RESPOND])]
    const runs = [await run(app, flows[0]!.flow.id, {}), await run(app, flows[1]!.flow.id, {})]
    expect(
      runs.map(({ answer, ended }) => ({
        answer,
        status: ended.status,
        step: app.stepsOf(ended)[1]?.output,
      })),
    ).toEqual([
      { answer: null, status: 'success', step: { answered: false } },
      { answer: null, status: 'success', step: { answered: false } },
    ])
  })
})

describe('the list of webhook requests', () => {
  it('is filtered by the type of the body', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([...ECHO])
    await app.trigger(hook, { body: { id: 'one' } })
    await app.trigger(hook, {
      body: 'id=two',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    await app.requests()
    const ofType = async (filter: string) => {
      const { json } = await app.call(
        'GET',
        `/v1/webhook-requests?filter=content_type,${encodeURIComponent(filter)}`,
      )
      return (json as WebhookRequest[]).map(({ headers }) => headers['content-type'])
    }
    expect({
      json: await ofType('like,%json%'),
      form: await ofType('like,%form%'),
      xml: await ofType('like,%xml%'),
    }).toEqual({
      json: ['application/json'],
      form: ['application/x-www-form-urlencoded'],
      xml: [],
    })
  })
})

it('has the beginning of each body if requested, without secrets, and not of binary or large bodies', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([...ECHO])
  await app.call('POST', '/v1/env-variables', {
    name: 'KEY',
    type: 'text',
    value: 'of-the-shop-4711',
    secret: true,
  })
  await app.trigger(hook, { body: { id: 'A-1', key: 'of-the-shop-4711', text: 'x'.repeat(300) } })
  await app.trigger(hook, {
    body: '<order>\n  <id>A-2</id>\n</order>',
    headers: { 'content-type': 'text/xml' },
  })
  await app.trigger(hook, { body: Buffer.from([0xff, 0xfe, 0]), headers: { 'content-type': 'text/plain' } })
  await app.trigger(hook, { body: { text: 'y'.repeat(900_000) } })
  await app.trigger(hook, { body: '{"id": ', headers: { 'content-type': 'application/json' } })
  const previews = async (query: string) =>
    ((await app.call('GET', `/v1/webhook-requests${query}`)).json as { preview?: string | null }[]).map(
      ({ preview }) => preview,
    )
  const [broken, large, bytes, xml, json] = await previews('?preview=true')
  expect({ broken, large, bytes, xml, start: json?.slice(0, 40), length: json?.length }).toEqual({
    broken: '{"id":',
    large: null,
    bytes: null,
    xml: '<order> <id>A-2</id> </order>',
    start: '{"id":"A-1","key":"***","text":"xxxxxxxx',
    length: 200,
  })
  expect(await previews('')).toEqual([undefined, undefined, undefined, undefined, undefined])
  const matches = async (text: string) =>
    ((await app.call('GET', `/v1/webhook-requests?preview=true&text=${text}`)).json as ListedRequest[]).map(
      ({ match }) => match && match.marks.map(([from, to]) => match.snippet.slice(from, to)),
    )
  expect([
    await matches('a-2'),
    await matches(hook.flow.id.slice(0, 8)),
    await matches('of-the-shop-4711'),
  ]).toEqual([[['A-2']], Array.from({ length: 5 }, () => [hook.flow.id.slice(0, 8)]), []])
  expect((await app.call('GET', '/v1/webhook-requests?preview=yes')).status).toBe(400)
})

describe('the list of webhook requests', () => {
  const ORDER = [
    { ref_id: 'web1', type: 'webhook' as const, config: {} },
    { ref_id: 'note', type: 'set' as const, config: { values: { line: 'for {{ web1.customer }}' } } },
  ]

  /** The requests of all pages, newest first, by what distinguishes them. */
  async function found(app: FlowApp, query: string): Promise<string[][]> {
    const pages: string[][] = []
    for (let path: string | undefined = `/v1/webhook-requests?preview=true&${query}`; path !== undefined;) {
      const { json, headers } = await app.call('GET', path)
      pages.push(
        (json as ListedRequest[]).map(({ preview, path: url }) => preview ?? url.split('?')[1] ?? url),
      )
      path = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1]
    }
    return pages
  }

  it('finds words in runs, paths and what was rejected, across pages and filters, indexed or not', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ORDER)
    await app.trigger(hook, { body: { customer: 'Zoë Amberg' } })
    await app.trigger(hook, { query: '?customer=zoe', headers: { authorization: 'Bearer wrong' } })
    await app.trigger(hook, { body: { customer: 'Kim Bexley' } })
    await app.trigger(hook, {
      body: Buffer.from('{"customer": "Zoe'),
      headers: { 'content-type': 'application/json' },
    })
    await app.trigger(hook, { body: { customer: 'Zoe Carver' } })
    const [unread, refused] = ['{"customer": "Zoe', 'customer=zoe']
    const [amberg, carver] = ['{"customer":"Zoë Amberg"}', '{"customer":"Zoe Carver"}']
    const ask = async () => ({
      whole: await found(app, 'text=zoe'),
      singly: await found(app, 'text=zoe&per_page=1'),
      inPairs: await found(app, 'text=zoe&per_page=2&page=2'),
      phrase: await found(app, 'text=%22for%20zoe%22'),
      prefix: await found(app, 'text=amb*'),
      both: await found(app, 'text=carver%20zoe'),
      reason: await found(app, 'text=token&filter=status,eq,401'),
      failed: await found(app, 'text=zoe&filter=status,ge,400'),
      ofFlow: await found(app, `text=zoe&filter=flow_id,eq,${hook.flow.id}&filter=reason,eq,null`),
      none: await found(app, 'text=nobody'),
    })
    const scanned = await ask()
    await app.services.runIndexing.runOnce()
    expect(await ask()).toEqual(scanned)
    expect(scanned).toEqual({
      whole: [[carver, unread, refused, amberg]],
      singly: [[carver], [unread], [refused], [amberg]],
      inPairs: [[refused, amberg]],
      phrase: [[carver, amberg]],
      prefix: [[amberg]],
      both: [[carver]],
      reason: [[refused]],
      failed: [[unread, refused]],
      ofFlow: [[carver, amberg]],
      none: [[]],
    })
    expect(await app.call('GET', '/v1/webhook-requests?text=%25')).toMatchObject({
      status: 400,
      json: { data: { text: [expect.any(String)] } },
    })
  })

  it('finds words anywhere in a large body, as sent or in what was read of it, and no secret', async () => {
    const app = await startFlowApp()
    const variable = { name: 'KEY', type: 'text', value: 'Swordfish-4711', secret: true }
    expect(await app.call('POST', '/v1/env-variables', variable)).toMatchObject({ status: 201 })
    const hook = await app.addFlow(ORDER)
    const filler = (count: number) => Array.from({ length: count }, (_, index) => ({ line: `row ${index}` }))
    const items = [...filler(30_000), { line: 'Zo\u00eb Passau', key: 'Swordfish-4711' }, ...filler(10_000)]
    await app.trigger(hook, { body: { customer: 'plain' } })
    await app.trigger(hook, {
      body: gzipSync(JSON.stringify({ items })),
      headers: { 'content-encoding': 'gzip' },
    })
    const escaped = JSON.stringify({ items: [...filler(3_000), { line: 'M\u00fcller' }] }).replace(
      'ü',
      '\\u00fc',
    )
    await app.trigger(hook, { body: escaped })
    const marked = async (text: string) => {
      const { json } = await app.call('GET', `/v1/webhook-requests?preview=true&text=${text}`)
      return (json as ListedRequest[]).map(
        ({ match }) => match && match.marks.map(([from, to]) => match.snippet.slice(from, to)),
      )
    }
    const ask = async () => [
      await marked('passau'),
      await marked('%22zoe%20passau%22'),
      await marked('M%C3%BCller'),
      await marked('passau%20m%C3%BCller'),
      await marked('Swordfish-4711'),
      await marked('plain'),
    ]
    const scanned = await ask()
    await app.services.runIndexing.runOnce()
    expect([scanned, await ask()]).toEqual(
      Array.from({ length: 2 }, () => [[['Passau']], [['Zoë Passau']], [['Müller']], [], [], [['plain']]]),
    )
  })

  it('finds no secret in a body that was rejected', async () => {
    const app = await startFlowApp()
    const variable = { name: 'HOOK_SECRET', type: 'text', value: 'Swordfish-4711', secret: true }
    expect(await app.call('POST', '/v1/env-variables', variable)).toMatchObject({ status: 201 })
    const signature = { scheme: 'github', secret: '{{ HOOK_SECRET }}' }
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { signature } }])
    await app.trigger(hook, { body: { echo: 'Swordfish-4711', note: 'plain' } })
    expect({ secret: await found(app, 'text=sword*'), rest: await found(app, 'text=plain') }).toEqual({
      secret: [[]],
      rest: [['{"echo":"***","note":"plain"}']],
    })
  })

  it('has the title of the run that a request started', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ORDER, { settings: { dynamic_title: 'Order of {{ web1.customer }}' } })
    await app.trigger(hook, { body: { customer: 'Ann' } })
    await app.trigger(hook, { headers: { authorization: 'Bearer wrong' } })
    const list = (await app.call('GET', '/v1/webhook-requests')).json as ListedRequest[]
    const run = list[1]?.flow_run_id
    await app.call('DELETE', `/v1/flow-runs/${run}`)
    const left = (await app.call('GET', '/v1/webhook-requests')).json as ListedRequest[]
    const titles = (requests: ListedRequest[]) => requests.map(({ title }) => title)
    expect([titles(list), titles(left)]).toEqual([
      [null, 'Order of Ann'],
      [null, null],
    ])
  })

  it('fills a page although what matches is far apart in the history', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(ORDER)
    for (const customer of ['Ann', 'Ben', 'Cleo']) {
      await app.trigger(hook, { body: { customer } })
      for (let between = 0; between < 12_000; between++) app.store.flowRuns.newId()
    }
    expect(await found(app, 'filter=content_type,like,%25json%25')).toEqual([
      ['{"customer":"Cleo"}', '{"customer":"Ben"}', '{"customer":"Ann"}'],
    ])
    expect(await found(app, 'filter=content_type,like,%25json%25&per_page=2&page=2')).toEqual([
      ['{"customer":"Ann"}'],
    ])
  })
})
