import { describe, expect, it } from 'vitest'
import { importN8n } from '../../../src/main/engine/imports/n8n/index.ts'
import { step } from '../../../src/shared/contract/steps.ts'
import { checkFlow } from '../../../src/main/engine/flow/definition/check-flow.ts'
import { z } from 'zod'
import { runSteps } from '../../helpers/flow-run.ts'
import { aWorkflow, codeOf, hook, type Json, type NodeLike, set } from '../../helpers/n8n-workflow.ts'

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
    connectorOfAuth: () => null,
  })
  return {
    steps: (flow?.steps ?? []).map(brief),
    notes: imported.notes.map(({ node, message }) => `${node}: ${message}`),
    errors: errors.map(({ path, reason }) => `${path} ${reason}`),
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

/** A step without what is as usual. */
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

const valuesOf = (one: Json = {}): Json => (one['config'] as { values: Json }).values

/** What becomes of one expression behind a webhook and a set step "Edit". */
function translated(expression: string): unknown {
  const { steps } = read(
    aWorkflow(
      [hook, set('Edit', { a: 1 }), set('Now', { x: expression })],
      ['Webhook -> Edit', 'Edit -> Now'],
    ),
  )
  return valuesOf(steps[2])['x']
}

describe('nodes of n8n that look at each of several items', () => {
  const conditions = {
    options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
    combinator: 'and',
    conditions: [
      { leftValue: '={{ $json.n }}', rightValue: 1, operator: { type: 'number', operation: 'gt' } },
      {
        leftValue: "={{ $('Webhook').item.json.body.kind }}",
        rightValue: '={{ $json.kind }}',
        operator: { type: 'string', operation: 'equals' },
      },
    ],
  }

  it('a filter asks its conditions of each item', () => {
    const { steps, notes, errors } = read(
      aWorkflow(
        [
          hook,
          codeOf('Rows', 'return [1, 2, 3].map((n) => ({ json: { n } }))'),
          { name: 'Filter', type: 'filter', typeVersion: 2.2, parameters: { conditions, options: {} } },
        ],
        ['Webhook -> Rows', 'Rows -> Filter'],
      ),
    )
    expect(steps.at(-1)).toMatchObject({
      type: 'filter',
      config: { over: '{{ rows }}', when: '(item.n > 1) and (webhook_2.kind == item.kind)' },
    })
    expect(errors).toEqual([])
    expect(notes.filter((note) => note.startsWith('Filter'))).toEqual([])
  })

  it('a field of the type object or array is JSON with expressions in it', () => {
    const assignments = [
      {
        id: '1',
        name: 'one',
        type: 'object',
        value: '={ "id": {{ $json.body.id }}, "t": "a {{ $json.body.t }}" }',
      },
      { id: '2', name: 'list', type: 'array', value: '=[1, {{ $json.body.id }}]' },
      { id: '3', name: 'whole', type: 'object', value: '={{ $json.body }}' },
      { id: '4', name: 'fixed', type: 'array', value: '[1]' },
    ]
    const { steps, errors } = read(
      aWorkflow([hook, set('Shape', {}, { assignments: { assignments } })], ['Webhook -> Shape']),
    )
    expect(valuesOf(steps[1])).toEqual({
      one: { id: '{{ webhook_2.id }}', t: 'a {{ webhook_2.t }}' },
      list: [1, '{{ webhook_2.id }}'],
      whole: '{{ webhook_2 }}',
      fixed: [1],
    })
    expect(errors).toEqual([])
  })

  it('a merge puts all of its inputs one behind the other', () => {
    const { steps, notes } = read(
      aWorkflow(
        [
          hook,
          set('A', { a: 1 }),
          codeOf('B', 'return [1, 2].map((b) => ({ json: { b } }))'),
          set('C', { c: 1 }),
          { name: 'Merge', type: 'merge', typeVersion: 3, parameters: { numberInputs: 3 } },
        ],
        ['Webhook -> A', 'Webhook -> B', 'Webhook -> C', 'A -> Merge', 'B -> Merge:1', 'C -> Merge:2'],
      ),
    )
    expect(steps.at(-1)).toMatchObject({
      type: 'merge',
      config: { over: '{{ [a] }}', with: '{{ b + [c] }}', how: 'append' },
    })
    expect(notes.filter((note) => note.startsWith('Merge'))).toEqual([])
  })
})

describe('expressions of n8n', () => {
  it.each([
    ['={{ $json.a }}', '{{ edit.a }}'],
    ['=Hello {{ $json.a }}!', 'Hello {{ edit.a }}!'],
    ['={{ $json["first name"] }}', "{{ edit['first name'] }}"],
    ['={{ $node["Webhook"].json.body.order.id }}', '{{ webhook_2.order.id }}'],
    ['={{ $node["Webhook"].json["headers"]["x-github-event"] }}', "{{ webhook.headers['x-github-event'] }}"],
    ["={{ $('Webhook').item.json.query.page }}", '{{ webhook_2.page }}'],
    ['={{ $json.a.toUpperCase() }}', '{{ edit.a | upper }}'],
    ["={{ 'a' + $json.a + 'b' }}", "{{ 'a' ~ edit.a ~ 'b' }}"],
    ['={{ $json.a > 1 && !$json.b ? "x" : null }}', "{{ 'x' if edit.a > 1 and not edit.b else none }}"],
    ['={{ $json.items.length }}', '{{ edit.items | length }}'],
    ['={{ JSON.stringify($json) }}', '{{ edit | jsonify }}'],
    ['={{ $json.a ?? 7 }}', '{{ 7 if edit.a is undefined or edit.a is none else edit.a }}'],
    ['={{ $json?.a?.b }}', '{{ ((edit | default({}, true)).a | default({}, true)).b }}'],
    ['={{ `${$json.a}-${$json.b}` }}', "{{ ('' ~ edit.a ~ '-' ~ edit.b) }}"],
    ['={{ {ok: true, list: [1, $json.a]} }}', "{{ {'ok': true, 'list': [1, edit.a]} }}"],
    ['={{ $env.SHOP_URL }}/orders', '{{ SHOP_URL }}/orders'],
    ['={{ $now.toISO() }}', '{{ now }}'],
    ["={{ $now.format('yyyy-MM-dd') }}", "{{ now | date('%Y-%m-%d') }}"],
    [
      '={{ $now.minus({ days: 7 }).toFormat("d. MMMM yyyy \'at\' HH:mm") }}',
      "{{ (now | date('iso', add={'days': -7})) | date('%-d. %B %Y at %H:%M') }}",
    ],
    ["={{ $now.plus(1, 'day').toISODate() }}", "{{ (now | date('iso', add={'day': 1})) | date('date') }}"],
    ['={{ DateTime.fromISO($json.a).toMillis() }}', "{{ (edit.a | date('iso')) | date('unix_ms') }}"],
    ['={{ $today.toISODate() }}', "{{ (now | date('%Y-%m-%dT00:00:00') | date('iso')) | date('date') }}"],
    ['={{ $now.year + 1 }}', "{{ (now | date('%Y') | int) + 1 }}"],
    ['={{ $workflow.name }}', "{{ 'From elsewhere' }}"],
    ['={{ Math.max($json.a, 2) }}', '{{ [edit.a, 2] | max }}'],
    ['={{ $json.a.split(",")[0].trim() }}', "{{ (edit.a.split(',')[0]) | trim }}"],
    ['={{ $json.name.replace("a", "b").toLowerCase() }}', "{{ (edit.name | replace('a', 'b', 1)) | lower }}"],
    ['={{ $json.name.isEmpty() }}', '{{ not edit.name }}'],
    ['={{ $json.name.isNotEmpty() ? 1 : 0 }}', '{{ 1 if not not edit.name else 0 }}'],
    ['={{ $json.tags.includes("vip") }}', "{{ 'vip' in edit.tags }}"],
    ['={{ $json.a * 2; // twice }}', '{{ edit.a * 2 }}'],
    [
      '={{ `${$json.a ? `a${$json.b}` : ""}.` }}',
      "{{ ('' ~ (('' ~ 'a' ~ edit.b) if edit.a else '') ~ '.') }}",
    ],
    ['={{ new Date().toISOString() }}', '{{ now }}'],
    ['={{ "new Date().toISOString()" }}', "{{ 'new Date().toISOString()' }}"],
    ['{{ no expression }}', '{% raw %}{{ no expression }}{% endraw %}'],
  ])('%s', (from, to) => {
    expect(translated(from)).toBe(to ?? `{% raw %}${from}{% endraw %}`)
  })

  it.each([
    ['={{ $json.items.map(i => i.id).pluck("id") }}', 'function'],
    ['={{ $json.name.toTitleCase() }}', 'no exact equal'],
    ['={{ $env.LIST.split("").map(one => one) }}', 'function'],
    ['={{ $json.price.toLocaleString("de") }}', 'no exact equal'],
    ['={{ $now.toRelative() }}', '.toRelative()'],
    ["={{ $now.toFormat('DDDD') }}", 'DDDD'],
    ['={{ $now.plus({quarters: 1}) }}', 'added'],
    ['={{ DateTime.fromFormat($json.a, "dd") }}', 'DateTime'],
    ['={{ $("Nowhere").item.json.a }}', 'Nowhere'],
    ['={{ $("Nowhere").all().map(one => one.json) }}', 'Nowhere'],
    ['={{ $($json.name).all().map(one => one.json) }}', 'function'],
    ['={{ $json.a.constructor.constructor("return process")() }}', 'no exact equal here'],
    ['={{ (() => { while (true) {} })() }}', 'not read'],
    [`={{ ${'('.repeat(5_000)} }}`, 'nested'],
  ])('what is not certain stays as a text, and is said: %#', (from, why) => {
    const { steps, notes, errors } = read(
      aWorkflow([hook, set('Edit', { a: 1 }), set('Now', { x: from })], ['Webhook -> Edit', 'Edit -> Now']),
    )
    expect(valuesOf(steps[2])['x']).toBe(`{% raw %}${from}{% endraw %}`)
    expect(notes.find((note) => note.startsWith('Now: stays as the text'))).toContain(why)
    expect(errors).toEqual([])
  })
})

/** With a last case that is the fallback as well, the last way is written twice. */
const AFTER: Record<number, unknown> = {
  1: '{{ (a | default((b | default(c)))).v }}',
  2: '{{ (a | default((b | default(c)))).v }}',
  3.2: '{{ (a | default((b | default(c)))).v }}',
}

describe('nodes of n8n', () => {
  it('a webhook, HTTP request v4, if v2 and answers become steps', () => {
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
                  { name: 'X-Trace', value: '={{ $json.headers["x-trace"] }}' },
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
            parameters: {
              respondWith: 'json',
              responseBody: '={ "vip": true, "name": "{{ $json.name }}" }',
              options: { responseCode: 201 },
            },
          },
          {
            name: 'No',
            type: 'respondToWebhook',
            typeVersion: 1.1,
            parameters: { respondWith: 'noData', options: {} },
          },
        ],
        ['Webhook -> Get customer', 'Get customer -> Is VIP?', 'Is VIP?:0 -> Yes', 'Is VIP?:1 -> No'],
      ),
    )
    expect(errors).toEqual([])
    expect(JSON.stringify({ steps, notes })).not.toContain('sk_live')
    expect(steps).toEqual([
      { ref_id: 'webhook_2', type: 'webhook', config: { async: false, response_headers: {} } },
      {
        ref_id: 'get_customer',
        type: 'rest',
        retry: { attempts: 5, wait_seconds: 1 },
        config: {
          method: 'GET',
          url: 'https://crm.example.test/customers/{{ webhook_2.customer_id }}',
          query: { expand: 'orders' },
          headers: { 'X-Trace': "{{ webhook.headers['x-trace'] }}" },
          timeout_seconds: 5,
        },
      },
      {
        ref_id: 'is_vip',
        type: 'condition',
        config: { a: '{{ get_customer.body.level }}', comparison: 'string_is', b: 'vip' },
        then: [
          {
            ref_id: 'yes',
            type: 'respond',
            config: { status_code: 201, body: '{ "vip": true, "name": "{{ get_customer.body.name }}" }' },
          },
        ],
        else: [{ ref_id: 'no', type: 'respond', config: { status_code: 200, body: '' } }],
      },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining('credentials "CRM key"'),
        expect.stringContaining('held a credential'),
        expect.stringContaining('Is VIP?: runs once here'),
      ]),
    )
  })

  it('the older forms: if v1, set v1, HTTP request v1, function, cron', () => {
    const { steps, errors, notes } = read(
      aWorkflow(
        [
          {
            name: 'Cron',
            type: 'cron',
            parameters: { triggerTimes: { item: [{ mode: 'everyWeek', hour: 8, weekday: '5' }] } },
          },
          {
            name: 'HTTP Request',
            type: 'httpRequest',
            parameters: {
              requestMethod: 'POST',
              url: 'https://api.example.test/report',
              jsonParameters: true,
              options: { bodyContentType: 'json' },
              bodyParametersJson: '={"since": "{{$json["timestamp"]}}"}',
            },
          },
          {
            name: 'Set',
            type: 'set',
            parameters: {
              keepOnlySet: true,
              values: {
                string: [{ name: 'who.name', value: '={{$json["name"]}}' }],
                number: [{ name: 'n', value: 3 }],
              },
              options: {},
            },
          },
          {
            name: 'IF',
            type: 'if',
            parameters: {
              conditions: {
                number: [{ value1: '={{$json["n"]}}', operation: 'larger', value2: 2 }],
                string: [{ value1: '={{$json["who"]["name"]}}', operation: 'isNotEmpty' }],
              },
            },
          },
          {
            name: 'Function',
            type: 'function',
            continueOnFail: true,
            parameters: { functionCode: 'return [{json: {done: items[0].json.n}}];' },
          },
        ],
        ['Cron -> HTTP Request', 'HTTP Request -> Set', 'Set -> IF', 'IF -> Function'],
      ),
    )
    expect(errors).toEqual([])
    expect(steps.slice(0, 4)).toMatchObject([
      { ref_id: 'cron', type: 'schedule', config: { interval: 'weekly', weekdays: ['friday'], at: '08:00' } },
      {
        type: 'rest',
        config: { method: 'POST', body: '{"since": "{{ cron.scheduled_at }}"}', body_type: 'json' },
      },
      { type: 'set', config: { values: { who: { name: '{{ http_request.body.name }}' }, n: 3 } } },
      {
        type: 'condition',
        config: {
          when: "(not (set.who.name is undefined or set.who.name is none or set.who.name in ['', [], {}])) and (set.n > 2)",
        },
        then: [
          {
            ref_id: 'function',
            type: 'code',
            on_error: 'continue',
            config: { source: expect.stringContaining('return [{json: {done: items[0].json.n}}];') },
          },
        ],
      },
    ])
    expect(notes.filter((note) => note.startsWith('Function'))).toEqual([])
  })

  it.each([
    [
      'v1',
      {
        dataType: 'string',
        value1: '={{ $json.kind }}',
        rules: { rules: [{ value2: 'a' }, { value2: 'b', output: 1 }] },
        fallbackOutput: 2,
      },
      1,
    ],
    [
      'v2',
      {
        dataType: 'string',
        value1: '={{ $json.kind }}',
        rules: {
          rules: [
            { value2: 'a', outputKey: 'A' },
            { value2: 'b', outputKey: 'B' },
            { value2: 'c', outputKey: 'C' },
          ],
        },
        fallbackOutput: 2,
      },
      2,
    ],
    [
      'v3',
      {
        rules: {
          values: ['a', 'b'].map((rightValue) => ({
            conditions: {
              options: { caseSensitive: true },
              conditions: [
                {
                  leftValue: '={{ $json.kind }}',
                  rightValue,
                  operator: { type: 'string', operation: 'equals' },
                },
              ],
              combinator: 'and',
            },
          })),
        },
        options: { fallbackOutput: 'extra' },
      },
      3.2,
    ],
  ])(
    'a switch %s that compares with fixed texts is a switch; where the ways meet, the flow goes on',
    (_, parameters, typeVersion) => {
      const { steps, errors } = read(
        aWorkflow(
          [
            hook,
            set('Edit', { kind: 'a' }),
            { name: 'Switch', type: 'switch', typeVersion, parameters },
            set('A', { v: 1 }),
            set('B', { v: 2 }),
            set('C', { v: 3 }),
            set('After', { v: '={{ $json.v }}' }),
          ],
          [
            'Webhook -> Edit',
            'Edit -> Switch',
            'Switch:0 -> A',
            'Switch:1 -> B',
            'Switch:2 -> C',
            'A -> After',
            'B -> After',
            'C -> After',
          ],
        ),
      )
      expect(errors).toEqual([])
      expect(steps.slice(2)).toMatchObject([
        {
          ref_id: 'switch',
          config: { value: '{{ edit.kind }}' },
          cases: [
            { label: 'a', steps: [{ ref_id: 'a' }] },
            { label: 'b', steps: [{ ref_id: 'b' }] },
            ...(typeVersion === 2 ? [{ label: 'c', steps: [{ ref_id: 'c' }] }] : []),
          ],
          default: [{ ref_id: typeVersion === 2 ? 'c_2' : 'c' }],
        },
        {
          ref_id: 'after',
          config: {
            values: { v: AFTER[typeVersion] },
          },
        },
      ])
    },
  )

  it('what n8n runs for each item stands in a loop: split out, loop over items, aggregate', () => {
    const { steps, errors, notes } = read(
      aWorkflow(
        [
          hook,
          { name: 'Split Out', type: 'splitOut', parameters: { fieldToSplitOut: 'body.items', options: {} } },
          set('Price', {
            total: '={{ $json.price * $json.count }}',
            first: "={{ $('Split Out').first().json.sku }}",
          }),
          {
            name: 'Send',
            type: 'httpRequest',
            typeVersion: 4.1,
            parameters: {
              method: 'POST',
              url: 'https://a.example.test',
              sendBody: true,
              bodyParameters: { parameters: [{ name: 'sku', value: "={{ $('Split Out').item.json.sku }}" }] },
              options: {},
            },
          },
          {
            name: 'Aggregate',
            type: 'aggregate',
            parameters: { aggregate: 'aggregateAllItemData', options: {} },
          },
          { name: 'Loop Over Items', type: 'splitInBatches', typeVersion: 3, parameters: { options: {} } },
          set('In loop', { x: '={{ $json.id }}' }),
          set('Done', { count: '={{ $json.data.length }}' }),
        ],
        [
          'Webhook -> Split Out',
          'Split Out -> Price',
          'Price -> Send',
          'Send -> Loop Over Items',
          'Loop Over Items:1 -> In loop',
          'In loop -> Loop Over Items',
          'Loop Over Items:0 -> Aggregate',
          'Aggregate -> Done',
        ],
      ),
    )
    expect(errors).toEqual([])
    expect(steps).toMatchObject([
      { ref_id: 'webhook_2' },
      {
        ref_id: 'each_price',
        type: 'loop',
        config: { over: '{{ webhook_2.items }}', collect: '{{ send.body }}' },
        steps: [
          {
            ref_id: 'price',
            config: {
              values: {
                total: '{{ item.price * item.count }}',
                first: '{{ (webhook_2.items | first).sku }}',
              },
            },
          },
          { ref_id: 'send', config: { body: { sku: '{{ item.sku }}' } } },
        ],
      },
      {
        ref_id: 'loop_over_items',
        type: 'loop',
        config: { over: '{{ each_price }}' },
        steps: [{ ref_id: 'in_loop', config: { values: { x: '{{ item.id }}' } } }],
      },
      { ref_id: 'done', config: { values: { count: '{{ loop_over_items | length }}' } } },
    ])
    expect(notes.filter((note) => note.includes('went back'))).toEqual([])
  })

  const split = {
    name: 'Split',
    type: 'splitOut',
    parameters: { fieldToSplitOut: 'body.items', options: {} },
  }
  const items = { over: '{{ webhook_2.items }}' }
  /** What becomes of a node behind a list of items, and of one that reads what it gives. */
  const behindItems = (node: NodeLike) =>
    read(
      aWorkflow(
        [hook, split, node, set('After', { x: '={{ $json.id }}' })],
        ['Webhook -> Split', `Split -> ${node.name}`, `${node.name} -> After`],
      ),
    )

  it('summaries become aggregates under the names that n8n gives them', () => {
    const { steps, errors, notes } = behindItems({
      name: 'Sums',
      type: 'summarize',
      typeVersion: 1.1,
      parameters: {
        fieldsToSummarize: {
          values: [
            { aggregation: 'sum', field: 'line.price' },
            { field: 'id' },
            { aggregation: 'countUnique', field: 'id' },
            { aggregation: 'concatenate', field: 'name', separateBy: 'other', customSeparator: ' / ' },
            { aggregation: 'append', field: 'id' },
          ],
        },
        fieldsToSplitBy: 'country, address.city',
        options: {},
      },
    })
    expect(errors).toEqual([])
    expect(steps[1]).toEqual({
      ref_id: 'sums',
      type: 'aggregate',
      config: {
        ...items,
        by: '{{ [item.country | default(none), (item.address | default({}, true)).city | default(none)] }}',
        operations: [
          { name: 'country', operation: 'first', of: 'country' },
          { name: 'address_city', operation: 'first', of: 'address.city' },
          { name: 'sum_line_price', operation: 'sum', of: 'line.price' },
          { name: 'count_id', operation: 'count', of: 'id' },
          { name: 'unique_count_id', operation: 'count_unique', of: 'id' },
          { name: 'concatenated_name', operation: 'join', of: 'name', separator: ' / ' },
          { name: 'appended_id', operation: 'list', of: 'id' },
        ],
      },
    })
    expect(steps[2]).toMatchObject({ type: 'loop', config: { over: '{{ sums }}' } })
    expect(notes).toContain('Sums: left empty values out of "appended_id"; they are in it here')
  })

  it('duplicates are removed by their fields; what is remembered between runs stays a node, to fail there', () => {
    const remove = (parameters: Json) =>
      behindItems({ name: 'Once', type: 'removeDuplicates', typeVersion: 2, parameters })
    const byFields = remove({ compare: 'selectedFields', fieldsToCompare: 'id, shop.id', options: {} })
    expect({ errors: byFields.errors, steps: byFields.steps.slice(1) }).toMatchObject({
      errors: [],
      steps: [
        {
          type: 'aggregate',
          config: {
            ...items,
            by: '{{ [item.id | default(none), (item.shop | default({}, true)).id | default(none)] }}',
            operations: [{ name: 'entry', operation: 'first' }],
          },
        },
        { type: 'loop', config: { over: "{{ (once | map(attribute='entry') | list) }}" } },
      ],
    })
    expect(remove({}).steps[1]).toMatchObject({ config: { by: '{{ item }}' } })
    const remembered = remove({ operation: 'removeItemsSeenInPreviousExecutions' })
    expect(remembered.steps[1]).toMatchObject({ type: 'n8n-nodes-base.removeDuplicates' })
    expect(remembered.steps[1]).not.toHaveProperty('disabled')
  })

  it('what was made of them gives what n8n gives, where fields are missing too', async () => {
    const made = (node: NodeLike) => behindItems(node).imported.flows[0]!.steps[1]!
    const rows = [
      { id: 1, shop: { id: 'a' }, n: 2 },
      { id: 1, shop: { id: 'a' }, n: 3 },
      { id: 1, shop: { id: 'b' }, n: null },
      { id: 2, n: 5 },
    ]
    const once = made({
      name: 'Once',
      type: 'removeDuplicates',
      parameters: { compare: 'selectedFields', fieldsToCompare: 'id, shop.id' },
    })
    const values = [{ aggregation: 'sum', field: 'n' }]
    const fieldsToSummarize = { values }
    const sums = made({ name: 'Sums', type: 'summarize', parameters: { fieldsToSummarize } })
    const groups = { fieldsToSummarize, fieldsToSplitBy: 'shop.id' }
    const grouped = made({ name: 'Grouped', type: 'summarize', parameters: groups })
    const { results, error } = await runSteps([
      { ref_id: 'rows', type: 'set', config: { values: { rows } } },
      ...[once, sums, grouped].map((one) => ({ ...one, config: { ...one.config, over: '{{ rows.rows }}' } })),
      {
        ref_id: 'after',
        type: 'set',
        config: { values: { kept: "{{ (once | map(attribute='entry') | list) }}" } },
      },
    ])
    expect({ error, results }).toMatchObject({
      error: null,
      results: {
        after: { kept: [rows[0], rows[2], rows[3]] },
        sums: { sum_n: 10 },
        grouped: [
          { shop_id: 'a', sum_n: 5 },
          { shop_id: 'b', sum_n: 0 },
          { shop_id: null, sum_n: 5 },
        ],
      },
    })
  })

  it('merges match by several fields at once', () => {
    const get = (name: string) => ({
      name,
      type: 'httpRequest',
      parameters: { url: 'https://a.example.test' },
    })
    const values = [{ field1: 'id', field2: 'order' }, { field1: 'shop' }]
    const merge = {
      name: 'Merge',
      type: 'merge',
      typeVersion: 3,
      parameters: { mode: 'combine', mergeByFields: { values }, joinMode: 'keepMatches', options: {} },
    }
    const { steps, errors } = read(
      aWorkflow(
        [hook, get('One'), get('Two'), merge],
        ['Webhook -> One', 'Webhook -> Two', 'One -> Merge', 'Two -> Merge:1'],
      ),
    )
    expect(errors).toEqual([])
    expect(steps.at(-1)).toMatchObject({
      config: {
        on: '{{ [item.id, item.shop] if item.id is defined and item.shop is defined else none }}',
        on_with: '{{ [item.order, item.shop] if item.order is defined and item.shop is defined else none }}',
      },
    })
  })

  it('branches run one after the other, merges wait for them', () => {
    const join = {
      name: 'Merge',
      type: 'merge',
      typeVersion: 3,
      parameters: { mode: 'combine', fieldsToMatchString: 'id', joinMode: 'enrichInput1', options: {} },
    }
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
          join,
          set('After', { n: '={{ $json.id }}' }),
        ],
        ['Start -> two', 'Start -> one', 'one -> Merge:0', 'two -> Merge:1', 'Merge -> After'],
      ),
    )
    expect(errors).toEqual([])
    expect(steps).toMatchObject([
      { ref_id: 'one' },
      { ref_id: 'two' },
      { ref_id: 'merge', config: { over: '{{ one.body }}', with: '{{ two.body }}', how: 'left', on: 'id' } },
      {
        ref_id: 'each_after',
        type: 'loop',
        config: { over: '{{ merge }}' },
        steps: [{ ref_id: 'after', config: { values: { n: '{{ item.id }}' } } }],
      },
    ])
  })

  it('what it does not know it keeps without secrets, to fail there; of several starts each makes a flow', () => {
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
            type: 'slack',
            typeVersion: 2.3,
            credentials: { slackApi: { id: '1', name: 'Team' } },
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
    expect(steps.slice(1)).toMatchObject([
      {
        ref_id: 'slack',
        type: 'n8n-nodes-base.slack',
        config: { n8n: { type_version: 2.3, parameters: { text: '={{ $json.body.text }}', apiToken: '' } } },
      },
      { ref_id: 'ai_agent', type: '@n8n/n8n-nodes-langchain.agent' },
      { ref_id: 'after', config: { values: { said: '{{ slack.ok }}' } } },
    ])
    expect(
      imported.flows.map(({ name, steps: [first], description }) => ({
        name,
        first: first?.type,
        config: first?.config,
        description,
      })),
    ).toEqual([
      {
        name: 'From elsewhere',
        first: 'webhook',
        config: expect.anything(),
        description: 'What this is for',
      },
      {
        name: 'From elsewhere (Every day)',
        first: 'schedule',
        config: { interval: 'daily', at: '07:00', timezone: 'Europe/Berlin' },
        description: '',
      },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Slack: is of n8n's type "n8n-nodes-base\.slack"/),
        expect.stringMatching(/^Lost: was left out/),
        expect.stringMatching(/had an error workflow/),
      ]),
    )
  })

  it('hostile files are refused or read, without harm', () => {
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
    expect(circle?.notes).toMatchObject([{ node: 'b', message: expect.stringContaining('went back to "a"') }])
    expect(odd?.flows).toHaveLength(1)
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
