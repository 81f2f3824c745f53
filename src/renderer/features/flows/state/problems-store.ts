import { createStore } from 'zustand/vanilla'
import { checkFlowRoute } from '../../../../shared/contract/flows.ts'
import type { FlowProblem } from '../../../../shared/contract/base/flow-problem.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import type { EditorStore } from './editor-store.ts'
import { toFieldPath, walkSteps } from '../model/step-tree.ts'

/** A problem that a check found, or the reason why saving was rejected. */
type Problem = Pick<FlowProblem, 'severity' | 'ref_id' | 'path' | 'message'> &
  Partial<Pick<FlowProblem, 'line' | 'column' | 'fix'>>

/** A problem with the step it belongs to, as the editor has it. */
export interface ShownProblem extends Problem {
  /** Null if it concerns the flow as a whole. */
  readonly stepRef: string | null
  /** The field in the step, `config.url`; empty if the problem concerns the step itself. */
  readonly field: string
}

interface ProblemsState {
  /** Errors first, in the order of the steps. Null until the server has checked. */
  readonly problems: readonly ShownProblem[] | null
  /** Steps that were just added. What they lack isn't a problem until they are left, tested or saved. */
  readonly fresh: ReadonlySet<string>
  /** Called when the form of this step is shown. */
  readonly visited: (refId: string) => void
  /** Called when the flow was tested or saved: no step is fresh any more. */
  readonly settled: () => void
  readonly opened: () => () => void
}

const CHECK_MS = 350

/** The problems of the flow in the editor, checked again after every change. */
export function createProblemsStore(
  api: Pick<Api, 'call'>,
  flowId: string,
  editor: Pick<EditorStore, 'getState' | 'subscribe'>,
) {
  return createStore<ProblemsState>()((set, get) => {
    let shown: string | null = null

    function noteAdded(before: readonly Step[], steps: readonly Step[]): void {
      const known = new Set(refsOf(before))
      const added = refsOf(steps).filter((refId) => !known.has(refId))
      if (added.length === 0) return
      const { fresh } = get()
      const [renamed] = added
      if (known.size < refsOf(steps).length) set({ fresh: new Set([...fresh, ...added]) })
      else if (renamed !== undefined && shown !== null && fresh.has(shown)) {
        // A renamed step keeps its identity.
        set({ fresh: new Set([...fresh].map((refId) => (refId === shown ? renamed : refId))) })
        shown = renamed
      }
    }

    const stepsOf = () => editor.getState().history?.present.steps ?? null

    async function check(): Promise<void> {
      const steps = stepsOf()
      if (steps === null) return
      const body = { steps: [...steps] }
      const result = await api.call(checkFlowRoute, { params: { id: flowId }, body }).catch(() => null)
      if (result !== null && steps === stepsOf()) set({ problems: placeProblems(steps, result.problems) })
    }

    return {
      problems: null,
      fresh: NONE,
      visited(refId) {
        const { fresh } = get()
        if (shown !== null && shown !== refId && fresh.has(shown))
          set({ fresh: new Set([...fresh].filter((one) => one !== shown)) })
        shown = refId
      },
      settled() {
        if (get().fresh.size > 0) set({ fresh: NONE })
      },
      opened() {
        let timer = setTimeout(() => void check(), 0)
        const stop = editor.subscribe((state, before) => {
          if (state.saving && !before.saving) get().settled()
          if (state.history?.present.steps === before.history?.present.steps) return
          if (before.history !== null && state.history !== null)
            noteAdded(before.history.present.steps, state.history.present.steps)
          clearTimeout(timer)
          timer = setTimeout(() => void check(), CHECK_MS)
        })
        return () => {
          clearTimeout(timer)
          stop()
        }
      },
    }
  })
}

const NONE: ReadonlySet<string> = new Set()
const refsOf = (steps: readonly Step[]) => walkSteps(steps).map(({ step }) => step.ref_id)

/** Whether a problem belongs to a step that was just added and is still being filled in. */
export const isToFillIn = (
  { fresh }: Pick<ProblemsState, 'fresh'>,
  { stepRef, severity }: ShownProblem,
): boolean => severity === 'error' && stepRef !== null && fresh.has(stepRef)

/** Assigns the server's problems to the steps that their paths name, the worst first. */
export function placeProblems(steps: readonly Step[], problems: readonly Problem[]): readonly ShownProblem[] {
  const places = walkSteps(steps)
    .map(({ step, path }) => ({ refId: step.ref_id, prefix: toFieldPath(path) }))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  const shown = problems.map((problem) => {
    const place = places.find(
      ({ prefix }) => problem.path === prefix || problem.path.startsWith(`${prefix}.`),
    )
    const stepRef = problem.ref_id ?? place?.refId ?? null
    return {
      ...problem,
      stepRef,
      field: place === undefined ? '' : problem.path.slice(place.prefix.length + 1),
    }
  })
  return [
    ...shown.filter(({ severity }) => severity === 'error'),
    ...shown.filter(({ severity }) => severity === 'warning'),
  ]
}

export type ProblemsStore = ReturnType<typeof createProblemsStore>
