/** Runs a flow in a test: its calls get recorded responses, its time stands still, and it sends nothing. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { say, spoken } from '../../../../shared/contract/base/message.ts'
import type { FlowTest, FlowTestCall, TestFailure } from '../../../../shared/contract/flow-tests.ts'
import type { Data } from '@millrace/jinja/data'
import { withSources } from '@millrace/jinja/environment'
import type { OpenAuth } from '../../connector/open-auth.ts'
import type { Clock, OutgoingRequest, SendOptions, SendRequest } from '../../ports.ts'
import { toExchangeRecord } from '../../request/exchange-record.ts'
import { createRateBudget, type RateBudget } from '../../request/rate-budget.ts'
import { redactExchange } from '../../redaction/redacted-exchange.ts'
import { createRedactor, type Redactor } from '../../redaction/redactor.ts'
import { type CompiledFlow, waitsForEnd } from '../definition/compile-flow.ts'
import type { FlowPorts, StoredFile } from '../model/ports.ts'
import { RunHalt } from '../model/run-halt.ts'
import { runFlow } from '../run/run-flow.ts'
import type { StepInProgress } from '../run/run-state.ts'
import { CallPlayer, NothingLeaves } from './call-player.ts'
import type { PlayedEnd } from './compare-results.ts'
import { type Chance, chanceOf, PinnedClock } from './pinned.ts'

/** The ports that a test takes from Millrace. None of them reaches other systems. */
export interface TestPorts extends Pick<
  FlowPorts,
  'findAction' | 'findConnector' | 'documents' | 'runScript' | 'yieldToEventLoop'
> {
  readonly clock: Clock
  readonly findPlugin: FlowPorts['plugins']['find']
}

export interface Play {
  readonly test: Omit<FlowTest, 'expect'>
  readonly ports: TestPorts
  /** Null if the test doesn't contain the auth. */
  readonly openAuth: (id: string) => OpenAuth | null
  readonly env: Readonly<Record<string, Data>>
  /** The stand-ins for secrets. */
  readonly secrets: readonly string[]
  /** Hides the secrets known to this Millrace. */
  readonly redactor: Redactor
  /** The limit in real time. */
  readonly limitMs: number
}

export interface Played {
  readonly end: PlayedEnd
  readonly failures: readonly TestFailure[]
  readonly used: readonly FlowTestCall[]
  /** Paths of the steps that ran. */
  readonly ran: ReadonlySet<string>
}

export async function playFlow(flow: CompiledFlow, play: Play): Promise<Played> {
  const { test, limitMs } = play
  const stop = new AbortController()
  const own = createRedactor({ secrets: play.secrets })
  const hidden = {
    shown: (request: OutgoingRequest) =>
      redactExchange({ ...redactExchange(recordOf(request), own), whole: true }, play.redactor).request,
    shownData: (data: Data) => play.redactor.redactData(own.redactData(data)),
  }
  const player = new CallPlayer({
    ...test,
    ...hidden,
    onMissing: (sentence) => stop.abort(new RunHalt('cancelled', sentence)),
  })
  const ran = new Set<string>()
  const world = createWorld(play, player)
  const late = say('The test ran longer than {{seconds}} s', { seconds: limitMs / 1000 })
  const timer = setTimeout(() => {
    player.failures.push({ kind: 'setup', step: null, ...spoken(late), differences: [] })
    stop.abort(new RunHalt('cancelled', late))
  }, limitMs)
  try {
    const outcome = await withSources(world.sources, () =>
      runFlow(flow, {
        id: test.run_id,
        input: test.input,
        ...(test.webhook === undefined ? {} : { webhook: test.webhook }),
        env: play.env,
        ports: world.ports,
        recorder: {
          record(event) {
            if (event.type === 'step_started') ran.add(event.report.step.path)
          },
          commit: () => Promise.resolve(),
          commitSoon: () => undefined,
        },
        trigger: test.trigger,
        awaited: waitsForEnd(flow, test.trigger),
        signal: stop.signal,
        finallySignal: stop.signal,
        instead: (step) => world.doStep(step),
      }),
    )
    if (outcome.kind !== 'ended') throw new Error('A test run can only end')
    const { status, error, results } = outcome.end
    const end: PlayedEnd = {
      status: status === 'success' ? 'success' : 'error',
      error,
      results: Object.fromEntries(
        Object.entries(results).map(([ref, value]) => [ref, hidden.shownData(value)]),
      ),
      answer: outcome.answer && {
        ...outcome.answer,
        body: outcome.answer.body === null ? null : shownText(outcome.answer.body),
      },
    }
    const isWhole = player.failures.length === 0
    return {
      end,
      failures: [...player.failures, ...(isWhole ? unusedOf(player) : [])],
      used: player.used(),
      ran,
    }
  } finally {
    clearTimeout(timer)
  }

  function shownText(text: string): string {
    return play.redactor.redactText(own.redactText(text))
  }
}

function unusedOf(player: CallPlayer): TestFailure[] {
  return player.unused().map((call): TestFailure => {
    const { step } = call
    const said =
      call.type === 'http'
        ? say('Step "{{step}}" no longer calls {{method}} {{url}}', {
            step,
            method: call.request.method,
            url: call.request.url,
          })
        : say('Step "{{step}}" no longer does what was recorded', { step })
    return { kind: 'unused_call', step, ...spoken(said), differences: [] }
  })
}

interface Turn {
  readonly step: StepInProgress
  readonly chance: Chance
}

/** Lists every port, so that a new one doesn't compile until its behavior in tests is decided here. */
function createWorld({ test, ports, openAuth }: Play, player: CallPlayer) {
  const clock = new PinnedClock(Date.parse(test.clock), ports.clock)
  const ofRun = chanceOf(`${test.seed}/${test.run_id}`)
  const turns = new AsyncLocalStorage<Turn>()
  const chance = () => turns.getStore()?.chance ?? ofRun
  const budgets = new Map<string, RateBudget>()
  const files = new Map<string, StoredFile>()

  const sender =
    (isSigned: boolean): SendRequest =>
    async (request: OutgoingRequest, options: SendOptions = {}) => {
      options.signal?.throwIfAborted()
      const turn = turns.getStore()
      if (turn === undefined) throw refuse()
      await ports.yieldToEventLoop()
      const startedAt = clock.now()
      const exchange = { request, attempt: options.attempt ?? 1, startedAt, durationMs: 0 }
      const response = player.send(turn.step, request, isSigned)
      options.onExchange?.({ ...exchange, response, error: null })
      return response
    }

  const world: FlowPorts = {
    clock,
    random: () => chance().random(),
    sleep: clock.sleepWith(ports.yieldToEventLoop),
    yieldToEventLoop: ports.yieldToEventLoop,
    sendRequest: sender(false),
    senderFor: (auth) => sender(auth !== null && SIGNED.has(auth.auth_type)),
    findAction: ports.findAction,
    findConnector: ports.findConnector,
    openAuth,
    callSftp: refused,
    budgetFor(key, limit) {
      const budget = budgets.get(key) ?? createRateBudget(clock)
      if (limit !== undefined) budget.limitTo(limit)
      budgets.set(key, budget)
      return budget
    },
    readFile: (id) => files.get(id) ?? refuseNow(),
    async keepFile(file) {
      const id = chance().uuid()
      files.set(id, file)
      return Promise.resolve(id)
    },
    folders: { read: refused, write: refused, list: refused },
    sql: { kindOf: refuseNow, run: refused },
    sinks: { open: refused, readCursor: refused },
    documents: ports.documents,
    programs: { run: refused },
    keyValues: { get: refuseNow, list: refuseNow, change: refused },
    dataTables: { read: refuseNow, count: refuseNow, change: refused },
    sendMail: refused,
    mailboxes: { readNewest: refused },
    runScript: (script, input, signal) => {
      const { seed } = chance()
      return ports.runScript({ ...script, pinned: { now: clock.now(), seed } }, input, signal)
    },
    plugins: { find: ports.findPlugin, run: refused },
    subFlows: {
      newRunId: () => chance().uuid(),
      isStored: () => false,
      start: refused,
      endOf: refuseNow,
      wait: refused,
    },
    questions: { urlOf: (_, key) => urlOf(key), ask: refused, settle: refused, wait: refused },
    callbacks: { urlOf: (_, key) => urlOf(key), settle: refused, wait: refused },
  }

  return {
    ports: world,
    sources: {
      now: () => new Date(clock.now()),
      uuid: () => chance().uuid(),
      random: () => chance().random(),
    },
    doStep(step: StepInProgress): Data | Promise<Data> {
      const turn = { step, chance: chanceOf(`${test.seed}/${step.key}/${step.report.attempt}`) }
      const recover = (error: unknown): Data => {
        if (!NothingLeaves.isCauseOf(error)) throw error
        return player.standIn(step)
      }
      return turns.run(turn, () => {
        try {
          const output = step.step.run(step)
          return output instanceof Promise ? output.catch(recover) : output
        } catch (error) {
          return recover(error)
        }
      })
    },
  }
}

const refuse = () => new NothingLeaves('Nothing leaves a test')
const refused = () => Promise.reject(refuse())
const refuseNow = (): never => {
  throw refuse()
}

const urlOf = (key: string) => `https://test.invalid/callbacks/${encodeURIComponent(key)}`

/** Auth types whose headers are created when the request is sent. */
const SIGNED: ReadonlySet<string> = new Set(['digest', 'oauth1', 'aws_sigv4', 'hmac'])

function recordOf(request: OutgoingRequest) {
  const nothing = { attempt: 1, startedAt: 0, durationMs: 0, response: null, error: null }
  return toExchangeRecord({ ...nothing, request }, null, true)
}
