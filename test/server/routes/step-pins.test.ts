import { expect, test } from 'vitest'
import type { FlowRun, FlowRunStep } from '../../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import type { FlowApp, Hook } from '../../helpers/flow-app.ts'

const STEPS = [
  { ref_id: 'web1', type: 'webhook', config: { response_body: '{{ greeting.text }}' } },
  { ref_id: 'person', type: 'set', config: { values: { name: '{{ web1.name }}' } } },
  { ref_id: 'greeting', type: 'set', config: { values: { text: 'Hello {{ person.name }}' } } },
]

async function aPinnedFlow(app: FlowApp): Promise<Hook> {
  const hook = await app.addFlow(STEPS)
  const { status } = await app.call('PUT', `/v1/flows/${hook.flow.id}/pins/person`, {
    value: { name: 'Pinned Ada' },
  })
  expect(status).toBe(200)
  return hook
}

function shown(app: FlowApp, run: FlowRun) {
  return app
    .stepsOf(run)
    .map(({ ref_id, output, warnings }: FlowRunStep) => [ref_id, output, ...warnings.map(({ code }) => code)])
}

test('a test run uses the pinned value instead of running the step, and its record says so', async () => {
  const app = await startFlowApp()
  const { flow } = await aPinnedFlow(app)
  const body = { input: { name: 'Bob' }, working_copy: true }
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, body)
  expect({ status: (json as FlowRun).status, shown: shown(app, json as FlowRun) }).toEqual({
    status: 'success',
    shown: [
      ['web1', { name: 'Bob' }],
      ['person', { name: 'Pinned Ada' }, 'pinned'],
      ['greeting', { text: 'Hello Pinned Ada' }],
    ],
  })
})

test('a queued test run uses them as well, with steps of the working copy', async () => {
  const app = await startFlowApp()
  const { flow } = await aPinnedFlow(app)
  const steps = [
    ...STEPS.slice(0, 2),
    { ref_id: 'greeting', type: 'set', config: { values: { text: '{{ person.name }}' } } },
  ]
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps })
  await app.call('POST', `/v1/flows/${flow.id}/run`, { working_copy: true })
  const run = await app.until(({ status }) => status === 'success')
  expect(shown(app, run).at(-1)).toEqual(['greeting', { text: 'Pinned Ada' }])
})

test('no other run uses them: by webhook, by hand, or a replay of the test run', async () => {
  const app = await startFlowApp()
  const hook = await aPinnedFlow(app)
  const answer = await app.trigger(hook, { body: { name: 'Bob' } })
  const path = `/v1/flows/${hook.flow.id}/run?wait=true`
  const byHand = (await app.call('POST', path, { input: { name: 'Cleo' } })).json as FlowRun
  const tested = (await app.call('POST', path, { input: { name: 'Dan' }, working_copy: true }))
    .json as FlowRun
  await app.call('POST', `/v1/flow-runs/${tested.id}/replay`)
  const replayed = await app.until(({ trigger, status }) => trigger === 'replay' && status === 'success')
  expect({
    triggered: answer.text,
    byHand: shown(app, byHand)[1],
    replayed: shown(app, replayed)[1],
    isPinnedElsewhere: app
      .runs()
      .filter(({ id }) => id !== tested.id)
      .some((run) => JSON.stringify(app.stepsOf(run)).includes('Pinned')),
  }).toEqual({
    triggered: 'Hello Bob',
    byHand: ['person', { name: 'Cleo' }],
    replayed: ['person', { name: 'Dan' }],
    isPinnedElsewhere: false,
  })
})

test('a step run on its own reads the pins of earlier steps, and runs itself', async () => {
  const app = await startFlowApp()
  const { flow } = await aPinnedFlow(app)
  const alone = async (refId: string, body?: object) =>
    ((await app.call('POST', `/v1/flows/${flow.id}/steps/${refId}/run`, body)).json as FlowRunStep).output
  expect([
    await alone('greeting'),
    await alone('greeting', { results: { person: { name: 'Eve' } } }),
    await alone('person', { results: { web1: { name: 'Fay' } } }),
  ]).toEqual([{ text: 'Hello Pinned Ada' }, { text: 'Hello Eve' }, { name: 'Fay' }])
})

test('the pin of a step with children replaces all of it', async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: [1, 2] },
      steps: [{ ref_id: 'turn', type: 'set', config: { values: { n: '{{ item }}' } } }],
    },
  ])
  await app.call('PUT', `/v1/flows/${flow.id}/pins/each`, { value: ['x'] })
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { working_copy: true })
  expect(shown(app, json as FlowRun)).toEqual([['each', ['x'], 'pinned']])
})

test('pins are listed, replaced and removed; a wrong name and an unknown flow are rejected', async () => {
  const app = await startFlowApp()
  const { flow } = await aPinnedFlow(app)
  const pins = `/v1/flows/${flow.id}/pins`
  await app.call('PUT', `${pins}/person`, { value: 9007199254740993n.toString() })
  const listed = (await app.call('GET', pins)).json
  const status = async (method: string, path: string, body?: object) =>
    (await app.call(method, path, body)).status
  expect({
    listed,
    unpinned: await status('DELETE', `${pins}/person`),
    unpinnedAgain: await status('DELETE', `${pins}/person`),
    badRef: await status('PUT', `${pins}/1x`, { value: 1 }),
    noValue: await status('PUT', `${pins}/person`, {}),
    noFlow: await status('PUT', '/v1/flows/none/pins/person', { value: 1 }),
    listOfNoFlow: await status('GET', '/v1/flows/none/pins'),
    left: (await app.call('GET', pins)).json,
    noWorkingCopy: await status('POST', `/v1/flows/${flow.id}/run`, { working_copy: true }),
  }).toEqual({
    listed: [
      {
        ref_id: 'person',
        value: '9007199254740993',
        pinned_at: expect.stringMatching(/Z$/),
        pinned_by: { id: expect.any(String), name: 'Local user' },
        flow_run_id: null,
      },
    ],
    unpinned: 204,
    unpinnedAgain: 404,
    badRef: 400,
    noValue: 400,
    noFlow: 404,
    listOfNoFlow: 404,
    left: [],
    noWorkingCopy: 409,
  })
})

test('a pin names the run that its value came from, which must belong to the flow', async () => {
  const app = await startFlowApp()
  const { flow } = await aPinnedFlow(app)
  const other = await app.addFlow(STEPS)
  const path = (id: string) => `/v1/flows/${id}/pins/person`
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input: { name: 'Bob' } }))
    .json as FlowRun
  const pin = async (id: string) =>
    (await app.call('PUT', path(id), { value: 1, flow_run_id: run.id })).json as object
  expect({ own: await pin(flow.id), other: await pin(other.flow.id) }).toMatchObject({
    own: { value: 1, flow_run_id: run.id },
    other: { status: 400, data: { flow_run_id: ["isn't a run of this flow"] } },
  })
})
