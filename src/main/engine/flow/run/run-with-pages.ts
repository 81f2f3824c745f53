/** Runs a paginated step and the loop over it together, so that iterations begin with the first page. */
import { PageFeed } from '../model/page-feed.ts'
import { RunHalt } from '../model/run-halt.ts'
import type { RunState } from './run-state.ts'
import type { CompiledStep, ListEnd } from '../model/compiled-step.ts'
import { stepKey } from '../model/run-events.ts'

type RunAlone = (run: RunState, step: CompiledStep) => ListEnd | Promise<ListEnd>

/** Whether the step will actually fetch pages in this run. If not, its list already exists, and the loop reads that. */
export function streamsPages(
  run: RunState,
  { ref, path, disabled }: CompiledStep,
  pageLoop: CompiledStep,
): boolean {
  const hasGivenOutput = (name: string) => run.pins?.has(name) === true || run.carriedOver?.has(name) === true
  if (disabled || pageLoop.disabled || hasGivenOutput(ref) || hasGivenOutput(pageLoop.ref)) return false
  return run.resumed?.get(stepKey(path, run.iteration))?.end === undefined
}

/**
 * Runs both. When the list of steps reaches the loop, `run.ahead` says how it ended.
 *
 * @throws the error that one of them failed with; if both did, the first
 */
export async function runWithPageLoop(
  run: RunState,
  pageSource: CompiledStep,
  pageLoop: CompiledStep,
  runAlone: RunAlone,
): Promise<ListEnd> {
  const feed = new PageFeed()
  run.feeds.set(pageSource, feed).set(pageLoop, feed)
  const [given, read] = await Promise.allSettled([
    tell(
      () => runAlone(run, pageSource),
      () => feed.end(),
      (error) => feed.fail(error),
    ),
    tell(
      () => runAlone(run, pageLoop),
      () => feed.leave(null),
      (error) => feed.leave(error),
    ),
  ])
  run.feeds.delete(pageSource)
  run.feeds.delete(pageLoop)
  const errors = [given, read].flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))
  const halt = errors.find((error) => error instanceof RunHalt)
  if (halt !== undefined) throw halt
  if (given.status === 'rejected') throw given.reason
  if (given.value !== 'done') return given.value
  if (read.status === 'rejected') throw read.reason
  run.ahead.set(pageLoop, read.value)
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
