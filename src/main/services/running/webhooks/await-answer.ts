/** The response to a webhook's caller: the flow's own, or the reason why there is none. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Readable } from 'node:stream'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { WebhookResponse } from '../../../engine/webhook/build-response.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { RunningDelivery } from './deliveries.ts'
import type { Log } from '../../kit/ports.ts'
import type { Execution } from '../execution/run-executor.ts'

export interface WebhookReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for a response without a body. */
  readonly body: string | null
  /** The response of a local program, passed on as it arrives; its headers alternate names and values. */
  readonly program?: { readonly headers: readonly string[]; readonly body: Readable }
}

export interface AnswerWaitOptions {
  readonly answerWithinMs: number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** @param isOwn whether the run was started for this request */
export type WaitForAnswer = (
  run: RunningDelivery,
  call: { readonly receivedAt: number; readonly isOwn: boolean },
) => Promise<WebhookResponse | WebhookReply>

/** Waits for the flow's response, up to the caller's time limit. */
export function createAnswerWait({ answerWithinMs, clock, log }: AnswerWaitOptions): WaitForAnswer {
  /** Lists the request with the response that the caller got, although its run continues. */
  async function noteLate({ recorder }: Execution, runId: string): Promise<void> {
    recorder.setAnswerStatus(408)
    await recorder
      .commit()
      .catch((error: unknown) => log.warn({ err: error, flowRunId: runId }, "A late run isn't recorded yet"))
  }

  return async ({ runId, execution }, { receivedAt, isOwn }) => {
    const left = answerWithinMs - (clock.monotonic() - receivedAt)
    const answer = await withinTime(execution.answered, left)
    if (answer === 'late') {
      if (isOwn) await noteLate(execution, runId)
      throw tooLate(runId, answerWithinMs / 1000)
    }
    if (answer === null) throw await failed(execution, runId)
    return answer
  }
}

function tooLate(runId: string, seconds: number): AppError {
  return new AppError(
    'timeout',
    say(
      'The flow is still running after {{seconds}} seconds; it continues, and its run will show the result',
      { seconds },
    ),
    { data: { flow_run_id: runId } },
  )
}

async function failed({ outcome }: Execution, runId: string): Promise<AppError> {
  const ended = await outcome
  const code = ended.kind === 'ended' ? ended.end.error?.code : undefined
  if (code === 'interrupted') {
    return new AppError(
      'unavailable',
      say('Millrace stopped before the flow finished; send the request again in a moment'),
      { data: { flow_run_id: runId }, headers: { 'Retry-After': '5' } },
    )
  }
  return new AppError('flow_error', say('The flow failed; run {{id}} shows why', { id: runId }), {
    data: { flow_run_id: runId },
  })
}

export function errorReply(error: AppError, headers: Readonly<Record<string, string>>): WebhookReply {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers, ...error.headers },
    body: JSON.stringify(error.toEnvelope()),
  }
}

/** The value, or `late` if it takes longer; `value` never rejects. */
async function withinTime<T>(value: Promise<T>, ms: number): Promise<T | 'late'> {
  const first = Promise.withResolvers<T | 'late'>()
  const timer = setTimeout(first.resolve, roundUp(ms), 'late')
  void value.then(first.resolve)
  const answer = await first.promise
  clearTimeout(timer)
  return answer
}

/** Rounds durations, because Node keeps a list of timers for each one. */
function roundUp(ms: number): number {
  return ms > 1_000 ? Math.ceil(ms / TIMER_STEP_MS) * TIMER_STEP_MS : Math.max(0, ms)
}

const TIMER_STEP_MS = 100
