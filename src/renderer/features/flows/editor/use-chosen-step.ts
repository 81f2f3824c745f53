import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { findStep } from '../model/step-tree.ts'
import type { PlacedStep } from '../model/step-tree.ts'
import type { Step } from '../../../../shared/contract/steps.ts'

interface ChosenStep {
  /** The first step if the named one does not exist; undefined in a flow without steps. */
  readonly placed: PlacedStep | undefined
  /** Stays the same when the step is renamed, so that its form keeps the focus. */
  readonly identity: string
  readonly renamed: (from: string, to: string) => void
  /** Opens the URL of the step, or the one without a step. */
  readonly select: (refId: string | undefined, field?: string) => void
}

/**
 * The step that the URL names. A new name reaches the flow before it reaches the URL, and undo reverts it only in the
 * flow, so all names that a step has had here mean the same step, as long as just one of them exists.
 */
export function useChosenStep(steps: readonly Step[], refId: string | undefined): ChosenStep {
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const select = (chosen: string | undefined, field?: string) =>
    void navigate({
      search: ({ step: _step, field: _field, ...rest }) =>
        chosen === undefined ? rest : { ...rest, step: chosen, ...(field === undefined ? {} : { field }) },
      replace: true,
    })
  const [names, setNames] = useState<readonly string[]>([])
  const existing = names.filter((name) => findStep(steps, name) !== undefined)
  const [only] = existing.length === 1 ? existing : []
  const named = refId === undefined ? undefined : findStep(steps, refId)
  const before =
    refId !== undefined && names.includes(refId) && only !== undefined ? findStep(steps, only) : undefined
  const placed = named ?? before ?? firstOf(steps)
  const current = placed?.step.ref_id ?? ''
  return {
    placed,
    identity: current === only ? (names[0] ?? current) : current,
    renamed(from, to) {
      setNames(from === only ? [...names, to] : [from, to])
      select(to)
    },
    select,
  }
}

function firstOf([step]: readonly Step[]): PlacedStep | undefined {
  return step === undefined ? undefined : { step, path: [0], depth: 0 }
}
