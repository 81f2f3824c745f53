import { expect, test } from 'vitest'
import type { StepInput } from '../../../../src/shared/contract/steps.ts'
import type { SubFlowPort } from '../../../../src/main/engine/flow/model/ports.ts'
import type { SendRequest } from '../../../../src/main/engine/ports.ts'
import { createTestRecorder, NO_PORTS, runSteps } from '../../../helpers/flow-run.ts'
import { createTestTime, type TestTime } from '../../../helpers/test-time.ts'

const delays = (...seconds: number[]): StepInput[] =>
  seconds.map((wait, at) => ({ ref_id: `wait${at}`, type: 'delay', config: { seconds: wait } }))

/** The test clock doesn't cut waits short, because the limit is checked when the next step begins. */
const LAST: StepInput = { ref_id: 'last', type: 'set', config: { values: {} } }

const settings = { timeout_seconds: 60 }

/** An API that asks for a wait of two minutes, each time it is first called. */
function busyApi(): SendRequest {
  let calls = 0
  return async ({ url }) => {
    const isBusy = ++calls === 1
    return {
      status: isBusy ? 429 : 200,
      headers: [
        ['content-type', 'application/json'],
        ['retry-after', '120'],
      ],
      body: Buffer.from('{}'),
      url,
      wireBytes: 2,
      durationMs: 1,
    }
  }
}

/** A run of another flow that takes this long. */
function subFlowOf(seconds: number, time: TestTime): SubFlowPort {
  let endsAt = Infinity
  return {
    ...NO_PORTS.subFlows,
    isStored: () => endsAt < Infinity,
    async start() {
      endsAt = Math.min(endsAt, time.clock.now() + seconds * 1_000)
    },
    endOf: () => (time.clock.now() < endsAt ? null : { kind: 'output', output: 'done', doubts: [] }),
    async wait() {
      time.advance(seconds * 1_000)
    },
  }
}

/** A caller waits for its response, so it keeps its worker the whole time. */
async function inOneGo(steps: readonly StepInput[], childSeconds: number): Promise<string> {
  const time = createTestTime()
  const ports = {
    clock: time.clock,
    sleep: time.sleep,
    subFlows: subFlowOf(childSeconds, time),
    sendRequest: busyApi(),
  }
  const { status, error } = await runSteps([...steps, LAST], { settings, ports })
  return error?.code ?? status
}

/** The run is parked, and resumed five minutes later than requested. */
async function inPieces(steps: readonly StepInput[], childSeconds: number): Promise<string> {
  const time = createTestTime()
  const recorder = createTestRecorder()
  const ports = {
    clock: time.clock,
    sleep: time.sleep,
    subFlows: subFlowOf(childSeconds, time),
    sendRequest: busyApi(),
  }
  for (;;) {
    const spent = recorder.events.findLast((event) => event.type === 'time_spent')
    const { status, error, outcome } = await runSteps([...steps, LAST], {
      settings,
      ports,
      recorder,
      resumable: true,
      resumeFrom: recorder.resumeState(),
      spentMs: spent?.ms ?? 0,
    })
    if (outcome.kind === 'ended') return error?.code ?? status
    time.advance((outcome.resumeAt ?? 0) - time.clock.now() + 300_000)
  }
}

test.each<[what: string, steps: readonly StepInput[], childSeconds: number, ends: string]>([
  [
    'a wait that an API asks for counts nothing if it is long',
    [...delays(30), { ref_id: 'call', type: 'rest', config: { url: 'http://api.test/' } }, ...delays(20)],
    0,
    'success',
  ],
  ['short waits count', delays(40, 40), 0, 'timeout'],
  ['short waits within the limit are well', delays(20, 20, 15), 0, 'success'],
  ['a wait of a minute counts', delays(60, 1), 0, 'timeout'],
  ['longer waits count nothing', delays(61, 90, 3_600), 0, 'success'],
  ['what is counted goes on behind a long wait', delays(35, 3_600, 35), 0, 'timeout'],
  ['what is not counted stays so', delays(35, 3_600, 20), 0, 'success'],
  [
    'another flow has a limit of its own',
    [
      ...delays(30),
      { ref_id: 'other', type: 'run_flow', config: { flow_id: 'x', wait: true } },
      ...delays(20),
    ],
    600,
    'success',
  ],
])('%s, whether the run keeps its worker or is parked', async (_what, steps, childSeconds, ends) => {
  expect({
    inOneGo: await inOneGo(steps, childSeconds),
    inPieces: await inPieces(steps, childSeconds),
  }).toEqual({ inOneGo: ends, inPieces: ends })
})
