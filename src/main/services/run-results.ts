import type { Store } from '../store/index.ts'

const PER_LOOK = 500

/** Results of a run by `ref_id` as the history shows them: of a loop's children those of the last turn. */
export function createRunResults(
  store: Pick<Store, 'flowRuns' | 'runSteps'>,
): (runId: string) => Readonly<Record<string, unknown>> | null {
  return (runId) => {
    if (store.flowRuns.get(runId) === null) return null
    const results: Record<string, unknown> = Object.setPrototypeOf({}, null)
    for (let after: string | null = ''; after !== null;) {
      const page = store.runSteps.ofRun(runId, { perPage: PER_LOOK, ...(after === '' ? {} : { after }) })
      for (const { ref_id: ref, status, output } of page.records)
        if (status === 'success') results[ref] = output
      after = page.next
    }
    return results
  }
}
