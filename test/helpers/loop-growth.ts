/**
 * A separate program: runs a loop of many iterations, of which the first are kept as the recorder keeps displayed ones,
 * and prints how many bytes each later iteration left in the memory that only a major collection clears. Start it with
 * enough of that memory that no major collection happens.
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { DEFAULT_FLOW_SETTINGS } from '../../src/shared/contract/flows.ts'
import { compileFlow } from '../../src/main/engine/flow/definition/compile-flow.ts'
import type { FlowEvent } from '../../src/main/engine/flow/model/run-events.ts'
import { runFlow } from '../../src/main/engine/flow/run/run-flow.ts'
import type { StepReport } from '../../src/main/engine/flow/model/step-report.ts'
import { aStep, NO_PORTS } from './flow-run.ts'

const SHOWN = 10_000
const TURNS = 100_000

const flow = compileFlow({
  steps: [
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ rows }}', collect: '{{ index }}' },
      steps: [{ ref_id: 'made', type: 'set', config: { values: { n: '{{ item }}' } } }],
    },
  ].map((step) => aStep(step as Parameters<typeof aStep>[0])),
  settings: { ...DEFAULT_FLOW_SETTINGS, timeout_seconds: 600 },
})

const held: StepReport[] = []
let before = 0

function record(event: FlowEvent): void {
  if (event.type !== 'step_finished') return
  if (held.length < SHOWN) held.push(event.report)
  else if (before === 0) before = grown()
}

function grown(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0
}

const outcome = await runFlow(flow, {
  id: 'run-1',
  input: Object.setPrototypeOf({}, null),
  env: {},
  results: { rows: Array.from({ length: TURNS }, (_, n) => n) },
  ports: {
    ...NO_PORTS,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    sleep: () => Promise.resolve(),
  },
  recorder: { record, commit: () => Promise.resolve(), commitSoon: () => undefined },
})
if (outcome.kind !== 'ended' || outcome.end.status !== 'success') throw new Error(JSON.stringify(outcome))
process.stdout.write(`${Math.round((grown() - before) / (TURNS - SHOWN))}\n`)
