/** A flow's steps as an immutable tree: every function returns a new tree. */
import { trimEnd } from '../../../../shared/trim.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { CHILD_LISTS, type ListName, mapLists } from '../../../../shared/contract/base/step-lists.ts'
import { english, type English, t } from '../../../lib/i18n.ts'

/**
 * The path of a step: `[1]`, `[1, 'then', 0]`, `[2, 'cases', 0, 'steps', 3]`. Its last part is the position in its
 * list; everything before that is the list.
 */
export type StepPath = readonly (string | number)[]
export type ListPath = StepPath

export interface PlacedStep {
  readonly step: Step
  readonly path: StepPath
  readonly depth: number
}

/** A child list of a step, with its heading in the editor. */
export interface ChildList {
  readonly path: ListPath
  readonly words: string
  readonly steps: readonly Step[]
}

const WORDS: Readonly<Record<ListName, English>> = {
  then: english('then'),
  else: english('else'),
  steps: english('each iteration'),
  try: english('try'),
  catch: english('catch'),
  finally: english('finally'),
  default: english('otherwise'),
}

export function childLists(
  step: Step,
  path: StepPath,
  expected: readonly string[] = [],
): readonly ChildList[] {
  const own = CHILD_LISTS.filter((name) => step[name] !== undefined || expected.includes(name))
  return [
    ...(step.cases ?? []).map((one, index) => ({
      path: [...path, 'cases', index, 'steps'],
      words: one.label === '' ? t('case {{number}}', { number: index + 1 }) : `“${one.label}”`,
      steps: one.steps,
    })),
    ...own.map((name) => ({ path: [...path, name], words: t(WORDS[name]), steps: step[name] ?? [] })),
  ]
}

const WALKED = new WeakMap<readonly Step[], readonly PlacedStep[]>()

/** Every step in reading order, parents before children. Many parts of the editor ask for it after each key press. */
export function walkSteps(steps: readonly Step[]): readonly PlacedStep[] {
  const known = WALKED.get(steps)
  if (known !== undefined) return known
  const walked = walk(steps, [], 0)
  WALKED.set(steps, walked)
  return walked
}

function walk(steps: readonly Step[], list: ListPath, depth: number): readonly PlacedStep[] {
  return steps.flatMap((step, index) => {
    const path = [...list, index]
    const below = childLists(step, path).flatMap((child) => walk(child.steps, child.path, depth + 1))
    return [{ step, path, depth }, ...below]
  })
}

export function findStep(steps: readonly Step[], refId: string): PlacedStep | undefined {
  return walkSteps(steps).find(({ step }) => step.ref_id === refId)
}

/** The steps whose results a step can read: those before it, and before each step around it. */
export function stepsBefore(steps: readonly Step[], path: StepPath): readonly Step[] {
  const before: Step[] = []
  for (let end = 1; end <= path.length; end += 1) {
    const at = path[end - 1]
    if (typeof at !== 'number' || path[end - 2] === 'cases') continue
    const siblings = listAt(steps, path.slice(0, end - 1)).slice(0, at)
    before.push(...walk(siblings, [], 0).map(({ step }) => step))
    const parent = listAt(steps, path.slice(0, end - 1))[at]
    if (end < path.length && parent !== undefined) before.push(parent)
  }
  return before
}

/** The lists that a step of its type has, empty ones included. */
type ListsOf = (step: Step) => readonly string[]

function stepAt(steps: readonly Step[], path: StepPath): Step | undefined {
  return listAt(steps, path.slice(0, -1))[path.at(-1) as number]
}

function listAt(steps: readonly Step[], list: ListPath): readonly Step[] {
  let at: unknown = steps
  for (const part of list) at = (at as Record<string | number, unknown> | undefined)?.[part]
  return (at as readonly Step[] | undefined) ?? []
}

export function updateStep(steps: readonly Step[], path: StepPath, change: (step: Step) => Step): Step[] {
  return updateList(steps, path.slice(0, -1), (list) =>
    list.map((step, index) => (index === path.at(-1) ? change(step) : step)),
  )
}

export function removeStep(steps: readonly Step[], path: StepPath): Step[] {
  return updateList(steps, path.slice(0, -1), (list) => list.filter((_step, index) => index !== path.at(-1)))
}

export function insertStep(steps: readonly Step[], list: ListPath, index: number, step: Step): Step[] {
  return updateList(steps, list, (before) => before.toSpliced(index, 0, step))
}

/**
 * Moves a step one place up or down. At the end of its list a step moves into the next list of the step around it, and
 * from the last of them out, before or after that step; null if it can't move.
 */
export function moveStep(
  steps: readonly Step[],
  path: StepPath,
  by: 1 | -1,
  listsOf: ListsOf = () => [],
): Step[] | null {
  const list = path.slice(0, -1)
  const index = path.at(-1) as number
  const siblings = listAt(steps, list)
  const step = siblings[index]
  if (step === undefined) return null
  if (siblings[index + by] !== undefined)
    return updateList(steps, list, (before) => before.toSpliced(index, 1).toSpliced(index + by, 0, step))
  const parentPath = parentOf(path)
  const parent = parentPath === null ? undefined : stepAt(steps, parentPath)
  if (parentPath === null || parent === undefined) return null
  const lists = childLists(parent, parentPath, listsOf(parent))
  const next = lists[lists.findIndex((one) => one.path.join() === list.join()) + by]
  const without = removeStep(steps, path)
  if (next !== undefined) return insertStep(without, next.path, by === 1 ? 0 : next.steps.length, step)
  const place = (parentPath.at(-1) as number) + (by === 1 ? 1 : 0)
  return insertStep(without, parentPath.slice(0, -1), place, step)
}

/** Moves a step to a position in another list, or in its own; null if it would end up inside itself. */
export function placeStep(
  steps: readonly Step[],
  path: StepPath,
  list: ListPath,
  index: number,
): Step[] | null {
  const step = listAt(steps, path.slice(0, -1))[path.at(-1) as number]
  const isInside = path.every((part, at) => list[at] === part)
  if (step === undefined || isInside) return null
  // Inserted first, then removed, because removing it first would shift the target position.
  const placed = insertStep(steps, list, index, { ...step })
  return withoutSteps(placed, new Set([step]))
}

/** Moves several steps at once, in their order; null if one of them would end up inside itself. */
export function placeSteps(
  steps: readonly Step[],
  moved: readonly PlacedStep[],
  list: ListPath,
  index: number,
): Step[] | null {
  if (moved.some(({ path }) => path.every((part, at) => list[at] === part))) return null
  const placed = moved.reduce<readonly Step[]>(
    (next, { step }, at) => insertStep(next, list, index + at, { ...step }),
    steps,
  )
  return withoutSteps(placed, new Set(moved.map(({ step }) => step)))
}

/** The steps with these names, except those inside another one of them. */
export function outermost(steps: readonly Step[], refIds: ReadonlySet<string>): readonly PlacedStep[] {
  const chosen = walkSteps(steps).filter(({ step }) => refIds.has(step.ref_id))
  return chosen.filter(
    ({ path }) =>
      !chosen.some(
        (other) => other.path.length < path.length && other.path.every((part, at) => path[at] === part),
      ),
  )
}

export function withoutSteps(steps: readonly Step[], gone: ReadonlySet<Step>): Step[] {
  return steps
    .filter((step) => !gone.has(step))
    .map((step) => mapLists<Step, Step>(step, (children) => withoutSteps(children, gone)))
}

/**
 * Moves a step into the first child list of the step above it, from where further moves lead to the others; null if
 * that step has none.
 */
export function indentStep(steps: readonly Step[], path: StepPath, listsOf: ListsOf): Step[] | null {
  const index = path.at(-1) as number
  const above = [...path.slice(0, -1), index - 1]
  const step = stepAt(steps, path)
  const container = stepAt(steps, above)
  if (step === undefined || container === undefined) return null
  const target = childLists(container, above, listsOf(container))[0]
  if (target === undefined) return null
  return insertStep(removeStep(steps, path), target.path, target.steps.length, step)
}

/** Moves a step out of its list, after the step around it. */
export function outdentStep(steps: readonly Step[], path: StepPath): Step[] | null {
  const parent = parentOf(path)
  const step = listAt(steps, path.slice(0, -1))[path.at(-1) as number]
  if (parent === null || step === undefined) return null
  return insertStep(removeStep(steps, path), parent.slice(0, -1), (parent.at(-1) as number) + 1, step)
}

/** An unused `ref_id`: `rest`, `rest2`, `rest3` …; `loop1`, `loop2` … if templates use the name themselves. */
export function freeRefId(steps: readonly Step[], wanted: string, reserved: readonly string[] = []): string {
  const taken = new Set([...walkSteps(steps).map(({ step }) => step.ref_id), ...reserved])
  const base = trimEnd(wanted, '0123456789')
  for (let number = 1; ; number += 1) {
    const name = number === 1 && !reserved.includes(base) ? base : `${base}${number}`
    if (!taken.has(name)) return name
  }
}

/** `steps[1].then[0]`, the prefix by which the server's messages name a step. */
export function toFieldPath(path: StepPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${part}`),
    'steps',
  )
}

/** `2.then.1`, as runs name a step's place; positions count from 1. */
export function toPosition(path: StepPath): string {
  return path.map((part) => (typeof part === 'number' ? part + 1 : part)).join('.')
}

function parentOf(path: StepPath): StepPath | null {
  if (path.length === 1) return null
  // `[…, 'cases', 0, 'steps', 3]` is three parts below its step, `[…, 'then', 3]` one.
  return path.slice(0, path.at(-4) === 'cases' ? -4 : -2)
}

function updateList(
  steps: readonly Step[],
  list: ListPath,
  change: (list: readonly Step[]) => Step[],
): Step[] {
  const [index, name, ...rest] = list
  if (typeof index !== 'number') return change(steps)
  return steps.map((step, at) => {
    if (at !== index) return step
    if (name !== 'cases') {
      const key = name as ListName
      return { ...step, [key]: updateList(step[key] ?? [], rest, change) }
    }
    const [which, , ...below] = rest
    return {
      ...step,
      cases: (step.cases ?? []).map((one, number) =>
        number === which ? { ...one, steps: updateList(one.steps, below, change) } : one,
      ),
    }
  })
}
