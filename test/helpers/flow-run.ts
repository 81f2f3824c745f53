import type { FlowSettings } from '../../src/shared/contract/flows.ts'
import { DEFAULT_FLOW_SETTINGS } from '../../src/shared/contract/flows.ts'
import { type Step, step as stepSchema, type StepInput } from '../../src/shared/contract/steps.ts'
import { writeJson } from '../../packages/jinja/src/data/json.ts'
import type { Data } from '../../packages/jinja/src/data/value.ts'
import { compileFlow } from '../../src/main/engine/flow/definition/compile-flow.ts'
import {
  type FlowEvent,
  type RunRecorder,
  type ResumedStep,
  type ResumeState,
  stepKey,
} from '../../src/main/engine/flow/model/run-events.ts'
import type { FlowPorts } from '../../src/main/engine/flow/model/ports.ts'
import { runFlow, type RunOptions } from '../../src/main/engine/flow/run/run-flow.ts'
import type { StepReport } from '../../src/main/engine/flow/model/step-report.ts'
import { createTestTime } from './test-time.ts'

export function aStep(step: StepInput): Step {
  return stepSchema.parse(step)
}

/** A recorder that keeps everything, and its state at each commit. */
export interface TestRecorder extends RunRecorder {
  readonly events: FlowEvent[]
  /** For each commit, the `ref_id:status` of the steps it wrote. */
  readonly commits: string[][]
  /** How often a commit was requested that nothing waits for. */
  readonly soon: number
  /** The state that a run would now be resumed from. */
  resumeState(): ResumeState
}

export function createTestRecorder(): TestRecorder {
  const events: FlowEvent[] = []
  const commits: string[][] = []
  let committed = 0
  let soon = 0
  return {
    events,
    commits,
    record: (event) => void events.push(event),
    async commit() {
      const names = events
        .slice(committed)
        .map((event) => ('report' in event ? nameOf(event.report) : event.type))
      commits.push([...new Set(names)])
      committed = events.length
    },
    get soon() {
      return soon
    },
    commitSoon: () => void soon++,
    resumeState() {
      const steps = new Map<string, ResumedStep>()
      for (const event of events.slice(0, committed)) {
        if (!('report' in event)) continue
        const { step, iteration, attempt, output, error, status } = event.report
        const key = stepKey(step.path, iteration)
        const savedProgress = [...(steps.get(key)?.savedProgress ?? [])]
        const warnings = [...(steps.get(key)?.warnings ?? [])]
        if (event.type === 'step_progress') savedProgress.push(event.part)
        if (event.type === 'step_warned') warnings.push(event.warning)
        const end =
          event.type !== 'step_finished' || status === 'skipped' ? undefined : error ? { error } : { output }
        steps.set(key, { attempt, savedProgress, warnings, end })
      }
      return steps
    },
  }
}

const nameOf = ({ step, status }: StepReport) => `${step.ref}:${status}`

const NOT_HERE = () => Promise.reject(new Error('nothing of this is there in this test'))

export const NO_PORTS: Omit<FlowPorts, 'clock' | 'sleep'> = {
  random: () => 0.5,
  yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
  sendRequest: () => Promise.reject(new Error('nothing is sent in this test')),
  senderFor() {
    return this.sendRequest
  },
  findAction: () => null,
  findConnector: () => null,
  callSftp: () => Promise.reject(new Error('nothing is sent in this test')),
  openAuth: () => null,
  budgetFor: () => ({ limitTo() {}, enter: () => ({ kind: 'go', ticket: { settle() {} } }) }),
  readFile: () => null,
  keepFile: NOT_HERE,
  folders: { read: NOT_HERE, write: NOT_HERE, list: NOT_HERE },
  sql: { kindOf: () => 'sqlite', run: NOT_HERE },
  programs: { run: NOT_HERE },
  documents: { extract: NOT_HERE, convert: NOT_HERE, readFeed: NOT_HERE },
  questions: { urlOf: () => '', ask: NOT_HERE, settle: NOT_HERE, wait: NOT_HERE },
  callbacks: { urlOf: () => '', settle: NOT_HERE, wait: NOT_HERE },
  sinks: { open: NOT_HERE, readCursor: NOT_HERE },
  dataTables: { read: () => ({ records: [], last: null }), count: () => 0, change: NOT_HERE },
  mailboxes: { readNewest: NOT_HERE },
  keyValues: { get: () => undefined, list: () => [], change: NOT_HERE },
  sendMail: NOT_HERE,
  runScript: NOT_HERE,
  plugins: { find: () => null, run: NOT_HERE },
  subFlows: {
    newRunId: () => 'child-1',
    isStored: () => false,
    start: NOT_HERE,
    endOf: () => null,
    wait: NOT_HERE,
  },
}

export interface TestRunOptions extends Partial<Omit<RunOptions, 'ports' | 'recorder'>> {
  readonly ports?: Partial<FlowPorts>
  readonly recorder?: TestRecorder
  readonly settings?: Partial<FlowSettings>
}

/** Runs steps as a flow and returns the results, in JSON. */
export async function runSteps(steps: readonly StepInput[], options: TestRunOptions = {}) {
  const { ports, recorder = createTestRecorder(), settings, ...rest } = options
  const time = createTestTime()
  const flow = compileFlow({ steps: steps.map(aStep), settings: { ...DEFAULT_FLOW_SETTINGS, ...settings } })
  const outcome = await runFlow(flow, {
    id: 'run-1',
    input: Object.setPrototypeOf({}, null),
    env: {},
    ports: { ...NO_PORTS, ...time, ...ports },
    recorder,
    ...rest,
  })
  const reports = recorder.events.flatMap((event) => (event.type === 'step_finished' ? [event.report] : []))
  return {
    outcome,
    recorder,
    slept: time.slept,
    /** Results by `ref_id`. */
    results: outcome.kind === 'ended' ? plain(outcome.end.results) : null,
    status: outcome.kind === 'ended' ? outcome.end.status : outcome.reason,
    error: outcome.kind === 'ended' ? outcome.end.error : null,
    reports,
    /** `ref_id[iterations]:status` in the order in which steps ended. */
    ran: reports.map(
      ({ step, iteration, status }) =>
        `${step.ref}${iteration.length > 0 ? `[${iteration.join()}]` : ''}:${status}`,
    ),
  }
}

export function plain(value: Data): unknown {
  return JSON.parse(writeJson(value))
}

/** An object in the engine's representation. */
export function data(value: object): Data {
  return JSON.parse(JSON.stringify(value)) as Data
}
