/** The entry that a step inside of loops is tried on. */
import { STEP_CONFIGS, type Step } from '../../shared/contract/steps.ts'
import { type Data, isList } from '../engine/data/value.ts'
import { reachOf } from '../engine/flow/definition/reach.ts'

type Results = Readonly<Record<string, unknown>>

/**
 * The results with the `item` and `index` that the loops around a step give it: of their last turn, as the results of
 * the steps beside it are.
 *
 * @param evaluate gives what a loop goes over; null where that cannot be told from the results
 */
export async function withEntry(
  steps: readonly Step[],
  refId: string,
  results: Results,
  evaluate: (over: unknown, results: Results) => Promise<Data>,
): Promise<Results> {
  let known = results
  for (const loop of reachOf(steps, refId, '')?.loops ?? []) {
    const config = STEP_CONFIGS.loop.safeParse(loop.config)
    const entries = loop.type === 'loop' && config.success ? await evaluate(config.data.over, known) : null
    if (!isList(entries) || entries.length === 0) return known
    known = { ...known, item: entries.at(-1) ?? null, index: entries.length - 1 }
  }
  return known
}
