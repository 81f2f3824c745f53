/** Starts a flow for an AI client, waits for its end, and returns the flow's result. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { type ToolCall, ToolFailure } from './tool.ts'

/** Less than a minute, the time that clients give a tool by default. */
export const DEFAULT_WAIT_SECONDS = 50

const PROGRESS_EVERY_MS = 1_000

interface RunRequest {
  readonly flowId: string
  readonly input: object
  readonly waitSeconds: number
}

/** @throws ToolFailure if the run failed */
export async function runFlow(call: ToolCall, { flowId, input, waitSeconds }: RunRequest): Promise<object> {
  const { services, caller, signal } = call
  const runId = await services.toolRuns.start(caller, flowId, input as never)
  const stopTelling = tellProgress(call, runId)
  try {
    await services.toolRuns.settled(
      runId,
      AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1_000)]),
    )
  } finally {
    stopTelling()
  }
  if (call.isCancelled()) await cancel(call, runId)
  return resultOf(call, services.flowRuns.read(runId), waitSeconds)
}

function resultOf({ services }: ToolCall, run: FlowRun, waitSeconds: number): object {
  const { id, status, duration_ms, error, warnings } = run
  const result = {
    flow_run_id: id,
    status,
    duration_ms,
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  if (status === 'error' || status === 'cancelled') {
    const what = status === 'error' ? 'failed' : 'was cancelled'
    const why = error === null ? '' : `: ${error.message}`
    throw new ToolFailure(`The run ${id} ${what}${why}`, { ...result, error })
  }
  if (status !== 'success') {
    const message = `The run continues after ${waitSeconds} seconds; read its result later with read_run`
    return { ...result, message }
  }
  const output = services.toolRuns.outputOf(run)
  if (output !== null) return { ...result, output: JSON.parse(output) as unknown }
  return { ...result, output: null, message: "The output wasn't kept; it is too large" }
}

function tellProgress({ services, progress }: ToolCall, runId: string): () => void {
  if (progress === null) return () => undefined
  const begun = performance.now()
  const tell = async (seconds: number) => {
    const outcomes = await services.flowRuns.outcomesOf(runId).catch(() => []) // The run was deleted.
    const steps = outcomes.reduce((sum, { turns }) => sum + turns, 0)
    progress(`The run continues after ${seconds} s; ${steps} steps so far`)
  }
  const timer = setInterval(() => {
    void tell(Math.round((performance.now() - begun) / 1_000))
  }, PROGRESS_EVERY_MS)
  return () => clearInterval(timer)
}

async function cancel({ services }: ToolCall, runId: string): Promise<void> {
  try {
    await services.flowRuns.cancel(runId)
  } catch (error) {
    // The run ended at the same moment.
    if (!(error instanceof AppError && error.code === 'conflict')) throw error
  }
}
