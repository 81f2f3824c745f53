import { lazy, Suspense } from 'react'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { listRunStopsRoute } from '../../../shared/contract/reach/breakpoints.ts'
import { resource, useResource } from '../../api/resource.ts'

const stopsOf = (runId: string) =>
  resource(listRunStopsRoute, {
    nouns: ['flow_run'],
    concerns: ({ id }) => id === runId,
    params: { id: runId },
  })

/** Loaded when the first run has stopped. */
const RunStopView = lazy(async () => ({ default: (await import('./run-stop-view.tsx')).RunStopView }))

/** The breakpoints at which a run has stopped, with the ways to continue. */
export function RunStops({ run }: { readonly run: Pick<FlowRun, 'id' | 'stopped'> }) {
  const { data } = useResource(run.stopped === true ? stopsOf(run.id) : null)
  if (run.stopped !== true || data === null) return null
  return (
    <Suspense>
      {data.map((stop) => (
        <RunStopView key={stop.id} runId={run.id} stop={stop} />
      ))}
    </Suspense>
  )
}
