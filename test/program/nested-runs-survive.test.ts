import { expect, it, onTestFinished } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome } from '../helpers/program.ts'
import { callServed } from '../helpers/served-api.ts'
import { untilEnded } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const call = (ref_id: string, url: string, more: Record<string, unknown> = {}): StepInput => ({
  ref_id,
  type: 'rest',
  config: { method: 'POST', url, ...more },
})

it('a run continues inside a switch in a loop_while, in the iteration and the case in which it was killed', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const called: string[] = []
  const dies = Promise.withResolvers<void>()
  const shop = await startThirdPartyApi((request, response) => {
    called.push(request.target)
    // The second call of the second iteration is the one that never returns.
    if (request.target === '/b1' && called.filter((target) => target === '/b1').length === 1)
      return dies.resolve()
    response.end(JSON.stringify({ said: request.target }))
  })

  const first = await home.serve()
  const child = await callServed<Flow>(first, 'POST', '/v1/flows', {
    name: 'Child',
    steps: [call('sub', `${shop.url}/child`), { ref_id: 'n', type: 'set', config: { values: { n: 7 } } }],
  })
  const flow = await callServed<Flow>(first, 'POST', '/v1/flows', {
    name: 'Nested',
    steps: [
      { ref_id: 'start', type: 'key_value', config: { operation: 'increment', key: 'runs' } },
      {
        ref_id: 'repeat',
        type: 'loop_while',
        config: { when: 'index < 2', collect: '{{ way.label }}{{ index }}' },
        steps: [
          {
            ref_id: 'way',
            type: 'switch',
            config: { value: '{{ "even" if index is even else "odd" }}' },
            cases: [
              { label: 'even', steps: [call('even', `${shop.url}/even{{ index }}`)] },
              {
                label: 'odd',
                steps: [call('a', `${shop.url}/a{{ index }}`), call('b', `${shop.url}/b{{ index }}`)],
              },
            ],
            default: [],
          },
        ],
      },
      { ref_id: 'sub', type: 'run_flow', config: { flow_id: child.id } },
      { ref_id: 'end', type: 'set', config: { values: { turns: '{{ repeat }}', n: '{{ sub.n }}' } } },
    ],
  })
  const { flow_run_id: id } = await callServed<{ flow_run_id: string }>(
    first,
    'POST',
    `/v1/flows/${flow.id}/run`,
  )
  await dies.promise
  first.process.kill('SIGKILL')
  await first.ended

  const second = await home.serve()
  const run = await untilEnded(second, id)
  const steps = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${id}/steps`)
  expect({ status: run.status, attempt: run.attempt, error: run.error }).toEqual({
    status: 'success',
    attempt: 2,
    error: null,
  })
  expect(called).toEqual(['/even0', '/a1', '/b1', '/b1', '/even2', '/child'])
  expect(steps.find(({ ref_id }) => ref_id === 'end')?.output).toEqual({
    turns: ['even0', 'odd1', 'even2'],
    n: 7,
  })
  expect(
    steps
      .filter(({ ref_id }) => ref_id === 'b')
      .map(({ path, iteration, status }) => [path, iteration, status]),
  ).toEqual([['2.steps.1.cases.2.steps.2', [1], 'success']])
  const counted = await callServed<FlowRun>(second, 'POST', `/v1/flows/${flow.id}/run?wait=true`)
  const again = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${counted.id}/steps`)
  expect(again.find(({ ref_id }) => ref_id === 'start')?.output).toBe(2)
})
