/** A paginated step and the loop over it, run together: turns begin with the first page. */
import { PageFeed } from '../model/page-feed.ts'
import { RunHalt } from '../model/run-halt.ts'
import type { RunState } from './run-state.ts'
import type { CompiledStep, ListEnd } from '../model/compiled-step.ts'
import { stepKey } from '../model/run-events.ts'

type RunAlone = (run: RunState, step: CompiledStep) => ListEnd | Promise<ListEnd>

/** Whether the step will really fetch pages in this run: else its list is there, and the loop reads that. */
export function givesPages(
  run: RunState,
  { ref, path, disabled }: CompiledStep,
  reader: CompiledStep,
): boolean {
  const isStoodIn = (name: string) => run.pins?.has(name) === true || run.taken?.has(name) === true
  if (disabled || reader.disabled || isStoodIn(ref) || isStoodIn(reader.ref)) return false
  return run.memory?.get(stepKey(path, run.iteration))?.end === undefined
}

/**
 * Runs both; how the loop left off is found in `run.ahead` when its turn in the list comes.
 *
 * @throws what one of the two failed with; of both, what came first
 */
export async function runWithReader(
  run: RunState,
  giver: CompiledStep,
  reader: CompiledStep,
  runAlone: RunAlone,
): Promise<ListEnd> {
  const feed = new PageFeed()
  run.feeds.set(giver, feed).set(reader, feed)
  const [given, read] = await Promise.allSettled([
    tell(
      () => runAlone(run, giver),
      () => feed.end(),
      (error) => feed.fail(error),
    ),
    tell(
      () => runAlone(run, reader),
      () => feed.leave(null),
      (error) => feed.leave(error),
    ),
  ])
  run.feeds.delete(giver)
  run.feeds.delete(reader)
  const errors = [given, read].flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))
  const halt = errors.find((error) => error instanceof RunHalt)
  if (halt !== undefined) throw halt
  if (given.status === 'rejected') throw given.reason
  if (given.value !== 'done') return given.value
  if (read.status === 'rejected') throw read.reason
  run.ahead.set(reader, read.value)
  return 'done'
}

async function tell(
  work: () => ListEnd | Promise<ListEnd>,
  onEnd: () => void,
  onError: (error: unknown) => void,
): Promise<ListEnd> {
  try {
    const end = await work()
    onEnd()
    return end
  } catch (error) {
    onError(error)
    throw error
  }
}
