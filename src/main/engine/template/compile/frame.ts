import type { Value } from '../base/value.ts'
import type { Root } from './root.ts'

/** One run of a function of the template: its variables and what it has written so far. */
export class Frame {
  /** Variables by slot; an absent value is a name that means nothing yet. */
  readonly slots: (Value | undefined)[]
  readonly outer: Frame | null
  readonly root: Root
  out = ''
  /** What the body of a filter block wrote, for its filters. */
  collected: Value = ''
  /** Whether `out` is the output itself, and not a text that is being collected. */
  isOutput: boolean

  constructor(slots: number, outer: Frame | null, root: Root, isOutput = false) {
    this.slots = slots === 0 ? NO_SLOTS : emptySlots(slots)
    this.outer = outer
    this.root = root
    this.isOutput = isOutput
  }
}

const NO_SLOTS: (Value | undefined)[] = []

/** `Array.from` takes a third of the time of a small render. */
function emptySlots(count: number): (Value | undefined)[] {
  const slots: (Value | undefined)[] = []
  for (let slot = 0; slot < count; slot++) slots.push(undefined)
  return slots
}

/** What a statement does to the loop around it. */
export const NEXT = 0
export const BREAK = 1
export const CONTINUE = 2
export type Flow = typeof NEXT | typeof BREAK | typeof CONTINUE

export type Evaluate = (frame: Frame) => Value
export type Execute = (frame: Frame) => Flow

/** The text a body writes, without writing it. */
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
