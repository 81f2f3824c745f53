/** Sends the steps of the open flow to the server while they are edited. */
import { type AppError, ERROR_STATUS } from '../../../../shared/contract/base/errors.ts'
import { updateWorkingCopyRoute } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError } from '../../../api/failure.ts'
import type { UnsentDraftPlace } from './unsent-draft.ts'

const KEEP_MS = 500
const KEEP_AGAIN_MS = 5_000

interface DraftKeeperOptions {
  readonly api: Pick<Api, 'call' | 'callLast'>
  readonly flowId: string
  readonly wait: (ms: number) => Promise<void>
  readonly unsent: UnsentDraftPlace
  /** Why the latest changes are only in this window; null once the server has them. */
  readonly onKept: (failure: AppError | null) => void
}

export function createDraftKeeper({ api, flowId, wait, unsent, onKept }: DraftKeeperOptions) {
  const params = { id: flowId }
  const state: DraftState = { keptAt: null, knownAt: null, behind: null }
  let unkept: readonly Step[] | null = null
  /** The steps that are being sent; the request may end with the page. */
  let sending: readonly Step[] | null = null
  let keeping: Promise<void> | null = null

  async function keep(): Promise<void> {
    while (unkept !== null) {
      const steps = unkept
      unkept = null
      sending = steps
      try {
        const body = { steps: [...steps] }
        state.keptAt = (await api.call(updateWorkingCopyRoute, { params, body })).updated_at
        state.knownAt = state.keptAt
        unsent.forget()
        onKept(null)
      } catch (error) {
        const failure = asAppError(error)
        unkept ??= steps
        unsent.keep({ steps: unkept, base: state.knownAt })
        onKept(failure)
        if (failure.status >= ERROR_STATUS.internal) void wait(KEEP_AGAIN_MS).then(keepNow)
      }
      sending = null
      if (unkept === steps) break
    }
    // Runs in the same task as the last check for unsaved changes; a change made after that would otherwise not be
    // sent.
    keeping = null
  }

  function keepAfter(pause: Promise<void>): Promise<void> {
    return (keeping ??= pause.then(keep))
  }

  function keepSoon(steps: readonly Step[]): void {
    unkept = steps
    state.behind = null
    void keepAfter(wait(KEEP_MS))
  }

  /** Includes what couldn't be sent before. */
  async function keepNow(): Promise<void> {
    await keeping
    if (unkept !== null) await keepAfter(Promise.resolve())
  }

  /** Stops saving the draft and drops its unsent changes, because they have just been saved or discarded. */
  async function stopKeeping(): Promise<void> {
    unkept = null
    await keeping
    unkept = null
    unsent.forget()
    onKept(null)
  }

  /** Called when the page is being closed: sends unsaved changes at once. False if they may not arrive. */
  function left(): boolean {
    const steps = unkept ?? sending
    unkept = null
    if (steps === null) return true
    state.behind = steps
    unsent.keep({ steps, base: state.knownAt })
    return api.callLast(updateWorkingCopyRoute, { params, body: { steps: [...steps] } })
  }

  return {
    state,
    keepSoon,
    keepNow,
    stopKeeping,
    left,
    hasUnkept: () => unkept !== null,
    /** The steps that are being sent; null if none are. */
    keeping: () => keeping,
  }
}

interface DraftState {
  /** When the server stored this window's last changes, so that the event about them can be ignored. */
  keptAt: string | null
  /** When the server stored the draft that this window knows. */
  knownAt: string | null
  /**
   * The steps sent when the page was left. Whether they arrived isn't known, because the server may not have been
   * running.
   */
  behind: readonly Step[] | null
}
