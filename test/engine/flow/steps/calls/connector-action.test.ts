import { describe, expect, it } from 'vitest'
import type { Action, Connector } from '../../../../../src/shared/contract/connectors.ts'
import type { OpenAuth } from '../../../../../src/main/engine/connector/open-auth.ts'
import {
  aConnector,
  anAction,
  anAuth,
  connectedPorts,
  CONNECTOR_ID,
} from '../../../../helpers/flow-connectors.ts'
import { runSteps } from '../../../../helpers/flow-run.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../../../../helpers/third-party-api.ts'

interface Given {
  readonly connector?: Partial<Connector>
  readonly action?: Partial<Action>
  readonly auth?: Partial<OpenAuth> | null
  readonly config?: Record<string, unknown>
  readonly env?: Record<string, string>
}

/** Runs one action against the test's own API. */
async function callAction({ connector, action, auth, config, env = {} }: Given, answer = '{"ok":true}') {
  const api = await startThirdPartyApi((_request, response) => void response.end(answer))
  const opened = auth === null || auth === undefined ? undefined : anAuth(auth)
  const given = {
    connector: aConnector({ base_domain: `${api.url}/v2`, ...connector }),
    action: anAction(action),
    ...(opened ? { auth: opened } : {}),
  }
  const run = await runSteps(
    [
      {
        ref_id: 'call',
        type: 'connector_action',
        config: {
          connector_id: CONNECTOR_ID,
          action: given.action.name,
          ...(opened ? { auth_id: opened.id } : {}),
          ...config,
        },
      },
    ],
    { ports: connectedPorts(given), env },
  )
  return { ...run, api, request: api.received[0] as ReceivedRequest }
}

describe('a connector action', () => {
  it('sends what its templates render to', async () => {
    const { request, results } = await callAction({
      action: {
        method: 'POST',
        endpoint: '/orders/{{ input.id }}',
        query: { q: '{{ q }}', absent: '{{ input.nothing }}' },
        headers: { 'X-Region': '{{ auth.user_input.region }}' },
        body: { list: '{{ input.list }}', text: 'id {{ id }}' },
      },
      auth: { user_input: { region: 'eu' }, auth_type: 'none' },
      config: { input: { id: 7, q: 'x', list: '{{ [1, 2] }}' } },
    })
    expect({
      method: request.method,
      target: request.target,
      region: request.headers['x-region'],
      contentType: request.headers['content-type'],
      body: request.body.toString(),
    }).toEqual({
      method: 'POST',
      target: '/v2/orders/7?q=x',
      region: 'eu',
      contentType: 'application/json',
      body: '{"list":[1,2],"text":"id 7"}',
    })
    expect(request.headers['idempotency-key']).toBe('run-1-call')
    expect(results).toEqual({ call: { ok: true } })
  })

  it('encodes values in a body that is written as JSON', async () => {
    const { request } = await callAction({
      action: { method: 'PUT', body: '{"name": "{{ input.name }}", "tags": {{ input.tags }}}' },
      config: { input: { name: 'a "quoted" one', tags: ['x'] } },
    })
    expect(JSON.parse(request.body.toString())).toEqual({ name: 'a "quoted" one', tags: ['x'] })
  })

  it('leaves fields that were not entered out of a body, but sends an entered null', async () => {
    const body = {
      title: '{{ input.title }}',
      labels: '{{ input.labels }}',
      deep: { note: '{{ input.note }}', state: '{{ input.state }}' },
      list: ['{{ input.labels }}'],
    }
    const given = await callAction({
      action: { method: 'PATCH', body },
      config: { input: { title: 'x', state: null } },
    })
    const nothing = await callAction({ action: { method: 'POST', body: '{{ input.body }}' } })
    expect({
      given: JSON.parse(given.request.body.toString()),
      nothing: nothing.request.body.toString(),
    }).toEqual({ given: { title: 'x', deep: { state: null }, list: [null] }, nothing: '' })
  })

  it.each<[string, Given, Record<string, string | undefined>, string]>([
    [
      'basic_auth',
      { auth: { auth_type: 'basic_auth', auth_token: 'Basic abc' } },
      { authorization: 'Basic abc' },
      '/v2/orders',
    ],
    [
      'username_password',
      { auth: { auth_type: 'username_password', auth_token: '', username: 'ada', password: 'p:w' } },
      { authorization: `Basic ${Buffer.from('ada:p:w').toString('base64')}` },
      '/v2/orders',
    ],
    [
      'bearer',
      { auth: { auth_type: 'bearer', auth_token: 'tok' } },
      { authorization: 'Bearer tok' },
      '/v2/orders',
    ],
    [
      'oauth2',
      { auth: { auth_type: 'oauth2', auth_token: 'tok' } },
      { authorization: 'Bearer tok' },
      '/v2/orders',
    ],
    [
      'api_key',
      { auth: { auth_type: 'api_key', auth_token: 'key' } },
      { 'x-api-key': 'key', authorization: undefined },
      '/v2/orders',
    ],
    [
      'api_key in the query',
      {
        auth: { auth_type: 'api_key', auth_token: 'key' },
        connector: { url_token_extension: { key: 'api_key', value: '{{ token }}' } },
      },
      { 'x-api-key': undefined, authorization: undefined },
      '/v2/orders?api_key=key',
    ],
    ['none', { auth: { auth_type: 'none', auth_token: 'tok' } }, { authorization: undefined }, '/v2/orders'],
    [
      'a header of the connector',
      {
        auth: { auth_type: 'api_key', auth_token: 'key' },
        connector: {
          header: {
            token_in_header: true,
            header_key: 'X-Shop-Token',
            token_prefix: 'Token {{ token }} of {{ auth.username }}',
            content_type: 'application/json',
            custom_headers: { 'X-User': '{{ auth.username }}' },
          },
        },
      },
      { 'x-shop-token': 'Token key of ada', 'x-user': 'ada', 'x-api-key': undefined },
      '/v2/orders',
    ],
    [
      'no header at all',
      {
        auth: { auth_type: 'bearer' },
        connector: {
          header: {
            token_in_header: false,
            header_key: 'Authorization',
            token_prefix: '{{ token }}',
            content_type: '',
            custom_headers: {},
          },
        },
      },
      { authorization: undefined },
      '/v2/orders',
    ],
  ])('sends credentials: %s', async (_name, given, headers, target) => {
    const { request } = await callAction(given)
    expect(request.target).toBe(target)
    for (const [name, value] of Object.entries(headers)) expect(request.headers[name]).toBe(value)
  })

  it('calls the URL of the auth if it has one', async () => {
    const own = await startThirdPartyApi((_request, response) => void response.end('{}'))
    const { api } = await callAction({
      auth: { api_endpoint: own.url.replace('http://', 'http://u:p%40w@') },
    })
    expect(api.received).toEqual([])
    expect(own.received).toMatchObject([
      { target: '/orders', headers: { authorization: 'Bearer a-token-of-the-test' } },
    ])
  })

  it('uses the auth that a template names, and is never sent without a required one', async () => {
    const auth = anAuth()
    const named = await callAction({
      auth,
      config: { auth_id: null, dynamic_auth_id: `{{ '${auth.id}' }}` },
    })
    const missing = await callAction({
      auth,
      config: { auth_id: null, dynamic_auth_id: '{{ nothing }}' },
    })
    const foreign = await callAction({ auth: { connector_id: 'another' } })
    expect(named.request.headers.authorization).toBe('Bearer a-token-of-the-test')
    expect({ error: missing.error, requests: missing.api.received.length }).toMatchObject({
      error: { field: 'config.dynamic_auth_id' },
      requests: 0,
    })
    expect({ message: foreign.error?.message, requests: foreign.api.received.length }).toEqual({
      message: `Step "call": the connector auth ${auth.id} belongs to another connector`,
      requests: 0,
    })
  })

  it('names the field of the action in a template error', async () => {
    const { error } = await callAction({ action: { endpoint: 'orders/{{ input.a.b }}' } })
    expect(error).toMatchObject({ code: 'template_error', ref_id: 'call' })
    expect(error?.message).toContain('action "list_orders" of connector "Shop", endpoint')
  })

  it('reports what is missing or paused', async () => {
    const paused = await callAction({ connector: { status: 'paused' } })
    const unknown = await callAction({ config: { action: 'nope' } })
    const nowhere = await callAction({ config: { connector_id: 'nope' } })
    expect([paused, unknown, nowhere].map(({ error }) => error?.message)).toEqual([
      'Step "call": the connector "Shop" is paused; make it active',
      'Step "call": connector "Shop" has no action "nope"',
      'Step "call": there is no connector nope',
    ])
  })
})

describe('a paginated connector action', () => {
  const pages = () =>
    startThirdPartyApi((request, response) => {
      const page = Number(new URL(request.target, 'http://x').searchParams.get('page') ?? 1)
      response.end(JSON.stringify({ rows: page <= 3 ? [{ page }] : [] }))
    })

  const run = async (config: Record<string, unknown>, action: Partial<Action> = {}) => {
    const api = await pages()
    const given = {
      connector: aConnector({
        base_domain: api.url,
        pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.rows' },
      }),
      action: anAction({ supports_automatic_pagination: true, ...action }),
    }
    return runSteps(
      [
        {
          ref_id: 'call',
          type: 'connector_action',
          config: { connector_id: CONNECTOR_ID, action: 'list_orders', ...config },
        },
      ],
      {
        ports: connectedPorts(given),
      },
    )
  }

  it('returns one flat list of all pages', async () => {
    expect((await run({})).results).toEqual({ call: [{ page: 1 }, { page: 2 }, { page: 3 }] })
  })

  it('returns the body of a single call if all pages are not requested', async () => {
    expect((await run({ retrieve_all_data: false })).results).toEqual({ call: { rows: [{ page: 1 }] } })
  })

  it('stops at the requested number of pages, with a warning', async () => {
    const { results, reports } = await run({ max_pages: 2 })
    expect(results).toEqual({ call: [{ page: 1 }, { page: 2 }] })
    expect(reports[0]?.warnings).toMatchObject([{ code: 'cut_by_max_pages' }])
  })

  it('rejects all pages if the action does not support pagination', async () => {
    const { error } = await run({ retrieve_all_data: true }, { supports_automatic_pagination: false })
    expect(error).toMatchObject({ code: 'validation', field: 'config.retrieve_all_data' })
  })
})
