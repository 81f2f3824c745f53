import { useEffect, useMemo, useState } from 'react'
import { listRunOutcomesRoute } from '../../../../shared/contract/flow-runs.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { StepOutcome as CountedSteps } from '../../../../shared/contract/flow-runs.ts'
import { useApi } from '../../../api/provider.tsx'
import { useRunPanel } from '../state/editor-context.tsx'
import { outcomesOf } from './run-overlay.ts'
import type { StepOutcome } from './run-overlay.ts'

interface Overlay {
  readonly outcomes: Readonly<Record<string, StepOutcome>>
  /** Whether the run had more steps than its history keeps. */
  readonly isCut: boolean
}

/**
 * The result of each step in the run that is shown below the list, over all its iterations, as counted by the server.
 */
export function useRunOverlay(): Overlay {
  const api = useApi()
  const run = useRunPanel((state) => state.run)
  const steps = useRunPanel((state) => state.steps)
  const [read, setRead] = useState<{ runId: string; counted: readonly CountedSteps[] } | null>(null)
  const runId = run?.id ?? null

  useEffect(() => {
    if (runId === null) return undefined
    const controller = new AbortController()
    api.call(listRunOutcomesRoute, { params: { id: runId } }, controller.signal).then(
      (counted) => setRead({ runId, counted }),
      () => undefined, // The list below shows the known steps; the next change loads the results again.
    )
    return () => controller.abort()
    // `steps` is a new object whenever the run was loaded again, and then its iterations are new, too.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [api, runId, steps])

  return useMemo(() => {
    const counted = read?.runId === runId ? read.counted : []
    const turns = counted.reduce((sum, step) => sum + step.turns, 0)
    return { outcomes: outcomesOf(counted, run), isCut: turns >= LIMITS.shownSteps }
  }, [read, runId, run])
}
