import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { EACH } from '../../../shared/contract/base/step-lists.ts'
import { tellingValues } from '../../../shared/telling-values.ts'

/** A row of the list of steps: a step, or an iteration of a loop with its steps below it. */
export type StepRow =
  | {
      readonly kind: 'step'
      readonly key: string
      readonly step: FlowRunStep
      readonly depth: number
      /** For a loop with iterations: the key that folds them, and whether they are shown. */
      readonly fold: { readonly key: string; readonly isOpen: boolean } | null
    }
  | {
      readonly kind: 'iteration'
      readonly key: string
      /** The index of the innermost iteration: `2` for the third one. */
      readonly index: number
      /** Identifies the item of the iteration; empty if the history doesn't contain it. */
      readonly label: string
      readonly depth: number
      readonly isOpen: boolean
      /** The steps of the iteration, including those in nested loops. */
      readonly steps: readonly FlowRunStep[]
    }

/** Loops with fewer iterations than this start open. */
const FOLDED_FROM = 2
const LABEL_PARTS = 2

/** The visible rows. `toggled` contains the keys of iterations and loops that were opened or closed by the user. */
export function toStepRows(
  steps: readonly FlowRunStep[],
  selectedId: string | undefined,
  toggled: ReadonlySet<string>,
): readonly StepRow[] {
  const iterations = groupIterations(steps)
  const loops = new Set(iterations.values().map(({ loopKey }) => loopKey))
  const shown = new Set<string>()
  const rows: StepRow[] = []
  for (const step of steps) {
    const groups = groupsOf(step, iterations)
    let isVisible = true
    for (const [level, group] of groups.entries()) {
      isVisible &&= !toggled.has(group.loopKey)
      const isOpen = isOpenAtFirst(group, selectedId) !== toggled.has(group.key)
      if (isVisible && !shown.has(group.key)) {
        shown.add(group.key)
        const depth = depthOf(group.loopPath) + level + 1
        const { key, index, label, steps: within } = group
        rows.push({ kind: 'iteration', key, index, label, depth, isOpen, steps: within })
      }
      isVisible &&= isOpen
    }
    if (!isVisible) continue
    const key = placeOf(step)
    const fold = loops.has(key) ? { key, isOpen: !toggled.has(key) } : null
    rows.push({ kind: 'step', key: step.id, step, depth: depthOf(step.path) + groups.length, fold })
  }
  return rows
}

interface Iteration {
  readonly key: string
  readonly loopPath: string
  readonly loopKey: string
  readonly index: number
  readonly label: string
  readonly steps: FlowRunStep[]
  /** Iterations of the same loop, in the same iteration of the loops around it. */
  readonly siblings: { count: number }
}

/** A failed iteration starts open, and so does the one of the selected step. */
function isOpenAtFirst({ steps, siblings }: Iteration, selectedId: string | undefined): boolean {
  return (
    siblings.count < FOLDED_FROM || steps.some(({ id, status }) => id === selectedId || status === 'error')
  )
}

function groupIterations(steps: readonly FlowRunStep[]): ReadonlyMap<string, Iteration> {
  const loops = new Map<string, FlowRunStep>()
  const found = new Map<string, Iteration>()
  const siblings = new Map<string, { count: number }>()
  for (const step of steps) {
    if (Array.isArray(step.input)) loops.set(placeOf(step), step)
    for (const { key, loopPath, around, index } of placesOf(step)) {
      const loopKey = `${loopPath}#${around.join('.')}`
      const known = found.get(key)
      if (known !== undefined) {
        known.steps.push(step)
        continue
      }
      const those = siblings.get(loopKey) ?? { count: 0 }
      those.count += 1
      siblings.set(loopKey, those)
      const label = labelOf(loops.get(loopKey), index)
      found.set(key, { key, loopPath, loopKey, index, label, steps: [step], siblings: those })
    }
  }
  return found
}

function groupsOf(step: FlowRunStep, all: ReadonlyMap<string, Iteration>): readonly Iteration[] {
  return placesOf(step).flatMap(({ key }) => all.get(key) ?? [])
}

/** Identifies an execution of a step in the iterations around it. */
export const placeOf = ({ path, iteration }: FlowRunStep) => `${path}#${iteration.join('.')}`

/**
 * The loops around a step, outermost first. A step is a loop if its own children (not those of its cases) are in
 * `steps`, or if it runs for each item of a list.
 */
function placesOf({ path, iteration }: FlowRunStep) {
  const parts = path.split('.')
  const loopPaths = parts.flatMap((part, at) =>
    part === EACH || (part === 'steps' && parts[at - 2] !== 'cases') ? [parts.slice(0, at).join('.')] : [],
  )
  return loopPaths.flatMap((loopPath, level) => {
    const index = iteration[level]
    if (index === undefined) return []
    const around = iteration.slice(0, level)
    return [{ key: `${loopPath}#${[...around, index].join('.')}`, loopPath, around, index }]
  })
}

/**
 * The iterations of loops and the branches that contain a step, each with the place of the loop or of the step with
 * cases.
 */
export function aroundOf(
  step: FlowRunStep,
): readonly { readonly key: string; readonly member: string; readonly isBranch: boolean }[] {
  const loops = placesOf(step)
  const parts = step.path.split('.')
  const branches = parts.flatMap((part, at) => {
    if (part !== 'cases') return []
    const path = parts.slice(0, at).join('.')
    const within = loops.filter(({ loopPath }) => path.startsWith(`${loopPath}.`)).length
    const key = placeOf({ ...step, path, iteration: step.iteration.slice(0, within) })
    return [{ key, member: parts[at + 1] ?? '', isBranch: true }]
  })
  return [
    ...loops.map(({ loopPath, around, index }) => ({
      key: `${loopPath}#${around.join('.')}`,
      member: `${index}`,
      isBranch: false,
    })),
    ...branches,
  ]
}

/** Number of steps that contain it. */
function depthOf(path: string): number {
  return (path.match(/\.\d/g) ?? []).length
}

function labelOf(loop: FlowRunStep | undefined, index: number): string {
  const items = loop?.input
  if (!Array.isArray(items) || loop?.truncated === true) return ''
  return tellingValues<unknown>(items[index], objectEntries).slice(0, LABEL_PARTS).join(' · ')
}

function objectEntries(value: unknown): [string, unknown][] | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null
}
