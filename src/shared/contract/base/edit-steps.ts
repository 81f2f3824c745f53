/** Small edits of a flow's steps, which can be incomplete. */
import { AppError } from './errors.ts'
import { say } from './message.ts'
import { CHILD_LISTS } from './step-lists.ts'
import type { StepEdit } from './step-edits.ts'

/** @throws AppError `validation` if a step or place doesn't exist */
export function editSteps(steps: readonly unknown[], edits: readonly StepEdit[]): unknown[] {
  return edits.reduce<unknown[]>((current, edit) => editOnce(current, edit), [...steps])
}

function editOnce(steps: unknown[], edit: StepEdit): unknown[] {
  if (edit.op === 'delete') return changeStep(steps, edit.ref_id, () => [])
  if (edit.op !== 'insert') {
    const keys = edit.path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const value = edit.op === 'set' ? edit.value : undefined
    return changeStep(steps, edit.ref_id, (step) => [setAt(step, keys, value, edit)])
  }
  const { step: added, before, after, into, list } = edit
  if (before !== undefined) return changeStep(steps, before, (step) => [added, step])
  if (after !== undefined) return changeStep(steps, after, (step) => [step, added])
  if (into === undefined) return [...steps, added]
  return changeStep(steps, into, (step) => [{ ...step, [list]: [...listAt(step, list), added] }])
}

export const pointerOf = (keys: readonly string[]) =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export type Raw = Readonly<Record<string, unknown>>

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listAt = (step: Raw, key: string): readonly unknown[] => {
  const held = step[key]
  return Array.isArray(held) ? held : []
}

function changeStep(steps: readonly unknown[], ref: string, change: (step: Raw) => unknown[]): unknown[] {
  let found = 0
  const inList = (list: readonly unknown[]): unknown[] =>
    list.flatMap((one) => {
      if (!isRaw(one)) return [one]
      if (one['ref_id'] !== ref) return [inLists(one)]
      found++
      return change(one)
    })
  const inLists = (step: Raw): Raw => {
    const entries = Object.entries(step).map(([key, value]): [string, unknown] => {
      if (!Array.isArray(value)) return [key, value]
      if (LISTS.has(key)) return [key, inList(value)]
      return [key, key === 'cases' ? value.map((one) => (isRaw(one) ? inLists(one) : one)) : value]
    })
    return Object.fromEntries(entries)
  }
  const changed = inList(steps)
  if (found === 1) return changed
  throw new AppError(
    'validation',
    found === 0
      ? say('There is no step "{{name}}"; read the flow again', { name: ref })
      : say('{{count}} steps have the name "{{name}}"; read the flow again', { count: found, name: ref }),
  )
}

const LISTS: ReadonlySet<string> = new Set(CHILD_LISTS)

function setAt(held: unknown, [key, ...rest]: readonly string[], value: unknown, edit: StepEdit): unknown {
  if (key === undefined) return value
  if (Array.isArray(held)) {
    const items: readonly unknown[] = held
    const at = key === '-' ? items.length : Number(/^\d{1,6}$/.test(key) ? key : NaN)
    if (!(at <= items.length)) throw noPlace(key, edit)
    const item = setAt(items[at], rest, value, edit)
    return [...items.slice(0, at), ...(item === undefined ? [] : [item]), ...items.slice(at + 1)]
  }
  if (!isPlace(held, edit) || key === '__proto__') throw noPlace(key, edit)
  const { [key]: former, ...others } = held ?? {}
  const next = setAt(held !== undefined && Object.hasOwn(held, key) ? former : undefined, rest, value, edit)
  if (next === undefined) return others
  return held !== undefined && Object.hasOwn(held, key)
    ? { ...held, [key]: next }
    : { ...others, [key]: next }
}

/** Whether the path of an edit can go through this value. Missing objects on the way to a new value are created. */
const isPlace = (held: unknown, { op }: StepEdit): held is Raw | undefined =>
  held === undefined ? op === 'set' : isRaw(held)

function noPlace(key: string, edit: StepEdit): AppError {
  const where = 'path' in edit ? `${edit.ref_id}${edit.path}` : ''
  return new AppError('validation', say('There is no place "{{key}}" in {{where}}', { key, where }))
}
