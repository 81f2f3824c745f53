/** Reads and prints runs for commands. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/contract/base/errors.ts'
import {
  type FlowRun,
  type FlowRunStep,
  listRunStepsRoute,
  readFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import { readRunAnswerRoute, type WebhookAnswer } from '../../../shared/contract/webhooks.ts'
import { writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import { MOST_A_PAGE } from './find-record.ts'
import type { HostClient } from './host-client.ts'
import type { Output } from './output.ts'

export interface WholeRun {
  readonly run: FlowRun
  /** The response that the webhook's caller got or would get; null if the flow sends none. */
  readonly response: WebhookAnswer | null
  /** The last of the flow's own steps with an output; null if there is none. */
  readonly last: FlowRunStep | null
  /** Null unless requested. */
  readonly steps: readonly FlowRunStep[] | null
}

export async function readWholeRun(host: HostClient, run: FlowRun, withSteps: boolean): Promise<WholeRun> {
  const [response, steps] = await Promise.all([responseOf(host, run.id), stepsOf(host, run.id)])
  const last = steps.findLast(({ path, status }) => !path.includes('.') && status === 'success')
  return { run, response, last: last ?? null, steps: withSteps ? steps : null }
}

async function responseOf(host: HostClient, id: string): Promise<WebhookAnswer | null> {
  try {
    return await host.call(readRunAnswerRoute, { params: { id } })
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

async function stepsOf(host: HostClient, id: string): Promise<FlowRunStep[]> {
  const steps: FlowRunStep[] = []
  for (;;) {
    const after = steps.at(-1)?.id
    const query = { per_page: String(MOST_A_PAGE), ...(after === undefined ? {} : { after }) }
    const page = await host.call(listRunStepsRoute, { params: { id }, query })
    steps.push(...page)
    if (page.length < MOST_A_PAGE) return steps
  }
}

const LOOK_EVERY_MS = 100

/** Waits for the end of a run and returns it. */
export async function endOfRun(host: HostClient, id: string, output: Output): Promise<FlowRun> {
  const startedAt = performance.now()
  for (;;) {
    const run = await host.call(readFlowRunRoute, { params: { id } })
    if (run.finished_at !== null) return run
    output.progress({ text: `${run.status}, ${Math.round((performance.now() - startedAt) / 1_000)} s` })
    await sleep(LOOK_EVERY_MS)
  }
}

/** Prints the run; exits with 1 if it didn't succeed. */
export function printRun(output: Output, { run, response, last, steps }: WholeRun): ExitCode {
  const lines = [describeRun(run), ...(steps ?? []).map(describeStep)]
  if (response !== null) lines.push(describeResponse(response))
  // A webhook without a configured body responds `null`, which says nothing about the run.
  if ((response === null || response.body === 'null') && last !== null && run.status === 'success')
    lines.push(`Output of ${last.ref_id}: ${writeJson(last.output)}`)
  output.answer(
    { ...run, response, output: last?.output ?? null, ...(steps === null ? {} : { steps }) },
    lines.join('\n'),
  )
  return run.status === 'success' ? EXIT.ok : EXIT.failed
}

export function describeResponse({ status, headers, body }: Omit<WebhookAnswer, 'truncated'>): string {
  const type = headers['content-type']
  return [`Response ${status}${type === undefined ? '' : ` (${type})`}`, ...(body ? [body] : [])].join('\n')
}

function describeRun(run: FlowRun): string {
  const { id, duration_ms: durationMs, error, warnings } = run
  const took = durationMs === null ? '' : ` in ${Math.round(durationMs)} ms`
  return [
    `Run ${id}: ${statusOf(run)}${took}`,
    ...(error ? [error.message] : []),
    ...warnings.map((warning) => `${warning.in_doubt ? 'In doubt' : 'Warning'}: ${warning.message}`),
  ].join('\n')
}

/** The status in words, with different words for a success whose list may be incomplete. */
export function statusOf({ status, warnings }: Pick<FlowRun | FlowRunStep, 'status' | 'warnings'>): string {
  const isInDoubt = status === 'success' && warnings.some((warning) => warning.in_doubt === true)
  return isInDoubt ? `${status} (in doubt)` : status
}

function describeStep(step: FlowRunStep): string {
  const { ref_id: ref, iteration, output, error } = step
  const turn = iteration.length === 0 ? '' : `[${iteration.join(', ')}]`
  return `${ref}${turn}: ${statusOf(step)} ${error?.message ?? writeJson(output)}`
}
