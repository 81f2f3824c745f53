/** Makes a test from a run: its recorded calls, and its results when they are played back. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  type Exchange,
  type FlowRun,
  type FlowRunStep,
  MOST_BODY_CHARACTERS,
} from '../../../../shared/contract/flow-runs.ts'
import type {
  Expectation,
  FlowTest,
  FlowTestCall,
  HttpTestCall,
} from '../../../../shared/contract/flow-tests.ts'
import { type Data, equalData, writeJson } from '@millrace/jinja/data'
import { expectationsOf } from '../../../engine/flow/testing/compare-results.ts'
import { dataOf, isOfProgram } from '../../../engine/flow/testing/match-call.ts'
import type { Played } from '../../../engine/flow/testing/play-flow.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { readStart } from '../execution/resume-log.ts'
import { hasEnded, type RunHistory } from '../runs/run-history.ts'

export interface Draft {
  readonly run: FlowRun
  readonly test: Omit<FlowTest, 'expect'>
  /** Steps whose calls weren't kept completely, and why. */
  readonly cut: ReadonlyMap<string, Said>
}

interface RecordOptions {
  readonly flowRuns: Pick<RunHistory, 'read' | 'stateOf' | 'stepsOf'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
}

/** @throws AppError `conflict` if the run can't become a test */
export async function draftOf(
  { flowRuns, secrets }: RecordOptions,
  runId: string,
  name: string,
): Promise<Draft> {
  const run = flowRuns.read(runId)
  const refuse = (why: Said) => unfit(run, why)
  if (!hasEnded(run) || run.status === 'cancelled') throw refuse(say('it has not run to its end'))
  const start = readStart(flowRuns.stateOf(runId))
  if (start === null) throw refuse(say('its input was not kept'))
  if (start.rawBytes !== undefined) throw refuse(say('its request is binary'))
  if (start.steps !== undefined) throw refuse(say('it ran unsaved steps; save them and run the flow again'))
  if (start.pins !== undefined || start.carriedOver !== undefined)
    throw refuse(say('it used results of other runs, or pinned ones'))
  if (start.handlesError === true) throw refuse(say('an error flow reads data that only a failed run has'))
  const redactor = secrets.redactor()
  const calls: FlowTestCall[] = []
  const cut = new Map<string, Said>()
  for (let after: string | null | undefined; after !== null;) {
    const page = await flowRuns.stepsOf(runId, { per_page: 200, ...(after && { after }) })
    for (const kept of page.records) {
      const step = redactor.redactData(kept as unknown as Data) as unknown as FlowRunStep
      if (step.earlier_attempts !== undefined) throw refuse(say('it was resumed'))
      const why = cutIn(step)
      if (why !== null) cut.set(step.ref_id, why)
      calls.push(...callsOf(step))
    }
    after = page.next
  }
  return {
    run,
    cut,
    test: {
      millrace_test: 1,
      flow: run.flow_id,
      name,
      clock: run.started_at ?? run.created_at,
      seed: '',
      run_id: run.id,
      input: redactor.redactData(start.input) as FlowTest['input'],
      ...(run.trigger_ref === undefined ? {} : { trigger: run.trigger_ref }),
      ...(start.webhook === null ? {} : { webhook: redactor.redactData(start.webhook) as FlowTest['input'] }),
      variables: {},
      auths: [],
      calls,
      ignore: [],
    },
  }
}

/** @throws AppError `conflict` if the run took a different path than the flow takes now, with the same responses */
export function withExpectations({ run, test, cut }: Draft, { end, failures, used }: Played): FlowTest {
  const isMade = (step: string | null) =>
    test.calls.every((call) => call.type === 'step' || call.step !== step || used.includes(call))
  // A stand-in was recorded for every step; only those that were used are kept.
  const [failure] = failures.filter(({ kind, step }) => kind !== 'unused_call' || !isMade(step))
  if (failure !== undefined) {
    const why = failure.step === null ? undefined : cut.get(failure.step)
    if (why !== undefined) throw unfit(run, why)
    const places = failure.differences
      .map(({ path }) => path)
      .slice(0, 5)
      .join(', ')
    throw unfit(
      run,
      places === ''
        ? say('{{text}}', { text: failure.message })
        : say('{{message}} ({{places}})', { message: failure.message, places }),
    )
  }
  if (end.status !== run.status || end.error?.ref_id !== run.error?.ref_id) {
    const why = cut.get(end.error?.ref_id ?? '')
    throw unfit(
      run,
      why ?? say('played again, it ends with "{{status}}"', { status: end.error?.message ?? end.status }),
    )
  }
  const stoodIn = new Set(used.flatMap((call) => (call.type === 'step' ? [call.step] : [])))
  const results = Object.entries(end.results).flatMap(([ref, value]): [string, Expectation][] => {
    const isKnown = stoodIn.has(ref) || equalData(value, test.input)
    return isKnown || writeJson(value).length > MOST_COMPARED ? [] : [[ref, { exact: null }]]
  })
  const response = { status: 200, headers: { 'content-type': '' } }
  return {
    ...test,
    calls: [...used],
    expect: expectationsOf(end, { results: Object.fromEntries(results), response }),
  }
}

/** @throws AppError `conflict` if a secret was recorded, because it would be kept in Git */
export function requireNoSecrets(test: FlowTest, redactor: Redactor): void {
  const text = writeJson(test as unknown as Data)
  if (redactor.redactText(text) === text) return
  throw new AppError(
    'conflict',
    say('The test would contain a secret; change the flow so that it does not appear in names or results'),
  )
}

export function unfit(run: FlowRun, why: Said): AppError {
  return new AppError('conflict', say('No test can be made from run {{id}}: {{why}}', { id: run.id, why }))
}

function callsOf(step: FlowRunStep): FlowTestCall[] {
  const { ref_id: ref, iteration, input, output, error, status } = step
  const place = { step: ref, ...(iteration.length > 0 && { iteration }) }
  const calls: FlowTestCall[] = []
  let first: Exchange | null = null
  for (const [at, exchange] of step.http.entries()) {
    if (!/^https?:/i.test(exchange.request.url)) continue
    first ??= exchange
    if (leadsTo(exchange, step.http[at + 1])) continue
    calls.push({ type: 'http', ...place, ...toCall(first, exchange) })
    first = null
  }
  if (status === 'skipped' || step.truncated) return calls
  const end = error === null ? { output } : { error: { code: error.code, message: error.message } }
  return [...calls, { type: 'step', ...place, input, ...end }]
}

function toCall(
  { request: sent }: Exchange,
  { request: last, response }: Exchange,
): Pick<HttpTestCall, 'request' | 'response'> {
  return {
    request: {
      method: sent.method,
      url: sent.url,
      headers: without(sent.headers, isOfProgram),
      ...bodyOf(sent.body),
    },
    ...(response !== null && {
      response: {
        status: response.status,
        ...(last.url !== sent.url && { url: last.url }),
        headers: without(response.headers, (name) => OF_CONNECTION.has(name.toLowerCase())),
        ...bodyOf(response.body),
      },
    }),
  }
}

/** Whether a call was redirected to the next one. */
function leadsTo({ response, attempt, page }: Exchange, next: Exchange | undefined): boolean {
  if (response === null || next === undefined || next.attempt !== attempt || next.page !== page) return false
  return [301, 302, 303, 307, 308].includes(response.status) && response.headers['location'] !== undefined
}

function bodyOf(text: string | null): { body?: HttpTestCall['request']['body'] } {
  if (text === null) return {}
  const value = dataOf(text)
  // A JSON string is kept as it was sent.
  return { body: (typeof value === 'string' ? text : value) as HttpTestCall['request']['body'] }
}

function without(
  headers: Readonly<Record<string, string>>,
  isLeftOut: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isLeftOut(name, value)))
}

/** Null if everything was kept. */
function cutIn({ ref_id: step, http, truncated }: FlowRunStep): Said | null {
  for (const { request, response, error } of http) {
    const call = { step, method: request.method, url: request.url }
    if (response !== null && error !== null)
      return say('the response to {{method}} {{url}} (step "{{step}}") could not be read', call)
    for (const body of [request.body, response?.body ?? null]) {
      if (body === null) continue
      if (body.length === MOST_BODY_CHARACTERS + 1 && body.endsWith('…'))
        return say(
          'only the beginning of {{method}} {{url}} (step "{{step}}") was kept; record a run to keep whole calls',
          call,
        )
      if (body.includes('\uFFFD')) return say('{{method}} {{url}} (step "{{step}}") is binary', call)
    }
  }
  return truncated ? say('only a part of step "{{step}}" was kept', { step }) : null
}

const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])
/** Longer results are left out, because the calls that they come from are compared anyway. */
const MOST_COMPARED = 100_000
