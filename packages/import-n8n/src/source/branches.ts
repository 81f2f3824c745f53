/** Combines branches of a flow where they join. */
import type { Step } from './steps.ts'
import { combinedSources } from './arrivals.ts'
import { refsIn } from './steps.ts'
import { asList, type Source } from './values.ts'

export interface Marker {
  readonly step: Step
  readonly gives: Source
}

/** A step that marks a branch as taken and keeps its input. */
export function markBranch(ref: string, node: string, source: Source): Marker {
  const list = source.items === 'many' || source.mayMiss === true
  const whole = list ? asList(source) : source.whole
  const step: Step = {
    ref_id: ref,
    type: 'set',
    title: `To ${node}`.slice(0, 200),
    config: { values: { json: `{{ ${whole} }}` } },
  }
  const gives: Source = {
    whole: `${ref}.json`,
    js: `input.${ref}.json`,
    items: list ? 'many' : 'one',
    there: [ref],
    ...(source.all === undefined ? {} : { all: source.all }),
  }
  return { step, gives }
}

/** The last result of several branches of which one was taken; null if it isn't certain. */
export function lastOf(
  lists: readonly { readonly steps: readonly Step[]; readonly last: Source | null }[],
): Source | null {
  const own = lists.flatMap(({ last, steps }) => {
    const refs = refsIn(steps)
    return last === null ? [] : [last.there?.every((ref) => refs.has(ref)) === true ? last : null]
  })
  return own.includes(null) ? null : combinedSources(own)
}
