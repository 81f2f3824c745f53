/** Counts events. Whoever waits for the n-th continues with it. */
export interface Tally {
  readonly add: () => void
  /** Resolves once this many have arrived, now or later. */
  readonly reached: (count: number) => Promise<void>
}

export function createTally(): Tally {
  let come = 0
  const goals = new Map<number, PromiseWithResolvers<void>>()
  const goal = (count: number) => {
    const known = goals.get(count) ?? Promise.withResolvers<void>()
    goals.set(count, known)
    if (come >= count) known.resolve()
    return known
  }
  return {
    add() {
      come++
      goal(come)
    },
    reached: (count) => goal(count).promise,
  }
}
