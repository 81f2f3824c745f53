import { expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { storedJson } from '../../../src/main/services/kit/json-codec.ts'
import { HistoryRecorder } from '../../../src/main/services/running/execution/history-recorder.ts'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'
import { createTestRecorder, runSteps } from '../../helpers/flow-run.ts'
import { aFlow, aFlowRun } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'
import { createTestTime } from '../../helpers/test-time.ts'

const set = (ref_id: string, a: string): StepInput => ({ ref_id, type: 'set', config: { values: { a } } })

it.each([
  ['1', 'success'],
  ['{{ 1 / 0 }}', 'error'],
])(
  'the end of a run is stored once, with its last step, although a commit was under way: %s',
  async (value, end) => {
    const store = await aStore({ json: storedJson })
    const { clock } = createTestTime()
    const flow = aFlow()
    await store.write(() => store.flows.insert(flow))
    const run = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id, status: 'running' })
    const ends: string[] = []
    const committed: unknown[] = []
    const history = new HistoryRecorder({
      store,
      clock,
      redactor: createRedactor({ secrets: [] }),
      run,
      start: { input: {}, webhook: null },
      request: null,
      isStored: false,
      resumable: true,
      keepsFailure: true,
      resumeData: null,
      logAllSteps: true,
      keepsHistory: true,
      afterAnswerIsStored: () => undefined,
      storeWithEnd: ({ status }) => ends.push(status),
      onCommitted: () => {
        const status = store.flowRuns.get(run.id)?.status
        const steps = store.runSteps.ofRun(run.id).records
        committed.push([status, ...steps.map((step) => `${step.ref_id}:${step.status}`)])
      },
    })
    const told = createTestRecorder()
    await runSteps([set('first', '1'), set('last', value)], {
      id: run.id,
      recorder: {
        ...told,
        record(event) {
          told.record(event)
          history.record(event)
          // The first step is written in a later iteration of the event loop, when the run has ended.
          if (event.type === 'step_finished' && event.report.step.ref === 'first') history.commitSoon()
        },
        commit: () => history.commit(),
        commitSoon: () => history.commitSoon(),
      },
    })
    expect({ ends, committed }).toEqual({
      ends: [end],
      committed: [
        ['running', 'first:success'],
        [end, 'first:success', `last:${end}`],
      ],
    })
  },
)
