import type { FailureNotice } from '../services/running/runs/failure-notices.ts'

/** The minimum time between two notifications about the same flow. */
const QUIET_MS = 10 * 60_000

/** Combines notices about the same flow within this time into one, which shows the newest of them. */
export function groupNotices(
  show: (notice: FailureNotice) => void,
  after: (work: () => void, ms: number) => void = (work, ms) => void setTimeout(work, ms).unref(),
): (notice: FailureNotice) => void {
  /** Flows with a recent notification, and the notices since then. */
  const quiet = new Map<string, FailureNotice | null>()

  function announce(notice: FailureNotice): void {
    show(notice)
    quiet.set(notice.flow_id, null)
    after(() => {
      const held = quiet.get(notice.flow_id) ?? null
      quiet.delete(notice.flow_id)
      if (held !== null) announce(held)
    }, QUIET_MS)
  }

  return (notice) => {
    // A test notification is shown immediately.
    if (notice.kind === 'test') return show(notice)
    const held = quiet.get(notice.flow_id)
    if (held === undefined) return announce(notice)
    const count = notice.count + (held?.kind === notice.kind ? held.count : 0)
    quiet.set(notice.flow_id, { ...notice, count })
  }
}
