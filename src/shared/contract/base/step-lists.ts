/** The child lists of a step. Those in `cases` also have labels. */
export const CHILD_LISTS = ['steps', 'then', 'else', 'try', 'catch', 'finally', 'default'] as const
export type ListName = (typeof CHILD_LISTS)[number]

/** The child lists of a step. */
export type ChildSteps<S> = { [L in ListName]?: S[] | undefined } & {
  cases?: { label: string; steps: S[] }[] | undefined
}

type Lists<S> = { readonly [L in ListName]?: readonly S[] | undefined } & {
  readonly cases?: readonly { readonly steps: readonly S[] }[] | undefined
}

/** The step's child lists with their paths, such as `then` or `cases[0].steps`. */
export function listsIn<S>(step: Lists<S>): readonly { readonly at: string; readonly steps: readonly S[] }[] {
  const { cases = [] } = step
  return [
    ...cases.map(({ steps }, index) => ({ at: `cases[${index}].steps`, steps })),
    ...CHILD_LISTS.flatMap((at) => (step[at] === undefined ? [] : [{ at, steps: step[at] }])),
  ]
}

/** The steps in all child lists. */
export function stepsIn<S>(step: Lists<S>): readonly S[] {
  return listsIn(step).flatMap(({ steps }) => steps)
}

/** A copy of the step in which each child list is changed. */
export function mapLists<S, T extends ChildSteps<S>>(
  step: T,
  change: (steps: readonly S[], at: string) => S[],
): T {
  const { cases } = step
  return {
    ...step,
    ...Object.fromEntries(
      CHILD_LISTS.flatMap((at) => (step[at] === undefined ? [] : [[at, change(step[at], at)]])),
    ),
    ...(cases && {
      cases: cases.map((one, at) => ({ ...one, steps: change(one.steps, `cases[${at}].steps`) })),
    }),
  }
}

/** Marks the path of a step's part that runs for a single item of its list, such as `3.each.1`. */
export const EACH = 'each'

/** Whether the path leads to such a part rather than to a step. */
export const isPart = (path: string): boolean => path.endsWith(`.${EACH}.1`)
