/** The iterations of a loop, and of a step that makes its call for each item of a list. */
import type { Data } from '@millrace/jinja/data'
import type { CompiledStep, ListEnd, StepScope } from '../../model/compiled-step.ts'
import type { Batch } from '../../model/page-feed.ts'
import { doAtOnce } from './at-once.ts'
import { readList } from './read-input.ts'

export interface Turns<R> {
  /** The steps of one iteration. */
  readonly steps: readonly CompiledStep[]
  readonly batches: AsyncIterable<Batch> | Iterable<Batch>
  /** The most iterations that run at once. */
  readonly most: number
  /** The value that a completed iteration adds to the result, evaluated in its scope. */
  readonly resultOf: (turn: StepScope, result: Data) => R
  /** Called in order. True if `flush` is due. */
  readonly push: (result: R) => boolean
  readonly flush: () => Promise<void>
  /** Called for iterations that the `on_error` of a step ended early. */
  readonly onLeft?: (index: number) => void
}

/** Runs the steps once for each item, in order, or several at once. */
export async function runTurns<R>(scope: StepScope, turns: Turns<R>): Promise<void> {
  for await (const batch of turns.batches) {
    const end = turns.most > 1 ? await runAside(scope, turns, batch) : await runInOrder(scope, turns, batch)
    if (end === 'break_loop' || end === 'ended') return
  }
}

function runAside<R>(
  scope: StepScope,
  turns: Turns<R>,
  { items, from, turns: before }: Batch,
): Promise<ListEnd> {
  const { steps, most, resultOf, push, flush, onLeft } = turns
  return doAtOnce<R>({
    count: items.length - from,
    most,
    async begin(at) {
      let done = {}
      await scope.yieldIfDue()
      const index = before + at
      const item = items[from + at] ?? null
      const keep = (turn: StepScope, result: Data) => void (done = { result: resultOf(turn, result) })
      const end = await scope.runTurnAside(steps, item, index, keep)
      if (end === 'skip_iteration') onLeft?.(index)
      return { end, ...done }
    },
    take: (result) => (push(result) ? flush() : undefined),
  })
}

async function runInOrder<R>(
  scope: StepScope,
  { steps, resultOf, push, flush, onLeft }: Turns<R>,
  { items, from, turns: before }: Batch,
): Promise<ListEnd> {
  let isDue = false
  const collect = (result: Data) => {
    isDue = push(resultOf(scope, result))
  }
  for (let at = from; at < items.length; at++) {
    const index = before + at - from
    if (index % TURNS_A_LOOK === 0) await scope.yieldIfDue()
    const item = items[at] ?? null
    const turn = scope.runTurn(steps, item, index, collect)
    const end = turn instanceof Promise ? await turn : turn
    if (isDue) await flush()
    isDue = false
    if (end === 'skip_iteration') onLeft?.(index)
    if (end === 'break_loop' || end === 'ended') return end
  }
  return 'done'
}

/** The list in a field, as it was when the step began. */
export function wholeList(name: string, source: unknown, scope: StepScope): Batch {
  const items = scope.decideOnce(() => readList(name, source, scope)) as readonly Data[]
  scope.showInput(items)
  return { items, from: 0, turns: 0 }
}

/**
 * Even iterations without steps can block the event loop, because records from a file have to be read and decrypted.
 */
const TURNS_A_LOOK = 100
