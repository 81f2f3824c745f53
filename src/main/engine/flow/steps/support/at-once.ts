import type { ListEnd } from '../../model/compiled-step.ts'
import { RunHalt } from '../../model/run-halt.ts'
import { StepError } from '../../model/step-error.ts'

export interface Work<R> {
  /** The number of pieces. At most `most` of them run at once. */
  readonly count: number
  readonly most: number
  /** Rejects with the same errors as running a list of steps. */
  readonly begin: (at: number) => Promise<{ readonly end: ListEnd; readonly result?: R }>
  /** Called in order, for completed work. */
  readonly take: (result: R) => void | Promise<void>
}

/**
 * Runs pieces of work in parallel, and passes on their results in order. A piece that waits doesn't hold up the
 * others; the run is parked only when nothing else can be done. After an error, or when a piece leaves the loop, no
 * new piece begins, but those in progress run to their end, so that a resumed run repeats none of them.
 *
 * @throws the error of the first piece, in order, that failed
 * @throws RunHalt when all that is left is parked
 */
export async function doAtOnce<R>({ count, most, begin, take }: Work<R>): Promise<ListEnd> {
  /** Results of finished pieces, kept until the pieces before them have finished too. */
  const ended = new Map<number, { readonly result?: R }>()
  const failed = new Map<number, unknown>()
  const inProgress = new Map<number, Promise<void>>()
  const parked = new Map<number, RunHalt>()
  let left = null as { readonly at: number; readonly end: ListEnd } | null
  let next = 0
  let taken = 0

  async function follow(at: number): Promise<void> {
    try {
      const { end, ...done } = await begin(at)
      ended.set(at, done)
      const isFirst = left === null || end === 'ended' || (left.end !== 'ended' && at < left.at)
      if ((end === 'break_loop' || end === 'ended') && isFirst) left = { at, end }
    } catch (error) {
      if (error instanceof RunHalt && error.reason === 'parked') parked.set(at, error)
      else failed.set(at, error)
    }
    inProgress.delete(at)
  }

  for (;;) {
    while (
      next < count &&
      left === null &&
      failed.size === 0 &&
      inProgress.size + parked.size < most &&
      next - taken < most * MOST_AHEAD
    ) {
      inProgress.set(next, follow(next))
      next++
    }
    if (inProgress.size === 0) break
    await Promise.race(inProgress.values())
    for (let done = ended.get(taken); done !== undefined && !isBeyond(left, taken); done = ended.get(taken)) {
      ended.delete(taken++)
      if ('result' in done) await take(done.result)
    }
  }
  const { at: leftAt, end } = left ?? { at: count, end: 'done' as ListEnd }
  throwFirst(failed, end === 'break_loop' ? leftAt : count)
  const [first, ...others] = [...parked].flatMap(([at, halt]) => (at < leftAt ? [halt] : []))
  if (first !== undefined && end !== 'ended') throw RunHalt.ofFirst([first, ...others])
  return end
}

function isBeyond(left: { readonly at: number } | null, at: number): boolean {
  return left !== null && at >= left.at
}

/**
 * A halt takes precedence over errors of steps. Errors after the piece that left the loop are ignored, because they
 * wouldn't have happened in a sequential run.
 */
function throwFirst(failed: ReadonlyMap<number, unknown>, to: number): void {
  const halt = [...failed.values()].find((error) => !(error instanceof StepError))
  if (halt !== undefined) throw halt
  const first = Math.min(...failed.keys())
  if (first < to) throw failed.get(first)
}

/** Results that may wait for an earlier one, as a multiple of the number of pieces that run at once. */
const MOST_AHEAD = 10
