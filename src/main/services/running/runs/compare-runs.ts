/** Compares two runs, so that the differences show why one of them failed. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowRun, FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import type { DataChange, RunComparison, StepComparison } from '../../../../shared/contract/run-debugging.ts'
import type { WebhookAnswer } from '../../../../shared/contract/webhooks.ts'
import { type Data, dataDifference, JsonError, parseJson } from '@millrace/jinja/data'
import type { Store } from '../../../store/index.ts'
import { runNotFound } from '../../kit/not-found.ts'

export interface RunComparisonOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runSteps'>
  /** The run's response; null if none was kept. */
  readonly answerOf: (runId: string) => WebhookAnswer | null
}

/** Limit for each run. */
const MOST_STEPS = 2_000
const MOST_CHANGES = 200

/**
 * Compares a run with another one, by default with the flow's last successful run before it.
 *
 * @throws AppError `not_found` if a run doesn't exist
 */
export function compareRuns(
  { store, answerOf }: RunComparisonOptions,
  id: string,
  otherId: string | undefined,
): RunComparison {
  const run = read(store, id)
  const other = otherId === undefined ? lastGood(store, run) : read(store, otherId)
  const [steps, others] = [run, other].map((each) =>
    store.runSteps.ofRun(each.id, { perPage: MOST_STEPS }),
  ) as [ReturnType<Store['runSteps']['ofRun']>, ReturnType<Store['runSteps']['ofRun']>]
  return {
    run,
    other,
    steps: compareSteps(steps.records, others.records),
    cut: steps.next !== null || others.next !== null,
    answer: compareAnswers(answerOf(run.id), answerOf(other.id)),
  }
}

function read(store: RunComparisonOptions['store'], id: string): FlowRun {
  const run = store.flowRuns.get(id)
  if (run === null) throw runNotFound(id)
  return run
}

function lastGood(store: RunComparisonOptions['store'], run: FlowRun): FlowRun {
  const filters = [
    { field: 'flow_id', operator: 'eq', value: run.flow_id },
    { field: 'status', operator: 'eq', value: 'success' },
  ] as const
  const [before] = store.flowRuns.list({ filters, perPage: 1, after: run.id }).records
  const found = before ?? store.flowRuns.list({ filters, perPage: 2 }).records.find(({ id }) => id !== run.id)
  if (found !== undefined) return found
  throw new AppError(
    'not_found',
    say('The flow of run {{id}} has no other successful run to compare it with', { id: run.id }),
  )
}

/** Steps are matched by name and iteration, because their positions change between versions. */
function compareSteps(steps: readonly FlowRunStep[], others: readonly FlowRunStep[]): StepComparison[] {
  const left = new Map(others.map((step) => [keyOf(step), step]))
  const pairs = steps.map((step) => {
    const other = left.get(keyOf(step)) ?? null
    left.delete(keyOf(step))
    return compareStep(step, step, other)
  })
  return [...pairs, ...[...left.values()].map((other) => compareStep(other, null, other))]
}

const keyOf = ({ ref_id, iteration }: FlowRunStep) => [ref_id, ...iteration].join('#')

function compareStep(
  either: FlowRunStep,
  run: FlowRunStep | null,
  other: FlowRunStep | null,
): StepComparison {
  const between = (field: 'input' | 'output') =>
    run === null || other === null ? [] : changesOf(other[field], run[field])
  return {
    ref_id: either.ref_id,
    type: either.type,
    iteration: either.iteration,
    run: run && toComparedStep(run),
    other: other && toComparedStep(other),
    input: between('input'),
    output: between('output'),
    truncated: run?.truncated === true || other?.truncated === true,
  }
}

function toComparedStep({
  id,
  status,
  duration_ms,
  attempt,
  error,
  warnings,
}: FlowRunStep): NonNullable<StepComparison['run']> {
  return { id, status, duration_ms, attempt, error, warnings }
}

function compareAnswers(run: WebhookAnswer | null, other: WebhookAnswer | null): RunComparison['answer'] {
  const body = run === null || other === null ? [] : changesOf(readBody(other.body), readBody(run.body))
  return { run, other, body }
}

function readBody(body: string | null): Json {
  if (body === null) return null
  try {
    return parseJson(body) as Json
  } catch (error) {
    if (error instanceof JsonError) return body
    throw error
  }
}

function changesOf(before: Json, after: Json): DataChange[] {
  return dataDifference(before as Data, after as Data, MOST_CHANGES).map(({ at, ...sides }) => ({
    at: [...at],
    ...(sides as Pick<DataChange, 'before' | 'after'>),
  }))
}
