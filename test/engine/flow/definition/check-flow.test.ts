import { englishOf } from '../../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import { checkFlow } from '../../../../src/main/engine/flow/definition/check-flow.ts'
import { type CheckContext, flowRefusal } from '../../../../src/main/engine/flow/definition/problem.ts'
import { STEP_TYPES } from '../../../../src/shared/contract/step-types/index.ts'
import type { StepInput } from '../../../../src/shared/contract/steps.ts'
import { anAction, CONNECTOR_ID } from '../../../helpers/flow-connectors.ts'
import { aStep } from '../../../helpers/flow-run.ts'

const CONTEXT: CheckContext = {
  envNames: new Set(['shop_url']),
  toleratedSteps: new Set(),
  hasConnector: (id) => id === CONNECTOR_ID,
  findAction: (id, name) => (id === CONNECTOR_ID && name === 'list_orders' ? anAction() : null),
  paginationOf: () => null,
  findPlugin: () => null,
  connectorOfAuth: (id) => (id === 'auth-1' ? CONNECTOR_ID : null),
  needsAuth: () => false,
}

const check = (steps: StepInput[], context: Partial<CheckContext> = {}) =>
  checkFlow(steps.map(aStep), { ...CONTEXT, ...context })
/** All errors, as `path: reason`. */
const refused = (...steps: StepInput[]) =>
  check(steps).errors.map(({ path, reason }) => `${path}: ${englishOf(reason)}`)
const warned = (...steps: StepInput[]) =>
  check(steps).warnings.map(({ path, reason }) => `${path}: ${englishOf(reason)}`)

const set = (ref_id: string, values: Record<string, unknown> = {}): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})

describe('checking a flow on save', () => {
  it('accepts a flow without problems', () => {
    const steps: StepInput[] = [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: { response_body: '{"n": {{ each | length }}}', response_status_code: '{{ web1.code }}' },
      },
      {
        ref_id: 'call',
        type: 'rest',
        config: {
          url: '{{ shop_url }}/x',
          pagination: { query: '{"page": {{ page }}, "shop": "{{ web1.shop }}"}' },
        },
      },
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ call }}', collect: '{{ inner.n + index }}' },
        steps: [set('inner', { n: '{{ item.n }}' })],
      },
      {
        ref_id: 'check',
        type: 'condition',
        config: { when: 'each | length > 1' },
        then: [set('yes')],
        else: [set('no')],
      },
      set('maybe', {
        value: "{{ nowhere | default('x') }}",
        known: '{% if somewhere is defined %}{{ somewhere }}{% endif %}',
      }),
    ]
    expect(check(steps)).toEqual({ errors: [], warnings: [] })
  })

  it('warns of a response that begins like JSON and is none', () => {
    const webhook = (config: Record<string, unknown>): StepInput => ({
      ref_id: 'web1',
      type: 'webhook',
      config,
    })
    const respond: StepInput = { ref_id: 'reply', type: 'respond', config: { body: '[1, {{ web1.n }}' } }
    const text = { 'Content-Type': 'text/plain' }
    expect([
      warned(webhook({ response_body: '{"n": {{ web1.n }}' }), respond),
      warned(webhook({ response_body: '{"n": {{ web1.n }}', response_headers: text })),
    ]).toEqual([
      [
        'steps[0].config.response_body: begins like JSON but isn\'t JSON, so it\'s sent as text; correct it, or set the header Content-Type to text/plain: Line 1, column 19: expected "," or "}", found the end of the text.',
        'steps[1].config.body: begins like JSON but isn\'t JSON, so it\'s sent as text; correct it, or set the header Content-Type to text/plain: Line 1, column 17: expected "," or "]", found the end of the text.',
      ],
      [],
    ])
  })

  it('rejects duplicate step names, in whatever list they are', () => {
    expect(
      refused(set('a'), { ref_id: 'c', type: 'condition', config: { when: 'true' }, then: [set('a')] }),
    ).toEqual(['steps[1].then[0].ref_id: "a" is already the name of steps[0]; rename one of them'])
  })

  it('rejects names that have another meaning in templates', () => {
    expect(
      [
        'webhook',
        'item',
        'index',
        'input',
        'auth',
        'now',
        'page',
        'env',
        'loop',
        'range',
        'namespace',
        'not',
        'none',
        'true',
      ].flatMap((name) => refused(set(name))),
    ).toHaveLength(14)
    expect(refused(set('range'))).toEqual([
      'steps[0].ref_id: "range" is a reserved word of the template language; choose another name',
    ])
  })

  it('allows a webhook only as the first step', () => {
    expect(refused(set('a'), { ref_id: 'web1', type: 'webhook' })).toEqual([
      'steps[1].type: a webhook step starts a flow, so only triggers can be above it',
    ])
  })

  it('rejects unknown step types, except those the flow already has', () => {
    const odd: StepInput = { ref_id: 'odd', type: 'teleport', config: { to: '{{ broken' } }
    expect(refused(odd)).toEqual([
      `steps[0].type: "teleport" isn't a step type; the types are ${STEP_TYPES.join(', ')}`,
    ])
    expect(check([odd], { toleratedSteps: new Set(['odd/teleport']) }).errors).toEqual([])
  })

  it('requires what each type requires, and rejects unknown keys', () => {
    expect(
      refused(
        { ref_id: 'a', type: 'rest', config: { method: 'FETCH', urll: 'x' } },
        { ref_id: 'b', type: 'condition', config: { a: 1, comparison: 'equal' } },
        { ref_id: 'c', type: 'delay' },
        { ref_id: 'd', type: 'delay', config: { seconds: 1, until: '2030-01-01' } },
        { ref_id: 'e', type: 'set', steps: [set('inside')] },
        { ref_id: 'f', type: 'loop' },
      ),
    ).toEqual([
      'steps[0].config.method: is "FETCH", but must be one of "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"',
      'steps[0].config.url: is required',
      'steps[0].config.urll: is unknown; did you mean "url"?',
      'steps[1].config: needs "when", or "a", "comparison" and "b"',
      'steps[2].config: needs either "seconds" or "until"',
      'steps[3].config: needs either "seconds" or "until"',
      'steps[4].steps: a step of type set has no list "steps"',
      'steps[5].config.over: is required',
    ])
  })

  it.each([99, 100, 199, 1000, '{{', 'abc', 'two hundred'])(
    'rejects the status %j, which HTTP does not allow',
    (status) => {
      const steps: StepInput[] = [
        { ref_id: 'web1', type: 'webhook', config: { response_status_code: status } },
        { ref_id: 'answer', type: 'respond', config: { status_code: status } },
      ]
      expect(check(steps).errors.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['steps[0].config.response_status_code', 'steps[1].config.status_code']),
      )
    },
  )

  it('rejects headers that HTTP does not allow', () => {
    const headers = {
      'X A': 'b',
      'X-B': 'a\r\nb',
      'X-C': '{{ web1.c }}\r\n',
      'X-{{ web1.d }}': 'd',
      'X-E': 'é\t',
    }
    expect(
      refused(
        { ref_id: 'web1', type: 'webhook', config: { response_headers: headers } },
        { ref_id: 'answer', type: 'respond', config: { headers: { 'X A': 'b' } } },
      ),
    ).toEqual([
      `steps[0].config.response_headers["X A"]: "X A" isn't a valid name for a response header`,
      'steps[0].config.response_headers["X-B"]: The response header "X-B" contains a line break or another control character',
      `steps[0].config.response_headers["X-{{ web1.d }}"]: "X-{{ web1.d }}" isn't a valid name for a response header`,
      `steps[1].config.headers["X A"]: "X A" isn't a valid name for a response header`,
    ])
  })

  it('rejects templates that are invalid or read unknown names', () => {
    expect(
      refused(
        {
          ref_id: 'web1',
          type: 'webhook',
          config: { response_body: '{{ wbe1.a }}', response_headers: { 'X-A': '{{ web1.a | nofilter }}' } },
        },
        set('a', { list: ['fine', { deep: '{{ web1.' }] }),
        { ref_id: 'c', type: 'condition', config: { when: 'item > 1' } },
      ),
    ).toEqual([
      `steps[0].config.response_body: line 1, column 4: 'wbe1' is undefined (Did you mean "web1"?)`,
      expect.stringContaining('steps[0].config.response_headers.X-A: line 1, column'),
      expect.stringContaining('steps[1].config.values.list[1].deep: line 1, column'),
      expect.stringContaining("steps[2].config.when: line 1, column 1: 'item' is undefined"),
    ])
  })

  it('checks the pagination of a rest step with its positions', () => {
    expect(
      refused({
        ref_id: 'call',
        type: 'rest',
        config: { url: 'http://x', pagination: [{ query: '{"page": {{ pagee }}}' }] },
      }),
    ).toEqual([
      expect.stringContaining("steps[0].config.pagination[0].query: line 1, column 13: 'pagee' is undefined"),
    ])
  })

  it('rejects fetching all pages of an action without pagination, and two auths at once', () => {
    const config = {
      connector_id: CONNECTOR_ID,
      action: 'list_orders',
      retrieve_all_data: true,
      auth_id: 'auth-1',
      dynamic_auth_id: 'auth-1',
    }
    expect(refused({ ref_id: 'call', type: 'connector_action', config })).toEqual([
      'steps[0].config.dynamic_auth_id: can\'t be combined with "auth_id"; use one of the two',
      'steps[0].config.retrieve_all_data: is true, but action "list_orders" doesn\'t support automatic pagination; turn this off, or turn on the action\'s flag',
    ])
  })

  it('rejects secrets of a signature in a step', () => {
    const signature = { scheme: 'github', secret: 'in plain sight' }
    expect(refused({ ref_id: 'web1', type: 'webhook', config: { signature } })).toEqual([
      'steps[0].config.signature.secret: must not be written into the flow; store it in a secret variable and use {{ its_name }}',
    ])
  })

  it('warns of what is probably unintended', () => {
    expect(
      warned(
        set('a', { x: '{{ b.x }}' }),
        { ...set('b'), on_error: 'break_loop' },
        { ref_id: 'c', type: 'condition', config: { when: 'true', comparison: 'equal' } },
        { ref_id: 'd', type: 'connector_action', config: { connector_id: 'gone', action: 'x' } },
        {
          ref_id: 'e',
          type: 'connector_action',
          config: { connector_id: CONNECTOR_ID, action: 'x', auth_id: 'gone' },
        },
      ),
    ).toEqual([
      'steps[0].config.values.x: uses "b" before it runs; move this step below it',
      "steps[1].on_error: is break_loop, but the step isn't in a loop; it works like stop",
      'steps[2].config.comparison: is ignored, because "when" is set',
      'steps[3].config.connector_id: there is no connector gone',
      'steps[4].config.action: the connector has no action "x"',
      'steps[4].config.auth_id: there is no connector auth gone',
    ])
  })

  it('puts the first problem in the message and all of them in the data', () => {
    const error = flowRefusal(
      check([
        {
          ref_id: 'c',
          type: 'condition',
          config: { when: 'true' },
          then: [
            { ref_id: 'call', type: 'rest' },
            { ref_id: 'x', type: 'y' },
          ],
        },
      ]).errors,
    )
    expect(error.toEnvelope()).toEqual({
      status: 400,
      error: 'validation',
      message: 'Step "call", field "config.url": is required (and 1 more problem; see data)',
      data: {
        'steps[0].then[0].config.url': ['is required'],
        'steps[0].then[1].type': [`"y" isn't a step type; the types are ${STEP_TYPES.join(', ')}`],
      },
    })
  })
})
