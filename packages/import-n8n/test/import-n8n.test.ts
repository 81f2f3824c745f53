import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import { step } from '../../../src/shared/contract/steps.ts'
import { WEBHOOK_METHODS } from '../../../src/shared/contract/step-types/triggers/webhook.ts'
import { checkFlow } from '../../../src/main/engine/flow/definition/check-flow.ts'
import { z } from 'zod'
import { aWorkflow, hook, importN8n, type Json, type NodeLike, set } from './n8n-workflow.ts'

function read(workflow: Json) {
  const imported = importN8n(JSON.parse(JSON.stringify(workflow)))
  if (imported === null) throw new Error('It was not read')
  const [flow] = imported.flows
  const steps = z.array(step).parse(flow?.steps)
  const { errors } = checkFlow(steps, {
    envNames: new Set([
      ...imported.variables,
      'error_message',
      'error_flow_id',
      'error_flow_name',
      'error_flow_run_id',
      'error_step',
    ]),
    toleratedSteps: new Set(allOf(steps).map(({ ref_id, type }) => `${ref_id}/${type}`)),
    hasConnector: () => false,
    findAction: () => null,
    paginationOf: () => null,
    findPlugin: () => null,
    connectorOfAuth: () => null,
    needsAuth: () => false,
  })
  return {
    steps: (flow?.steps ?? []).map(brief),
    notes: imported.notes.map(({ node, message }) => `${node}: ${englishOf(message)}`),
    errors: errors.map(({ path, reason }) => `${path} ${englishOf(reason)}`),
    imported,
  }
}

type StepLike = z.output<typeof step>
function allOf(steps: readonly StepLike[]): StepLike[] {
  return steps.flatMap((one) => [
    one,
    ...allOf([
      ...(one.steps ?? []),
      ...(one.then ?? []),
      ...(one.else ?? []),
      ...(one.cases ?? []).flatMap((way) => way.steps),
      ...(one.default ?? []),
    ]),
  ])
}

/** A step without its default values. */
function brief(one: unknown): Json {
  const { title: _, ...rest } = one as Json
  for (const list of ['steps', 'then', 'else', 'default'])
    if (Array.isArray(rest[list])) rest[list] = (rest[list] as unknown[]).map(brief)
  if (Array.isArray(rest['cases']))
    rest['cases'] = (rest['cases'] as { label: string; steps: unknown[] }[]).map(({ label, steps }) => ({
      label,
      steps: steps.map(brief),
    }))
  return rest
}

/** The config of the step that a node becomes if it follows a webhook and a set node "Edit". */
function configBehind(node: NodeLike): Json {
  const { steps } = read(
    aWorkflow([hook, set('Edit', { a: 1 }), node], ['Webhook -> Edit', `Edit -> ${node.name}`]),
  )
  return (steps.at(-1) as { config: Json }).config
}

describe('simple n8n expressions become templates', () => {
  it.each([
    ['Hello {{ $json.a }}!', 'Hello {{ edit.a | js_text }}!'],
    ['{{ $json["first name"] }}.', '{{ $.edit["first name"] | js_text }}.'],
    ['{{ $json.items }}, {{ $json.a.b[0] }}', '{{ $.edit.items | js_text }}, {{ $.edit.a.b[0] | js_text }}'],
    ['{{ $json?.a?.b }}.', '{{ $.edit.a.b | js_text }}.'],
    ['{{ $node["Webhook"].json.body.order }}.', '{{ webhook_2.order | js_text }}.'],
    [
      '{{ $node["Webhook"].json["headers"]["x-github-event"] }}.',
      '{{ $.webhook.headers["x-github-event"] | js_text }}.',
    ],
    ["{{ $('Webhook').first().json.query.page }}.", '{{ webhook_2.page | js_text }}.'],
    ['{{ $env.SHOP_URL }}/orders', '{{ SHOP_URL }}/orders'],
    ['{{ $workflow.name }}', "{{ 'From elsewhere' }}"],
    ['{{ $now.toISO() }}', "{{ now | date('iso', timezone='UTC') }}"],
    ["{{ $now.format('yyyy-MM-dd') }}", "{{ now | date('%Y-%m-%d', timezone='UTC') }}"],
    [
      '{{ $now.minus({ days: 7 }).toFormat("d. MMMM yyyy \'at\' HH:mm") }}',
      "{{ (now | date('iso', add={'days': -7}, timezone='UTC')) | date('%-d. %B %Y at %H:%M', timezone='UTC') }}",
    ],
    [
      "{{ $now.plus(1, 'day').toISODate() }}",
      "{{ (now | date('iso', add={'day': 1}, timezone='UTC')) | date('date', timezone='UTC') }}",
    ],
    ['{{ new Date().toISOString() }}', '{{ now }}'],
  ])('%s', (from, to) => {
    const stop: NodeLike = { name: 'Stop', type: 'stopAndError', parameters: { errorMessage: `=${from}` } }
    expect(configBehind(stop)).toEqual({ status: 'error', message: to })
  })

  it('a string that is not an expression is literal, even if it looks like a template', () => {
    const text = (errorMessage: string) =>
      configBehind({ name: 'Stop', type: 'stopAndError', parameters: { errorMessage } })['message']
    expect([text('{{ no expression }}'), text('{{ a }} endraw')]).toEqual([
      '{% raw %}{{ no expression }}{% endraw %}',
      "{{ '{' }}{ a }} endraw",
    ])
  })
})

describe('n8n nodes', () => {
  it('a webhook can have every method that webhooks have here, and no other', () => {
    const typeFor = (httpMethod: string) =>
      read(aWorkflow([{ ...hook, parameters: { ...hook.parameters, httpMethod } }], [])).steps[0]?.['type']
    expect(WEBHOOK_METHODS.map(typeFor)).toEqual(WEBHOOK_METHODS.map(() => 'webhook'))
    expect(typeFor('OPTIONS')).toBe('n8n-nodes-base.webhook')
  })

  it('a webhook, HTTP request v4, if v2 and responses become steps', () => {
    const { steps, notes, errors } = read(
      aWorkflow(
        [
          { ...hook, parameters: { ...hook.parameters, responseMode: 'responseNode' } },
          {
            name: 'Get customer',
            type: 'httpRequest',
            typeVersion: 4.2,
            retryOnFail: true,
            maxTries: 5,
            credentials: { httpHeaderAuth: { id: '7', name: 'CRM key' } },
            parameters: {
              url: '=https://crm.example.test/customers/{{ $json.body.customer_id }}',
              authentication: 'genericCredentialType',
              genericAuthType: 'httpHeaderAuth',
              sendQuery: true,
              queryParameters: { parameters: [{ name: 'expand', value: 'orders' }] },
              sendHeaders: true,
              headerParameters: {
                parameters: [
                  { name: 'Authorization', value: 'Bearer sk_live_1234567890' },
                  { name: 'X-Trace', value: '=t-{{ $json.headers["x-trace"] }}' },
                ],
              },
              options: { timeout: 5000 },
            },
          },
          {
            name: 'Is VIP?',
            type: 'if',
            typeVersion: 2.2,
            parameters: {
              conditions: {
                options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
                conditions: [
                  {
                    id: '1',
                    leftValue: '={{ $json.level }}',
                    rightValue: 'vip',
                    operator: { type: 'string', operation: 'equals' },
                  },
                ],
                combinator: 'and',
              },
              options: {},
            },
          },
          {
            name: 'Yes',
            type: 'respondToWebhook',
            typeVersion: 1.1,
            parameters: { respondWith: 'text', responseBody: 'yes', options: { responseCode: 201 } },
          },
        ],
        ['Webhook -> Get customer', 'Get customer -> Yes', 'Webhook -> Is VIP?'],
      ),
    )
    expect(errors).toEqual([])
    expect(JSON.stringify({ steps, notes })).not.toContain('sk_live')
    expect(steps).toMatchObject([
      { ref_id: 'webhook_2', type: 'webhook', config: { async: false, response_headers: {} } },
      {
        ref_id: 'get_customer',
        type: 'rest',
        retry: { attempts: 5, wait_seconds: 1 },
        config: {
          method: 'GET',
          url: 'https://crm.example.test/customers/{{ webhook_2.customer_id | js_text }}',
          query: { expand: 'orders' },
          headers: { 'X-Trace': 't-{{ $.webhook.headers["x-trace"] | js_text }}' },
          timeout_seconds: 5,
        },
      },
      {
        type: 'condition',
        config: { when: expect.stringMatching(/get_customer\.body .* \| length > 0$/) },
        then: [{ ref_id: 'yes', type: 'respond', config: { status_code: 201, body: 'yes' } }],
      },
      { ref_id: 'is_vip_js', type: 'code' },
      { ref_id: 'is_vip', type: 'condition', config: { when: 'is_vip_js.result' } },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining('credentials "CRM key"'),
        expect.stringContaining('contained a credential'),
      ]),
    )
  })

  it('branches run one after the other, and merges wait for them', () => {
    const list = (name: string, y: number) => ({
      name,
      type: 'httpRequest',
      typeVersion: 4.2,
      position: [0, y],
      parameters: { url: `https://a.example.test/${name}`, options: {} },
    })
    const { steps, errors } = read(
      aWorkflow(
        [
          { name: 'Start', type: 'manualTrigger' },
          list('two', 500),
          list('one', 100),
          { name: 'Merge', type: 'merge', typeVersion: 3, parameters: {} },
          set('After', { n: '=No. {{ $json.id }}' }),
        ],
        ['Start -> two', 'Start -> one', 'one -> Merge:0', 'two -> Merge:1', 'Merge -> After'],
      ),
    )
    expect(errors).toEqual([])
    expect(steps).toMatchObject([
      { ref_id: 'one' },
      { ref_id: 'two' },
      { ref_id: 'merge', type: 'merge', config: { how: 'append' } },
      {
        ref_id: 'each_after',
        type: 'loop',
        config: { over: '{{ merge }}' },
        steps: [{ ref_id: 'after', config: { values: { n: 'No. {{ item.id | js_text }}' } } }],
      },
    ])
  })

  it('a schedule with several times has a trigger for each; one that cron cannot express is kept', () => {
    const schedule = (interval: Json[]): NodeLike => ({
      name: 'When',
      type: 'scheduleTrigger',
      typeVersion: 1.2,
      parameters: { rule: { interval } },
    })
    const times = (interval: Json[], values: Json = { a: 1 }) =>
      read(aWorkflow([schedule(interval), set('Set', values)], ['When -> Set'])).imported.flows.map(
        ({ steps }) =>
          steps
            .filter(({ ref_id: ref }) => ref !== 'set')
            .map(({ ref_id: ref, type, config = {} }) => [ref, type, config['at'] ?? config['cron']]),
      )
    const two = [{ triggerAtHour: 7 }, { field: 'minutes', minutesInterval: 7 }]
    expect([times(two), times([{ field: 'days', daysInterval: 3 }])]).toEqual([
      [
        [
          ['when', 'schedule', '07:00'],
          ['when_2', 'schedule', '*/7 * * * *'],
        ],
      ],
      [[['when', 'n8n-nodes-base.scheduleTrigger', undefined]]],
    ])
  })

  it('triggers that lead to the same nodes start one flow, whose steps read what the one that started it gave', () => {
    const feed: NodeLike = {
      name: 'News',
      type: 'rssFeedReadTrigger',
      typeVersion: 1,
      parameters: { feedUrl: 'https://a.test/feed' },
    }
    const other: NodeLike = { ...feed, name: 'More', parameters: { feedUrl: 'https://b.test/feed' } }
    const { imported, errors } = read(
      aWorkflow(
        [
          feed,
          other,
          hook,
          set('Set', { t: '={{ $json.title }}' }),
          set('Own', { b: '={{ $json.body.x }}' }),
        ],
        ['News -> Set', 'More -> Set', 'Webhook -> Own'],
      ),
    )
    expect(errors).toEqual([])
    expect(imported.flows.map(({ steps }) => steps.map(({ ref_id: ref, type }) => [ref, type]))).toEqual(
      expect.arrayContaining([
        [
          ['news', 'list_trigger'],
          ['more', 'list_trigger'],
          ['set', 'code'],
        ],
        [
          ['webhook_2', 'webhook'],
          ['own', 'code'],
        ],
      ]),
    )
    const flow = imported.flows.find(({ steps }) => steps.length === 3)
    expect(JSON.stringify(flow?.steps[2]?.config)).toContain('input.trigger.output')
  })

  it('an unknown node is kept without secrets and fails there; triggers before the same nodes make one flow', () => {
    const { steps, notes, errors, imported } = read(
      aWorkflow(
        [
          hook,
          {
            name: 'Every day',
            type: 'scheduleTrigger',
            typeVersion: 1.2,
            parameters: { rule: { interval: [{ triggerAtHour: 7 }] } },
          },
          {
            name: 'Slack',
            type: 'mattermost',
            typeVersion: 2.3,
            credentials: { mattermostApi: { id: '1', name: 'Team' } },
            parameters: { text: '={{ $json.body.text }}', apiToken: 'xoxb-123456' },
          },
          {
            name: 'AI Agent',
            type: '@n8n/n8n-nodes-langchain.agent',
            parameters: { text: '={{ $json.x }}' },
          },
          { name: 'Model', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', parameters: { model: 'gpt' } },
          { name: 'Sticky Note', type: 'stickyNote', parameters: { content: 'What this is for' } },
          { name: 'Lost', type: 'set', parameters: {} },
          set('After', { said: "={{ $('Slack').item.json.ok }}" }),
        ],
        ['Webhook -> Slack', 'Every day -> Slack', 'Slack -> AI Agent', 'AI Agent -> After'],
        { settings: { timezone: 'Europe/Berlin', errorWorkflow: 'x' } },
      ),
    )
    expect(errors).toEqual([])
    expect(steps.slice(2)).toMatchObject([
      {
        ref_id: 'slack',
        type: 'n8n-nodes-base.mattermost',
        config: { n8n: { type_version: 2.3, parameters: { text: '={{ $json.body.text }}', apiToken: '' } } },
      },
      { ref_id: 'ai_agent', type: '@n8n/n8n-nodes-langchain.agent' },
      { ref_id: 'after', type: 'code' },
    ])
    expect(
      imported.flows.map(({ name, steps: [first, second], description }) => ({
        name,
        types: [first?.type, second?.type],
        config: second?.config,
        description,
      })),
    ).toEqual([
      {
        name: 'From elsewhere',
        types: ['webhook', 'schedule'],
        config: { interval: 'daily', at: '07:00', timezone: 'Europe/Berlin' },
        description: 'What this is for',
      },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Slack: has n8n's type "n8n-nodes-base\.mattermost"/),
        expect.stringMatching(/^Lost: was left out/),
        expect.stringMatching(/had an error workflow/),
      ]),
    )
  })

  it('hostile files are rejected or read without harm', () => {
    const chain = Array.from({ length: 499 }, (_, at) => ({
      name: `n${at}`,
      type: 'if',
      typeVersion: 2,
      parameters: {},
    }))
    const fan = chain
      .slice(0, 40)
      .flatMap(({ name }, at) => [`${name}:0 -> n${at + 1}`, `${name}:1 -> n${at + 2}`])
    const widely = importN8n(
      JSON.parse(
        JSON.stringify(aWorkflow([{ name: 'S', type: 'manualTrigger' }, ...chain], ['S -> n0', ...fan])),
      ),
    )
    const circle = importN8n(
      aWorkflow(
        [{ name: 'S', type: 'manualTrigger' }, set('a', { x: 1 }), set('b', { x: 1 })],
        ['S -> a', 'a -> b', 'b -> a'],
      ),
    )
    const odd = importN8n({
      nodes: [
        {
          type: 'n8n-nodes-base.set',
          name: '__proto__',
          parameters: { values: { string: [{ name: '__proto__', value: '={{ $json.__proto__ }}' }] } },
        },
      ],
      connections: { __proto__: { main: [[{ node: 'x' }]] } },
    })
    expect(widely?.notes.length).toBeLessThanOrEqual(500)
    expect(circle?.notes).toMatchObject([{ node: 'b', message: { params: { 0: 'a' } } }])
    expect(odd?.flows).toHaveLength(1)
    const byId = importN8n({
      name: 'By id',
      nodes: ['S', 'a', 'b'].map((name) => ({
        id: `id-${name}`,
        name,
        type: `n8n-nodes-base.${name === 'S' ? 'manualTrigger' : 'set'}`,
        parameters: {},
      })),
      connections: { 'id-S': { main: [[{ node: 'id-a' }]] }, 'id-a': { main: [[{ node: 'id-b' }]] } },
    })
    expect(byId?.notes).toEqual([
      {
        ref_id: null,
        node: 'By id',
        field: null,
        message: {
          key: expect.stringContaining("connections to nodes that aren't in the file") as string,
          params: { 0: 'id-S' },
        },
      },
    ])
    expect(
      [
        1,
        null,
        'x',
        {},
        [],
        { nodes: [], connections: [] },
        { nodes: [1], connections: {} },
        { nodes: [{ name: 'x' }] },
      ].map((one) => importN8n(one) === null),
    ).toEqual([true, true, true, true, true, true, false, true])
  })
})
