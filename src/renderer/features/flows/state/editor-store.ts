import { createStore } from 'zustand/vanilla'
import type { Saved, SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import type { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  createFlowRoute,
  readFlowRoute,
  readWorkingCopyRoute,
  rotateWebhookTokenRoute,
  updateFlowRoute,
  updateWorkingCopyRoute,
} from '../../../../shared/contract/flows.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { LiveEvent } from '../../../../shared/contract/host.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError, fieldsOf } from '../../../api/failure.ts'
import { changedSteps, copiedSteps, isSame, toDraft, toPatch } from '../model/draft.ts'
import type { FlowDraft } from '../model/draft.ts'
import { pushHistory, redo, startHistory, undo } from '../../../lib/undo-history.ts'
import type { History } from '../../../lib/undo-history.ts'
import { NO_ERRORS, sortErrors } from '../model/step-errors.ts'
import type { StepErrors } from '../model/step-errors.ts'
import { createDraftKeeper } from './keep-draft.ts'
import type { UnsentDraftPlace } from './unsent-draft.ts'

export interface EditorState {
  /** The flow as saved; null until it is loaded. */
  readonly flow: Flow | null
  readonly history: History<FlowDraft> | null
  readonly failure: AppError | null
  readonly saving: boolean
  /** Why the last save was rejected. */
  readonly refusal: AppError | null
  readonly errors: StepErrors
  /** Whether somebody else saved the flow while this draft was being changed. */
  readonly overtaken: boolean
  /** Whether the flow was deleted elsewhere, so that changes made here can no longer be saved. */
  readonly gone: boolean
  /**
   * Steps that were changed here and then elsewhere. The other change is shown, and Undo restores the one made here.
   */
  readonly overwritten: readonly string[]
  readonly overwrittenSeen: () => void
  /** The note of the access token that wrote unsaved steps; null if only people did. */
  readonly writtenWith: string | null
  /** Why the latest changes are only in this window; null once the server has them. */
  readonly unkept: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** `mark` joins changes to one field into one undo step. */
  readonly changed: (change: (draft: FlowDraft) => FlowDraft, mark?: string) => void
  readonly undone: () => void
  readonly redone: () => void
  /** Resolves to true once the server has it. */
  readonly saved: () => Promise<boolean>
  readonly discarded: () => Promise<void>
  readonly statusChosen: (status: Flow['status']) => Promise<void>
  readonly tokenRotated: () => Promise<void>
  /** Creates a new flow from the editor's content. */
  readonly rescued: () => Promise<Flow>
  /** Sends unsaved changes, including those that couldn't be sent before, because a test run uses them. */
  readonly kept: () => Promise<void>
  /** Warnings of a save that went through although tests fail. */
  readonly failingTests: readonly SaveWarning[]
  readonly testsSeen: () => void
  /** Called when the page is being closed: sends unsaved changes at once. False if they may not arrive. */
  readonly left: () => boolean
  /** Replaces the flow with another state, that of a restored version. */
  readonly replaced: (flow: Flow) => void
}

/**
 * The editor of one flow. Each change of its steps is saved to the flow's draft shortly afterwards, so that nothing
 * typed is lost with the window; Save makes it the next version.
 */
export function createEditorStore(
  api: Pick<Api, 'call' | 'callLast' | 'live'>,
  id: string,
  wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  unsent: UnsentDraftPlace = NO_PLACE,
) {
  return createStore<EditorState>()((set, get) => {
    const params = { id }
    const keeper = createDraftKeeper({ api, flowId: id, wait, unsent, onKept: (unkept) => set({ unkept }) })
    const { state: draftState, keepSoon, keepNow, stopKeeping } = keeper
    /** Steps that were changed in this window since the flow was saved or loaded. */
    const own = new Set<string>()
    const draftOf = () => get().history?.present ?? null
    const isDirty = () => {
      const { flow } = get()
      const draft = draftOf()
      return flow !== null && draft !== null && !isSame(toDraft(flow), draft)
    }

    async function load(): Promise<void> {
      try {
        const [flow, copy] = await Promise.all([
          api.call(readFlowRoute, { params }),
          api.call(readWorkingCopyRoute, { params }),
        ])
        const saved = toDraft(flow)
        const draft = copy.updated_at === null ? saved : { ...saved, steps: copiedSteps(copy) }
        draftState.knownAt = copy.updated_at
        const writtenWith = copy.written_with
        set({ flow, history: startHistory(draft), failure: null, overtaken: false, writtenWith })
        takeUnsent(draft)
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    /**
     * If the draft was edited elsewhere in the meantime, the other edit wins, and Undo restores what was typed here.
     */
    function takeUnsent(draft: FlowDraft): void {
      const left = unsent.read()
      if (left === null) return
      const mine = { ...draft, steps: left.steps }
      if (isSame(mine, draft)) unsent.forget()
      else if (left.base === draftState.knownAt) moveTo(pushHistory(startHistory(draft), mine))
      else {
        unsent.forget()
        set({ history: pushHistory(startHistory(mine), draft) })
      }
    }

    /** Another window or program saved the flow. This is applied at once, unless it would lose changes made here. */
    async function follow(): Promise<void> {
      const { flow: known } = get()
      if (known === null) {
        await load()
        return
      }
      const flow = await api.call(readFlowRoute, { params }).catch((error: unknown) => {
        if (asAppError(error).code === 'not_found') set({ gone: true })
        return null
      })
      if (flow === null || flow.updated_at === get().flow?.updated_at) return
      const draft = draftOf()
      if (draft !== null && isSame(toDraft(flow), draft)) set({ flow, overtaken: false })
      else if (isDirty() && flow.version !== known.version) set({ flow, overtaken: true })
      else if (isDirty()) set({ flow })
      else set({ flow, history: startHistory(toDraft(flow)) })
    }

    /**
     * The flow was edited in another window. The change is shown here too, as one undo step, so that neither overwrites
     * the other. Changes being typed here take precedence.
     */
    async function followCopy(changedAt?: unknown): Promise<void> {
      await keeper.keeping()
      if (keeper.hasUnkept() || (changedAt !== undefined && changedAt === draftState.keptAt)) return
      const copy = await api.call(readWorkingCopyRoute, { params }).catch(() => null)
      const { flow, history, saving } = get()
      if (copy === null || flow === null || history === null) return
      set({ writtenWith: copy.written_with })
      if (saving || keeper.hasUnkept() || keeper.keeping() !== null) return
      const { behind: mine, knownAt } = draftState
      draftState.behind = null
      if (mine !== null && copy.updated_at === knownAt && !isSame(copiedSteps(copy), mine))
        return keepSoon(mine)
      draftState.knownAt = copy.updated_at
      const steps = copiedSteps(copy)
      if (isSame(steps, history.present.steps)) return
      const draft = { ...history.present, steps }
      const overtaken = get().overtaken && !isSame(toDraft(flow), draft)
      const lost = changedSteps(history.present.steps, steps).filter((refId) => own.delete(refId))
      const overwritten = lost.length === 0 ? get().overwritten : lost
      set({ history: pushHistory(history, draft, 'elsewhere'), overtaken, overwritten })
    }

    function heard(event: LiveEvent): void {
      if (event.noun === 'working_copy') {
        void followCopy(event.updated_at)
        return
      }
      if (event.noun === 'flow' && event.type === 'deleted') set({ gone: true })
      else if (event.noun === null) void caughtUp()
      else void follow()
    }

    /** Events may have been missed, and what couldn't be sent then can be sent now. */
    async function caughtUp(): Promise<void> {
      await Promise.all([follow(), keepNow()])
      await followCopy()
    }

    function moveTo(history: History<FlowDraft>): void {
      const before = get().history?.present
      // Comes first, because listeners may immediately wait for the change to be saved.
      if (before !== undefined && before.steps !== history.present.steps) {
        for (const refId of changedSteps(before.steps, history.present.steps)) own.add(refId)
        keepSoon(history.present.steps)
      }
      set({ history, overwritten: NONE })
    }

    function take(flow: Flow): void {
      own.clear()
      const history = get().history
      const draft = toDraft(flow)
      const next = history === null ? startHistory(draft) : pushHistory(history, draft)
      set({ flow, history: next, writtenWith: null })
    }

    return {
      flow: null,
      history: null,
      failure: null,
      saving: false,
      refusal: null,
      errors: NO_ERRORS,
      overtaken: false,
      gone: false,
      overwritten: NONE,
      writtenWith: null,
      overwrittenSeen: () => set({ overwritten: NONE }),
      unkept: null,
      failingTests: [],
      opened() {
        if (get().flow === null) void load()
        else void caughtUp()
        return api.live.subscribe(['flow', 'working_copy'], (event) => {
          if (event.noun === null || event.id === id) heard(event)
        })
      },
      reload: load,
      changed(change, mark) {
        const { history } = get()
        if (history !== null) moveTo(pushHistory(history, change(history.present), mark ?? null))
      },
      undone() {
        const { history } = get()
        if (history !== null) moveTo(undo(history))
      },
      redone() {
        const { history } = get()
        if (history !== null) moveTo(redo(history))
      },
      async saved() {
        const { flow, saving } = get()
        if (flow === null || saving) return false
        set({ saving: true, refusal: null, errors: NO_ERRORS })
        await stopKeeping()
        const draft = draftOf() ?? toDraft(flow)
        const { steps, ...others } = toPatch(flow, draft)
        try {
          const result = await api.call(updateFlowRoute, {
            params,
            body: { ...others, ...(steps === undefined ? {} : { steps }) },
          })
          await api.call(updateWorkingCopyRoute, { params, body: { steps: null } })
          const meanwhile = draftOf()
          if (meanwhile === draft) take(result)
          else set({ flow: result })
          set({ saving: false, overtaken: false, failingTests: failingTestsOf(result) })
          return true
        } catch (error) {
          const refusal = asAppError(error)
          keepSoon(draft.steps)
          const errors = sortErrors(draft.steps, fieldsOf(refusal))
          // Unfinished steps stay in the draft; a new name or setting needn't wait for them.
          const isOfSteps = Object.keys(errors.bySteps).length > 0 && Object.keys(errors.others).length === 0
          if (isOfSteps && Object.keys(others).length > 0) {
            const result = await api.call(updateFlowRoute, { params, body: others }).catch(() => null)
            if (result !== null) set({ flow: result })
          }
          set({ saving: false, refusal, errors })
          return false
        }
      },
      async discarded() {
        const { flow } = get()
        if (flow === null) return
        await stopKeeping()
        await api.call(updateWorkingCopyRoute, { params, body: { steps: null } })
        take(flow)
        set({ refusal: null, errors: NO_ERRORS, overtaken: false })
      },
      async statusChosen(status) {
        const flow = await api.call(updateFlowRoute, { params, body: { status } })
        set({ flow, failingTests: failingTestsOf(flow) })
      },
      async tokenRotated() {
        set({ flow: await api.call(rotateWebhookTokenRoute, { params }) })
      },
      async rescued() {
        const { name = '', description = '', tags = [], settings, steps = [] } = draftOf() ?? {}
        const body = { name, description, tags: [...tags], settings, steps: [...steps] }
        return await api.call(createFlowRoute, { body })
      },
      kept: keepNow,
      testsSeen: () => set({ failingTests: [] }),
      left: keeper.left,
      replaced(flow) {
        take(flow)
        set({ refusal: null, errors: NO_ERRORS, overtaken: false })
      },
    }
  })
}

const NONE: readonly string[] = []
const NO_PLACE: UnsentDraftPlace = { read: () => null, keep: () => undefined, forget: () => undefined }

function failingTestsOf({ warnings = [] }: Saved<Flow>): readonly SaveWarning[] {
  return warnings.filter(({ code }) => code === 'tests_fail')
}

/** If so, a test run uses the draft; otherwise there is no draft. */
export function hasUnsavedSteps({ flow, history }: EditorState): boolean {
  return flow !== null && history !== null && !isSame(flow.steps, history.present.steps)
}

export type EditorStore = ReturnType<typeof createEditorStore>
