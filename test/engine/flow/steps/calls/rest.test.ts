import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { aConnector, anAuth, connectedPorts } from '../../../../helpers/flow-connectors.ts'
import { createTestRecorder, data, runSteps, type TestRunOptions } from '../../../../helpers/flow-run.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../../../../helpers/third-party-api.ts'

const echo = () =>
  startThirdPartyApi((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.setHeader('X-Shop', 'open')
    response.end(JSON.stringify({ method: request.method, body: request.body.toString() }))
  })

const rest = (config: Record<string, unknown>, more: Partial<StepInput> = {}): StepInput => ({
  ref_id: 'call',
  type: 'rest',
  config,
  ...more,
})

/** What the API received from one step. */
async function sent(
  { url = '/', ...config }: Record<string, unknown> & { url?: string },
  options: TestRunOptions = {},
): Promise<ReceivedRequest> {
  const api = await echo()
  const { error } = await runSteps(
    [{ ref_id: 'web1', type: 'webhook' }, rest({ ...config, url: `${api.url}${url}` })],
    { ...options, ports: { ...connectedPorts(), ...options.ports } },
  )
  expect(error).toBeNull()
  const [request] = api.received
  if (!request) throw new Error('nothing was received')
  return request
}

describe('a rest step', () => {
  it('returns status, headers and body', async () => {
    const api = await echo()
    const { results } = await runSteps([rest({ url: `${api.url}/a` })], { ports: connectedPorts() })
    expect(results).toMatchObject({
      call: {
        status: 200,
        headers: { 'x-shop': 'open', 'content-type': 'application/json' },
        body: { method: 'GET' },
      },
    })
  })

  it('renders URL, query and headers; null omits one, a list repeats one', async () => {
    const request = await sent(
      {
        url: '/orders/{{ web1.id }}?fixed=1',
        query: { q: '{{ web1.q }}', many: '{{ [1, 2] }}', none: '{{ none }}', on: '{{ true }}' },
        headers: { 'X-Id': '{{ web1.id }}', 'X-None': '{{ none }}' },
      },
      { input: data({ id: 7, q: 'a&b=ü' }) },
    )
    expect(request.target).toBe('/orders/7?fixed=1&q=a%26b%3D%C3%BC&many=1&many=2&on=true')
    expect(request.headers).toMatchObject({ 'x-id': '7' })
    expect(request.headers).not.toHaveProperty('x-none')
  })

  it.each([
    [
      'json',
      { a: '{{ web1.n }}', deep: ['{{ web1.text }}'] },
      'application/json',
      '{"a":1,"deep":["He said \\"hi\\""]}',
    ],
    [
      'json',
      '{"a": {{ web1.n }}, "t": "{{ web1.text }}"}',
      'application/json',
      '{"a": 1, "t": "He said \\"hi\\""}',
    ],
    ['json', '{{ web1 }}', 'application/json', '{"n":1,"text":"He said \\"hi\\""}'],
    ['json', '{{ web1 | tojson }}', 'application/json', '{"n": 1, "text": "He said \\"hi\\""}'],
    ['json', 'plain', 'application/json', '"plain"'],
    [
      'form',
      { a: '{{ web1.n }}', t: 'x y&z', list: [1, 2] },
      'application/x-www-form-urlencoded',
      'a=1&t=x%20y%26z&list=1&list=2',
    ],
    ['text', 'n is {{ web1.n }}', 'text/plain; charset=utf-8', 'n is 1'],
    [
      'xml',
      '<n a="{{ web1.text }}">{{ web1.n }} &lt; {{ web1.text | upper }}</n>',
      'application/xml; charset=utf-8',
      '<n a="He said &quot;hi&quot;">1 &lt; HE SAID &quot;HI&quot;</n>',
    ],
    ['xml', " {{ '<n/>' }}", 'application/xml; charset=utf-8', ' <n/>'],
    ['none', { ignored: true }, undefined, ''],
  ])('sends a %s body %j', async (body_type, body, type, text) => {
    const request = await sent(
      { method: 'POST', body, body_type },
      { input: data({ n: 1, text: 'He said "hi"' }) },
    )
    expect({ type: request.headers['content-type'], text: request.body.toString() }).toEqual({ type, text })
  })

  it('sends received files, by themselves and in a form', async () => {
    const file = { filename: 'a"b.txt', contentType: 'text/plain', content: Buffer.from('the content') }
    const ports = { readFile: (id: string) => (id === 'file-1' ? file : null) }
    const input = data({ file: { file_id: 'file-1', filename: 'a"b.txt' } })
    const binary = await sent(
      { method: 'PUT', body: '{{ web1.file }}', body_type: 'binary' },
      { ports, input },
    )
    expect({ contentType: binary.headers['content-type'], body: binary.body.toString() }).toEqual({
      contentType: 'text/plain',
      body: 'the content',
    })

    const form = await sent(
      { method: 'POST', body: { note: 'hi', file: '{{ web1.file }}' }, body_type: 'multipart' },
      { ports, input },
    )
    const boundary = /boundary=(.+)$/.exec(form.headers['content-type'] ?? '')?.[1] ?? ''
    expect(form.body.toString().split(`--${boundary}`)).toEqual([
      '',
      '\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n',
      '\r\nContent-Disposition: form-data; name="file"; filename="a%22b.txt"\r\nContent-Type: text/plain\r\n\r\nthe content\r\n',
      '--\r\n',
    ])
  })

  it('writes form parts with their own type and name, and supports other types of form', async () => {
    const form = await sent({
      method: 'POST',
      headers: { 'Content-Type': 'multipart/related' },
      body: {
        order: { content: '{"a":1}', content_type: 'application/json' },
        list: [{ content: 'x', filename: 'x.csv' }, 'y'],
        other: { content: 'z' },
      },
      body_type: 'multipart',
    })
    const boundary = /^multipart\/related; boundary=(.+)$/.exec(form.headers['content-type'] ?? '')?.[1] ?? ''
    expect(form.body.toString().split(`--${boundary}`).slice(1, -1)).toEqual([
      '\r\nContent-Disposition: form-data; name="order"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n',
      '\r\nContent-Disposition: form-data; name="list"; filename="x.csv"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n',
      '\r\nContent-Disposition: form-data; name="list"\r\n\r\ny\r\n',
      '\r\nContent-Disposition: form-data; name="other"\r\n\r\n{"content":"z"}\r\n',
    ])
  })

  it('sends a header once for each item of a list, and omits null', async () => {
    const request = await sent({
      method: 'POST',
      headers: { 'X-Tag': ['a', 'b'], 'content-type': null },
      body: 'text',
      body_type: 'text',
    })
    expect([request.headers['x-tag'], request.headers['content-type']]).toEqual(['a, b', undefined])
  })

  it('keeps the query of its URL as it is written', async () => {
    const api = await startThirdPartyApi((_request, response) => response.end('{}'))
    await runSteps([rest({ url: `${api.url}/a?b&&c=%5b+d&` })], { ports: connectedPorts() })
    expect(api.received[0]?.target).toBe('/a?b&&c=%5b+d&')
  })

  it('reports a missing file', async () => {
    const { error } = await runSteps([
      rest({ method: 'POST', url: 'http://127.0.0.1:9/', body: 'nope', body_type: 'binary' }),
    ])
    expect(error).toMatchObject({ code: 'not_found', field: 'config.body' })
  })

  it('fails on an error status, unless configured otherwise', async () => {
    const api = await startThirdPartyApi((_request, response) => {
      response.writeHead(422, { 'Content-Type': 'application/json' }).end('{"why":"no"}')
    })
    const strict = await runSteps([rest({ url: api.url })], { ports: connectedPorts() })
    const lenient = await runSteps([rest({ url: api.url, fail_on_error: false })], {
      ports: connectedPorts(),
    })
    expect(strict.error).toMatchObject({ code: 'http_error', ref_id: 'call', data: { status: 422 } })
    expect(strict.reports[0]?.exchanges).toMatchObject([{ response: { status: 422, body: '{"why":"no"}' } }])
    expect(lenient.results).toMatchObject({ call: { status: 422, body: { why: 'no' } } })
  })

  it('rejects invalid URLs', async () => {
    const { error } = await runSteps([rest({ url: '{{ "ftp://x" }}' })])
    expect(error).toMatchObject({ code: 'validation', field: 'config.url' })
  })

  it('sends the credentials of an auth as its connector defines', async () => {
    const connector = aConnector({ url_token_extension: { key: 'api_key', value: '{{ token }}' } })
    const auth = anAuth()
    const request = await sent({ auth_id: auth.id }, { ports: connectedPorts({ connector, auth }) })
    expect(request.target).toBe('/?api_key=a-token-of-the-test')
  })

  it('retries what may succeed, and shows each attempt', async () => {
    const api = await startThirdPartyApi((_request, response, count) => {
      if (count < 3) response.writeHead(503, { 'Retry-After': '1' }).end()
      else response.end('{}')
    })
    const { reports, slept, status } = await runSteps([rest({ url: api.url })], { ports: connectedPorts() })
    expect({
      slept,
      status,
      statuses: reports[0]?.exchanges.map(({ response }) => response?.status),
    }).toEqual({
      slept: [1000, 1000],
      status: 'success',
      statuses: [503, 503, 200],
    })
  })

  it('has the status retrying while it waits for the next attempt', async () => {
    const api = await startThirdPartyApi((_request, response, count) => {
      if (count === 1) response.writeHead(503).end()
      else response.end('{}')
    })
    const recorder = createTestRecorder()
    const shown: unknown[] = []
    const { reports } = await runSteps([rest({ url: api.url })], {
      recorder,
      ports: {
        ...connectedPorts(),
        async sleep() {
          const event = recorder.events.at(-1)
          shown.push(event !== undefined && 'report' in event ? event.report.status : null)
        },
      },
    })
    const said = reports.map(({ status, warnings }) => [status, ...warnings.map(({ message }) => message)])
    expect({ shown, reports: said }).toEqual({
      shown: ['retrying'],
      reports: [['success', 'HTTP 503']],
    })
  })

  it('identifies step and iteration in a writing call, unless the author sets the header', async () => {
    const api = await echo()
    await runSteps(
      [
        {
          ref_id: 'each',
          type: 'loop',
          config: { over: ['a', 'b'] },
          steps: [rest({ method: 'POST', url: api.url })],
        },
        rest({ method: 'DELETE', url: api.url, headers: { 'idempotency-key': 'mine' } }, { ref_id: 'own' }),
        rest({ method: 'GET', url: api.url }, { ref_id: 'read' }),
      ],
      { ports: connectedPorts() },
    )
    expect(api.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'run-1-call-0',
      'run-1-call-1',
      'mine',
      undefined,
    ])
  })

  it('follows pages to one flat list', async () => {
    const api = await startThirdPartyApi((request, response) => {
      const page = Number(new URL(request.target, 'http://x').searchParams.get('page') ?? 1)
      response.end(JSON.stringify(page <= 3 ? [{ n: page * 2 - 1 }, { n: page * 2 }] : []))
    })
    const { results, reports } = await runSteps(
      [rest({ url: `${api.url}/list`, pagination: { query: '{"page": {{ page + 1 }}}' } })],
      {
        ports: connectedPorts(),
      },
    )
    expect(results).toEqual({ call: [1, 2, 3, 4, 5, 6].map((n) => ({ n })) })
    expect(reports[0]?.exchanges.map(({ page }) => page)).toEqual([0, 1, 2, 3])
  })

  it.each(['items?page={{ page + 1 }}', '/items?page={{ page + 1 }}', '/v1/items?page={{ page + 1 }}'])(
    'continues its URL with the relative endpoint %s',
    async (endpoint) => {
      const asked: string[] = []
      const api = await startThirdPartyApi((request, response) => {
        asked.push(request.target)
        response.end(JSON.stringify(asked.length < 3 ? [asked.length] : []))
      })
      const pagination = { query: '{}', endpoint }
      const { results } = await runSteps([rest({ url: `${api.url}/v1/items`, pagination })], {
        ports: connectedPorts(),
      })
      expect({ results, asked }).toEqual({
        results: { call: [1, 2] },
        asked: ['/v1/items', '/v1/items?page=2', '/v1/items?page=3'],
      })
    },
  )

  it('pages with an XML body of its own, in which a cursor is text', async () => {
    const api = await startThirdPartyApi((_, response) => {
      response.setHeader('Content-Type', 'application/soap+xml')
      const next = api.received.length === 1 ? 'a&amp;b' : ''
      response.end(`<r><next>${next}</next><i><id>${api.received.length}</id></i></r>`)
    })
    const { results } = await runSteps(
      [
        rest({
          url: api.url,
          method: 'POST',
          headers: { 'Content-Type': 'text/plain' },
          body_type: 'xml',
          body: '<list/>',
          pagination: {
            raw_body: '<list after="{{ previous_request.r.next }}"/>',
            response_jsonpath: '$.r.i',
          },
        }),
      ],
      { ports: connectedPorts() },
    )
    expect({ results, bodies: api.received.map(({ body }) => body.toString()) }).toEqual({
      results: { call: [{ id: '1' }, { id: '2' }] },
      bodies: ['<list/>', '<list after="a&amp;b"/>'],
    })
  })

  it('reads a query that is still running until its list is there, and warns', async () => {
    const api = await startThirdPartyApi((_, response) => {
      const count = api.received.length
      const page = { id: 'q', stats: { state: count < 3 ? 'QUEUED' : 'RUNNING' } }
      const data = count > 2 && count < 5 ? { data: [[count]] } : {}
      const next = count < 6 ? { nextUri: `${api.url}/v1/statement/q/${count}` } : {}
      response.end(JSON.stringify({ ...page, ...data, ...next }))
    })
    const pagination = {
      endpoint: '{{ previous_request.nextUri }}',
      query: '{}',
      response_jsonpath: '$.data',
    }
    const { results, reports } = await runSteps(
      [
        rest({
          url: `${api.url}/v1/statement`,
          method: 'POST',
          body_type: 'text',
          body: 'SELECT 1',
          pagination,
        }),
      ],
      { ports: connectedPorts() },
    )
    expect({
      results,
      asked: api.received.map(({ method, target }) => `${method} ${target}`),
      warnings: reports[0]?.warnings?.map(({ code }) => code),
    }).toEqual({
      results: { call: [[3], [4]] },
      asked: ['POST /v1/statement', ...[1, 2, 3, 4, 5].map((at) => `GET /v1/statement/q/${at}`)],
      warnings: ['jsonpath_no_match'],
    })
  })

  it('adds its own warnings to its run', async () => {
    const api = await startThirdPartyApi((_, response) => response.end('{"id":1}'))
    const pagination = { query: '{"limit": 500}' }
    const { outcome, reports } = await runSteps([rest({ url: `${api.url}/one`, pagination })], {
      ports: connectedPorts(),
    })
    const codes = ['not_a_list']
    expect({
      step: reports[0]?.warnings?.map(({ code }) => code),
      run: (outcome.kind === 'ended' ? outcome.end.warnings : []).map(({ code, message }) => [
        code,
        message.startsWith('Step "call": '),
      ]),
    }).toEqual({ step: codes, run: codes.map((code) => [code, true]) })
  })

  it('does not fetch a page again whose records were saved', async () => {
    const { createTestRecorder } = await import('../../../../helpers/flow-run.ts')
    let dies = true
    const asked: string[] = []
    const api = await startThirdPartyApi((request, response) => {
      asked.push(request.target)
      const page = Number(new URL(request.target, 'http://x').searchParams.get('page') ?? 1)
      response.statusCode = page === 3 && dies ? 400 : 200
      response.end(JSON.stringify(page <= 4 ? [page] : []))
    })
    const steps = [rest({ url: `${api.url}/list`, pagination: { query: '{"page": {{ page + 1 }}}' } })]
    const recorder = createTestRecorder()
    const options = { recorder, resumable: true, ports: connectedPorts() }
    await runSteps(steps, options)
    const memory = new Map(
      [...recorder.resumeState()].map(([key, step]) => [key, { ...step, end: undefined }]),
    )
    dies = false
    const { results } = await runSteps(steps, {
      ...options,
      recorder: createTestRecorder(),
      resumeFrom: memory,
    })
    expect({ results, asked }).toEqual({
      results: { call: [1, 2, 3, 4] },
      asked: ['/list', '/list?page=2', '/list?page=3', '/list?page=3', '/list?page=4', '/list?page=5'],
    })
  })
})
