import { expect, it } from 'vitest'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })

it('fields read from a rest step besides its body are reported in the run and before it, with the intended path', async () => {
  const app = await startFlowApp()
  const api = await startThirdPartyApi((_request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end('{"id": 7, "items": [1], "order-no": 5, "status": "open"}'),
  )
  const steps: StepInput[] = [
    {
      ref_id: 'web1',
      type: 'webhook',
      config: { response_body: '{"id": {{ a.id }}, "of": {{ web1.id | default(0) }}}' },
    },
    { ref_id: 'a', type: 'rest', config: { url: `${api.url}/orders` } },
    set('meant', {
      id: '{{ a.id }}',
      number: "no {{ a['order-no'] | string }}",
      other: '{{ a.nowhere }}',
      list: '{% for one in a.items() %}{{ one }}{% endfor %}',
    }),
    { ref_id: 'asked', type: 'condition', config: { when: 'a.id == 7' } },
    set('right', {
      id: '{{ a.body.id }}',
      status: '{{ a.status }}',
      type: "{{ a.headers['content-type'] }}",
    }),
    set('on_purpose', {
      default: '{{ a.id | default(1) }}',
      defined: '{{ a.id is defined }}',
      or: '{{ a.id or 1 }}',
      if: '{% if a.id %}{{ a.id }}{% endif %}',
      inline: '{{ a.id if a.id else 1 }}',
      not: '{{ not a.id }}',
      own: '{% set a = {"id": 1} %}{{ a.id }}',
    }),
  ]
  const saved = await app.call('POST', '/v1/flows', { name: 'Rest', status: 'active', steps })
  const { id, webhook, warnings } = saved.json as {
    id: string
    webhook: { token: string }
    warnings: { code: string; field: string; message: string; line: number; column: number }[]
  }
  const beside = warnings.filter(({ code }) => code === 'read_beside_body')
  expect(beside.map(({ field, line, column }) => [field, line, column])).toEqual([
    ['steps[0].config.response_body', 1, 13],
    ['steps[2].config.values.id', 1, 6],
    ['steps[2].config.values.number', 1, 8],
    ['steps[2].config.values.other', 1, 6],
    ['steps[3].config.when', 1, 3],
  ])
  expect(beside[1]?.message).toContain('in the body it is a.body.id')

  await app.trigger({ path: `/v1/flow-webhook/${id}`, token: webhook.token }, { body: {} })
  const [run] = app.runs()
  const said = app
    .stepsOf(run!)
    .map(({ ref_id, warnings: of }) => [ref_id, ...of.map(({ message }) => message)])
  const missed = (ref: string, field: string, at: number, template: string, key: string, path: string) =>
    `Step "${ref}", field "${field}", line 1, column ${at}: "${template}" reads "${key}" from the rest step "a", whose result has status, headers and body, so it is null. The body has "${key}": write ${path}`
  expect(said).toEqual([
    ['web1'],
    ['a'],
    [
      'meant',
      missed('meant', 'config.values.id', 6, '{{ a.id }}', 'id', 'a.body.id'),
      missed(
        'meant',
        'config.values.number',
        8,
        "no {{ a['order-no'] | string }}",
        'order-no',
        "a.body['order-no']",
      ),
    ],
    ['asked', missed('asked', 'config.when', 3, 'a.id == 7', 'id', 'a.body.id')],
    ['right'],
    ['on_purpose'],
  ])
  const ofSteps = said.flatMap(([, ...messages]) => messages)
  expect(run?.warnings).toMatchObject(
    [...ofSteps, expect.stringContaining('Step "web1", field "config.response_body"')].map((message) => ({
      code: 'read_beside_body',
      message,
    })),
  )
})

it("a paginated rest step returns a list, and fields read from it aren't reported", async () => {
  const app = await startFlowApp()
  const { json } = await app.call('POST', '/v1/flows', {
    name: 'Paged',
    steps: [
      {
        ref_id: 'a',
        type: 'rest',
        config: { url: 'http://127.0.0.1:1/', pagination: { path: '$.items', next_page: 'x' } },
      },
      set('b', { first: '{{ a.first }}' }),
    ],
  })
  expect(JSON.stringify(json)).not.toContain('read_beside_body')
})
