/** A scripted agent builds flows using only MCP; a person publishes them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { connectMcp, type McpClient } from '../../helpers/mcp-client.ts'

interface Sample {
  readonly name: string
  readonly description: string
  readonly sample_request: { readonly body: unknown; readonly content_type?: string; readonly query?: string }
}

const sampleOf = (name: string) =>
  JSON.parse(readFileSync(`resources/samples/${name}.json`, 'utf8')) as Sample

const SAMPLES = ['echo', 'form-to-json', 'receive-an-order'] as const
const samples = new Map(SAMPLES.map((name) => [name, sampleOf(name) as unknown]))

async function start(): Promise<FlowApp & Pick<McpClient, 'callTool'>> {
  const app = await startFlowApp({ settings: { mcp_server: true }, playground: true, samples })
  const body = { expiration: null, scopes: ['automation:manage', 'connectors:manage'], note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const { callTool } = await connectMcp(app.port, `Bearer ${token}`)
  return { ...app, callTool }
}

/** How the agent builds a flow from one sentence. */
interface Work {
  /** Its first attempt, with a mistake. */
  readonly steps: (found: Found) => readonly StepInput[]
  /** Results to try the steps with, by reference name. */
  readonly tries: Readonly<Record<string, object>>
  readonly tests: readonly object[]
}

interface Found {
  readonly connectorId: string
}

const PLAYGROUND = 'http://playground.test'

const WORK: Readonly<Record<(typeof SAMPLES)[number], Work>> = {
  echo: {
    steps: () => [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: {
          response_body:
            '{"received": {{ wbe1 }}, "method": {{ webhook.method }}, "content_type": {{ webhook.headers["content-type"] }}}',
        },
      },
    ],
    tries: {},
    tests: [
      {
        name: 'A request comes back',
        input: { hello: 'world' },
        webhook: { method: 'POST', headers: { 'content-type': 'application/json' } },
        expect: {
          status: 'success',
          response: {
            status: 200,
            body: {
              exact: {
                received: { hello: 'world' },
                method: 'POST',
                content_type: 'application/json',
              },
            },
          },
        },
      },
    ],
  },
  'form-to-json': {
    steps: () => [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: { response_body: '{"passed_on": {{ passed_on.body.body }}}' },
      },
      {
        ref_id: 'clean',
        type: 'set',
        config: {
          values: {
            name: '{{ wbe1.name | trim | title }}',
            seats: '{{ web1.seats | int }}',
            newsletter: "{{ web1.newsletter | default('off') == 'on' }}",
            topics: '{{ [web1.topics] if web1.topics is string else web1.topics | default([]) }}',
          },
        },
      },
      {
        ref_id: 'passed_on',
        type: 'rest',
        config: { method: 'POST', url: '{{ playground_url }}/echo', body: '{{ clean }}' },
      },
    ],
    tries: { clean: { web1: { name: ' ada ', seats: '2', topics: 'tea' } }, passed_on: { clean: { a: 1 } } },
    tests: [
      {
        name: 'A form with one topic',
        input: { name: ' ada ', seats: '2', topics: 'tea' },
        variables: { playground_url: PLAYGROUND },
        calls: [
          {
            type: 'http',
            step: 'passed_on',
            request: {
              method: 'POST',
              url: `${PLAYGROUND}/echo`,
              headers: { 'content-type': 'application/json' },
              body: { name: 'Ada', seats: 2, newsletter: false, topics: ['tea'] },
            },
            response: { status: 200, body: { body: { name: 'Ada' } } },
          },
        ],
        ignore: ['headers.idempotency-key'],
        expect: { status: 'success', results: { clean: { subset: { name: 'Ada', seats: 2 } } } },
      },
    ],
  },
  'receive-an-order': {
    steps: ({ connectorId }) =>
      [
        {
          ref_id: 'web1',
          type: 'webhook',
          config: {
            response_body:
              '{"order_id": {{ web1.order_id }}, "known_customer": {{ known.result }}, "message": {{ welcome.text if known.result else newcomer.text }}, "contacts_searched": {{ contacts | length }}}',
          },
        },
        {
          ref_id: 'contacts',
          type: 'connector_action',
          config: { connector_id: connectorId, action: 'list_contacts', input: {}, retrieve_all_data: true },
        },
        {
          ref_id: 'match',
          type: 'set',
          config: {
            values: {
              customer:
                "{{ contacts | selectattr('email', 'equalto', wbe1.email | default('') | lower) | first | default(none) }}",
            },
          },
        },
        {
          ref_id: 'known',
          type: 'condition',
          config: { when: '{{ match.customer }}' },
          then: [
            {
              ref_id: 'welcome',
              type: 'set',
              config: { values: { text: 'Welcome back, {{ match.customer.name }}' } },
            },
          ],
          else: [
            {
              ref_id: 'newcomer',
              type: 'set',
              config: { values: { text: 'Thank you for your first order' } },
            },
          ],
        },
      ] as StepInput[],
    tries: {
      contacts: {},
      match: { web1: { email: 'A@b.test' }, contacts: [{ email: 'a@b.test', name: 'A' }] },
    },
    tests: [
      {
        name: 'A customer that is known',
        input: { order_id: 'A-1', email: 'ada@example.test' },
        variables: { playground_url: PLAYGROUND },
        calls: [1, 2].map((page) => ({
          type: 'http',
          step: 'contacts',
          request: { method: 'GET', url: `${PLAYGROUND}/contacts${page === 1 ? '' : '?page=2'}` },
          response: {
            status: 200,
            body: { contacts: page === 1 ? [{ email: 'ada@example.test', name: 'Ada' }] : [] },
          },
        })),
        expect: {
          status: 'success',
          response: { status: 200, body: { subset: { known_customer: true, message: 'Welcome back, Ada' } } },
        },
      },
    ],
  },
}

test.each(SAMPLES)('the sample "%s" is built from its sentence through MCP alone', async (name) => {
  const app = await start()
  const { callTool } = app
  const { steps, tries, tests } = WORK[name]
  const { description, sample_request: request } = sampleOf(name)

  const connectors = await callTool('list_connectors', { name: 'playground' })
  const [{ id: connectorId } = { id: '' }] = connectors.value['connectors'] as { id: string }[]
  const created = await callTool('create_flow', {
    name: `Agent: ${name}`,
    description,
    steps: steps({ connectorId }),
  })
  const flow_id = String(created.value['flow_id'])

  // The agent misnamed a step, and accepts the edits that the check suggests.
  const checked = await callTool('check_flow', { flow_id })
  const [problem] = checked.value['problems'] as { severity: string; fix?: { edits: object[] } | null }[]
  expect(problem).toMatchObject({ severity: 'error' })
  const read = await callTool('read_flow', { flow_id })
  const misspelt = JSON.stringify((read.value['draft'] as { steps: unknown }).steps)
  const edits = editsThatRename(JSON.parse(misspelt) as object[], 'wbe1', 'web1')
  const patched = await callTool('patch_flow', { flow_id, revision: created.value['revision'], edits })
  expect(patched.value['problems']).toEqual([])

  for (const [ref_id, results] of Object.entries(tries)) {
    const tried = await callTool('try_step', { flow_id, ref_id, results })
    expect({ ref_id, status: tried.value['status'], error: tried.value['error'] }).toEqual({
      ref_id,
      status: 'success',
      error: null,
    })
  }
  const tested = await callTool('test_flow', { flow_id, tests })
  const results = tested.value['results'] as { passed: boolean; failures: unknown[] }[]
  expect(results.map(({ passed, failures }) => ({ passed, failures }))).toEqual(
    tests.map(() => ({ passed: true, failures: [] })),
  )
  expect(await callTool('diff_flow', { flow_id })).toMatchObject({ isError: false })

  // Nothing of the flow runs until a person publishes it.
  const before = (await app.call('GET', `/v1/flows/${flow_id}`)).json as Flow
  expect([before.steps, before.status, app.runs()]).toEqual([[], 'draft', []])
  const copy = (await app.call('GET', `/v1/flows/${flow_id}/working-copy`)).json as { steps: object[] }
  await app.call('PUT', `/v1/flows/${flow_id}`, { steps: copy.steps, status: 'active' })
  const planted = (await app.call('POST', `/v1/flow-samples/${name}/plant`)).json as Flow
  await app.call('PUT', `/v1/flows/${planted.id}`, { status: 'active' })
  const answerOf = async (id: string) => {
    const { webhook } = (await app.call('GET', `/v1/flows/${id}`)).json as Flow
    const type = request.content_type ?? 'application/json'
    const answer = await callHttp(app.port, {
      method: 'POST',
      path: `/v1/flow-webhook/${id}${request.query ?? ''}`,
      headers: { authorization: `Bearer ${webhook?.token}`, 'content-type': type },
      body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
    })
    return { status: answer.status, json: answer.json }
  }
  const answer = await answerOf(flow_id)
  expect(answer).toEqual(await answerOf(planted.id))
  expect(answer.status).toBe(200)

  // A run of the published flow becomes a test, and passes.
  const [run] = app.runs().filter((one) => one.flow_id === flow_id)
  const recorded = await callTool('record_test', { flow_run_id: run?.id, name: 'As it ran' })
  const again = await callTool('test_flow', { flow_id, tests: [recorded.value['test'] ?? {}] })
  const { results: replayed } = again.value as { results: { passed: boolean }[] }
  expect(replayed.map(({ passed }) => passed)).toEqual([true])

  const calls = (await app.call('GET', '/v1/calls')).json as { entries: { route: string; status: number }[] }
  const tools = calls.entries.filter(({ route }) => route.startsWith('/v1/mcp#'))
  const used = ['create_flow', 'check_flow', 'read_flow', 'patch_flow', 'test_flow', 'diff_flow']
  expect(tools.map(({ route }) => route.slice('/v1/mcp#'.length))).toEqual(expect.arrayContaining(used))
})

/** One edit for each string that contains the name. */
function editsThatRename(steps: readonly object[], from: string, to: string): object[] {
  const edits: object[] = []
  const visit = (ref: string, value: unknown, path: string): void => {
    if (typeof value === 'string' && value.includes(from))
      edits.push({ op: 'set', ref_id: ref, path, value: value.replaceAll(from, to) })
    if (typeof value !== 'object' || value === null) return
    for (const [key, item] of Object.entries(value)) visit(ref, item, `${path}/${key}`)
  }
  for (const step of steps as { ref_id: string; config: object }[]) visit(step.ref_id, step.config, '/config')
  return edits
}
