import { useState } from 'react'

export interface StepSelection {
  /** All selected steps; only the current one until others are added. */
  readonly refIds: ReadonlySet<string>
  /** Adds a step to the selection, or removes it again. */
  readonly toggled: (refId: string) => void
  readonly replaced: (refIds: Iterable<string>) => void
  readonly cleared: () => void
}

/** Steps that are edited together; the current one is always among them. */
export function useStepSelection(current: string | undefined): StepSelection {
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const isPart = current !== undefined && added.has(current)
  const refIds = isPart ? added : new Set(current === undefined ? [] : [current])
  return {
    refIds,
    toggled(refId) {
      const next = new Set(refIds)
      if (refId === current || !next.delete(refId)) next.add(refId)
      setAdded(next)
    },
    replaced: (all) => setAdded(new Set(all)),
    cleared: () => setAdded(new Set()),
  }
}
