import { createStore } from 'zustand/vanilla'
import { checkFlowRoute } from '../../../../shared/contract/flows.ts'
import type { FlowProblem } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import type { EditorStore } from './editor-store.ts'
import { toFieldPath, walkSteps } from '../model/step-tree.ts'

/** A problem with the step it belongs to, as the editor has it. */
export interface ShownProblem extends FlowProblem {
  /** Null if it concerns the flow as a whole. */
  readonly stepRef: string | null
  /** In the step: `config.url`; empty if it concerns the step itself. */
  readonly field: string
}

interface ProblemsState {
  /** Errors first, in the order of the steps. Null until the program has checked. */
  readonly problems: readonly ShownProblem[] | null
  readonly opened: () => () => void
}

const CHECK_MS = 350

/** The problems of the flow in the editor, checked again after every change. */
export function createProblemsStore(
  api: Pick<Api, 'call'>,
  flowId: string,
  editor: Pick<EditorStore, 'getState' | 'subscribe'>,
) {
  return createStore<ProblemsState>()((set) => {
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
      opened() {
        let timer = setTimeout(() => void check(), 0)
        const stop = editor.subscribe((state, before) => {
          if (state.history?.present.steps === before.history?.present.steps) return
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

/** Assigns the program's problems to the steps that their paths name, the worst first. */
export function placeProblems(
  steps: readonly Step[],
  problems: readonly FlowProblem[],
): readonly ShownProblem[] {
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
