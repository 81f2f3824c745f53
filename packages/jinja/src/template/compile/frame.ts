import type { Value } from '../base/value.ts'
import type { Root } from './root.ts'

/** One run of a function of the template, with its variables and its output so far. */
export class Frame {
  /** Variables by slot; an absent value is a name that hasn't been assigned yet. */
  readonly slots: (Value | undefined)[]
  readonly outer: Frame | null
  readonly root: Root
  out = ''
  /** The output of a filter block's body, for its filters. */
  collected: Value = ''
  /** Whether `out` is the actual output rather than a string being collected. */
  isOutput: boolean

  constructor(slots: number, outer: Frame | null, root: Root, isOutput = false) {
    this.slots = slots === 0 ? NO_SLOTS : emptySlots(slots)
    this.outer = outer
    this.root = root
    this.isOutput = isOutput
  }
}

const NO_SLOTS: (Value | undefined)[] = []

/** Avoids `Array.from`, which would take a third of the time of a small render. */
function emptySlots(count: number): (Value | undefined)[] {
  const slots: (Value | undefined)[] = []
  for (let slot = 0; slot < count; slot++) slots.push(undefined)
  return slots
}

/** The effect of a statement on the surrounding loop. */
export const NEXT = 0
export const BREAK = 1
export const CONTINUE = 2
export type Flow = typeof NEXT | typeof BREAK | typeof CONTINUE

export type Evaluate = (frame: Frame) => Value
export type Execute = (frame: Frame) => Flow

/** The output of a body as a string instead of in the frame's output. */
export function collect(frame: Frame, body: Execute): string {
  const { out, isOutput } = frame
  frame.out = ''
  frame.isOutput = false
  try {
    body(frame)
    return frame.out
  } finally {
    frame.out = out
    frame.isOutput = isOutput
  }
}
