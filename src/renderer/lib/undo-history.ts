/** Past, present and future: a value with its undo history. */
export interface History<T> {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
  /** Consecutive changes with the same mark are one undo step, such as a typed word rather than each of its letters. */
  readonly mark: string | null
}

const DEPTH = 200

export function startHistory<T>(present: T): History<T> {
  return { past: [], present, future: [], mark: null }
}

export function pushHistory<T>(history: History<T>, present: T, mark: string | null = null): History<T> {
  if (present === history.present) return history
  const joins = mark !== null && mark === history.mark
  const past = joins ? history.past : [...history.past, history.present].slice(-DEPTH)
  return { past, present, future: [], mark }
}

export function undo<T>({ past, present, future }: History<T>): History<T> {
  const before = past.at(-1)
  if (before === undefined) return { past, present, future, mark: null }
  return { past: past.slice(0, -1), present: before, future: [present, ...future], mark: null }
}

export function redo<T>({ past, present, future }: History<T>): History<T> {
  const [next, ...rest] = future
  if (next === undefined) return { past, present, future, mark: null }
  return { past: [...past, present], present: next, future: rest, mark: null }
}
