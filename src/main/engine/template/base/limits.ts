import { randomUUID } from 'node:crypto'
import { Fault } from './faults.ts'
import { EMPTY_REGISTRY, type Registry } from './registry.ts'
import type { StatementOf } from './tree.ts'
import type { Value } from './value.ts'

/** The wall around a render: each is always on, and an error names the one that was reached. */
export interface TemplateLimits {
  /** Units of work; a built-in charges in proportion to its work before it allocates. */
  readonly steps: number
  /** Of work of this thread, so that a busy machine does not count. */
  readonly milliseconds: number
  readonly outputBytes: number
  readonly valueBytes: number
  readonly integerBits: number
  readonly rangeItems: number
  /** Brackets and blocks inside each other, and data inside data. */
  readonly nesting: number
  /** Macros and recursive loops inside each other. */
  readonly recursion: number
  readonly sourceBytes: number
}

export const DEFAULT_LIMITS: TemplateLimits = {
  steps: 3_000_000,
  milliseconds: 200,
  outputBytes: 10_000_000,
  valueBytes: 10_000_000,
  integerBits: 100_000,
  rangeItems: 100_000,
  nesting: 200,
  recursion: 150,
  sourceBytes: 65_536,
}

/** The limits of every render that brings none of its own. */
export let usualLimits: TemplateLimits = { ...DEFAULT_LIMITS }

/** In milliseconds. */
export const timeLimit = (): number => usualLimits.milliseconds

/** How long a render may work, from now on and in the whole process: while one does, nobody else is served. */
export function setTimeLimit(milliseconds: number): void {
  usualLimits = { ...DEFAULT_LIMITS, milliseconds }
}

/** Steps between two looks at the clock. */
const SLICE = 4096

/** Characters of text that cost one step. */
const TEXT_PER_STEP = 32

/** What one render may still use, and where in the template it stands. */
export class Evaluation {
  /** Index of the source mark that is being evaluated; the position of an error. */
  at = 0
  /** Steps left until the clock is looked at again. */
  budget = SLICE
  spent = 0
  startedAt = -1
  recursion = 0
  output = 0
  /** Whether text is being escaped at this moment (`{% autoescape true %}`). */
  escaping = false
  /** Values already made from data of the context, so that one list stays one list; null if nothing could tell the difference. */
  converted: Map<object, Value> | null = null
  keepsIdentity = true
  /** Whether the context holds nothing but `Data`, parts of which may be handed out as they are. */
  sharesData = false
  /** Whether the template has made a part of the context its own to change it. */
  hasChanged = false
  /** The moment the render reads as now, in milliseconds; null until it is asked for. */
  moment: number | null = null
  /** Sees each printed value and may say how it is written. */
  observer: PrintObserver | null = null
  readonly limits: TemplateLimits
  readonly environment: RenderEnvironment

  constructor(limits: TemplateLimits, environment: RenderEnvironment) {
    this.limits = limits
    this.environment = environment
  }
}

/** What a render takes from outside besides its context. */
export interface RenderEnvironment {
  readonly now: () => Date
  readonly uuid: () => string
  /**
   * Names below which a path may be missing altogether (`previous_request`). Where it is given, any other missing name
   * or path is an error as soon as it is read.
   */
  readonly undefinedBelow: ReadonlySet<string> | null
  readonly registry: Registry
}

export interface PrintObserver {
  /**
   * The text to write for a printed value.
   *
   * @param before what stands before it in the output; null inside the text of a macro or a block
   * @param write how it would be written without an observer
   */
  print(
    value: Value,
    statement: StatementOf<'print'>,
    before: string | null,
    write: (value: Value) => string,
  ): string
}

/**
 * The render that is going on. Evaluation is synchronous, so there is one at a time; passing it through every operation
 * on values would cost more than the operations themselves.
 */
export let current = new Evaluation(DEFAULT_LIMITS, {
  now: () => new Date(),
  uuid: randomUUID,
  undefinedBelow: null,
  registry: EMPTY_REGISTRY,
})

/** Runs `work` as its own evaluation and restores the one around it. */
export function evaluate<T>(evaluation: Evaluation, work: () => T): T {
  const around = current
  current = evaluation
  try {
    return work()
  } finally {
    current = around
  }
}

/** Charges `steps` before the work they stand for. */
export function spend(steps: number): void {
  current.budget -= steps
  if (current.budget < 0) refill()
}

/** Charges for reading or making `length` characters. */
export function spendText(length: number): void {
  if (length > TEXT_PER_STEP) spend(length / TEXT_PER_STEP)
}

/** Refuses a text before it is made. */
export function checkTextSize(length: number): void {
  if (length > current.limits.valueBytes) throw limitFault('valueBytes', 'one value may be %s bytes')
  spendText(length)
}

/** What an entry of a list counts. */
const BYTES_PER_ITEM = 16

/** How many entries one list may have. */
export function maxItems(): number {
  return Math.floor(current.limits.valueBytes / BYTES_PER_ITEM)
}

/** Refuses a list before it is made. */
export function checkListSize(length: number): void {
  if (length * BYTES_PER_ITEM > current.limits.valueBytes)
    throw limitFault('valueBytes', 'one value may be %s bytes')
  spend(length)
}

/** Counts what is written to the output. */
export function chargeOutput(length: number): void {
  current.output += length
  if (current.output > current.limits.outputBytes) {
    throw limitFault('outputBytes', 'the output may be %s bytes')
  }
  spendText(length)
}

/** One macro or recursive loop deeper; `leave` is owed. */
export function enterRecursion(): void {
  if (++current.recursion > current.limits.recursion) {
    current.recursion--
    throw limitFault('recursion', 'macros and recursive loops may be %s deep')
  }
  spend(10)
}

export function leaveRecursion(): void {
  current.recursion--
}

export function limitFault(limit: keyof TemplateLimits, sentence: string): Fault {
  const value = current.limits[limit].toLocaleString('en-US')
  return new Fault('limit', `The template reached its limit "${limit}": ${sentence.replace('%s', value)}`)
}

/** What this thread has worked, in milliseconds. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function refill(): void {
  const { limits } = current
  const now = workedMs()
  current.spent += SLICE - current.budget
  current.budget = SLICE
  if (current.startedAt < 0) current.startedAt = now
  if (current.spent > limits.steps) throw limitFault('steps', 'a render may take %s steps')
  if (now - current.startedAt > limits.milliseconds) {
    throw limitFault('milliseconds', 'a render may take %s milliseconds')
  }
}

/** A new UUID, from the source the caller gave. */
export function randomUuid(): string {
  return current.environment.uuid()
}
