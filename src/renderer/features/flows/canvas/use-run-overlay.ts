import { useEffect, useMemo, useState } from 'react'
import { listRunStepsRoute } from '../../../../shared/contract/flow-runs.ts'
import type { FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import { useApi } from '../../../api/provider.tsx'
import { useRunPanel } from '../editor-context.tsx'
import { outcomesOf } from './run-overlay.ts'
import type { StepOutcome } from './run-overlay.ts'

const PAGE = 200
const MOST_PAGES = 10

interface KeyedSteps {
  readonly items: readonly FlowRunStep[]
  readonly after: string | null
}

interface Overlay {
  readonly outcomes: Readonly<Record<string, StepOutcome>>
  /** The run had more steps than were read. */
  readonly isCut: boolean
}

/** What each step did in the run that is shown below the list: every turn of it, which the list does not need. */
export function useRunOverlay(): Overlay {
  const api = useApi()
  const run = useRunPanel((state) => state.run)
  const steps = useRunPanel((state) => state.steps)
  const [read, setRead] = useState<{ runId: string; records: readonly FlowRunStep[]; isCut: boolean } | null>(
    null,
  )
  const runId = run?.id ?? null

  useEffect(() => {
    if (runId === null) return undefined
    const controller = new AbortController()
    async function readAll(id: string): Promise<void> {
      const records: FlowRunStep[] = []
      let after: string | null = null
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query: { per_page: string; after?: string } = {
          per_page: String(PAGE),
          ...(after && { after }),
        }
        const found: KeyedSteps = await api.list(
          listRunStepsRoute,
          { params: { id }, query },
          controller.signal,
        )
        records.push(...found.items)
        after = found.after
        if (after === null) break
      }
      if (!controller.signal.aborted) setRead({ runId: id, records, isCut: after !== null })
    }
    readAll(runId).catch(() => undefined) // The list below has what there is; the next change asks again.
    return () => controller.abort()
    // `steps` is a new object whenever the run was read again: then its turns are, too.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [api, runId, steps])

  return useMemo(() => {
    const records = read?.runId === runId ? read.records : Object.values(steps)
    return { outcomes: outcomesOf(records, run), isCut: read?.runId === runId && read.isCut }
  }, [read, runId, run, steps])
}
