import { type Said, say } from '../../data/said.ts'
import { Fault } from './faults.ts'
import { EMPTY_REGISTRY, type Registry } from './registry.ts'
import { sources } from './sources.ts'
import type { StatementOf } from './tree.ts'
import type { Value } from './value.ts'

/** The limits of a render. Each is always enforced, and an error names the one that was reached. */
export interface TemplateLimits {
  /** Units of work. Built-ins charge for their work in advance. */
  readonly steps: number
  /** CPU time of this thread, so that a busy machine makes no difference. */
  readonly milliseconds: number
  readonly outputBytes: number
  readonly valueBytes: number
  readonly integerBits: number
  readonly rangeItems: number
  /** Nested brackets and blocks, and nested data. */
  readonly nesting: number
  /** Nested calls of macros and recursive loops. */
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

/** The limits of renders that don't set their own. */
export let usualLimits: TemplateLimits = { ...DEFAULT_LIMITS }

/** The time limit in milliseconds. */
export const timeLimit = (): number => usualLimits.milliseconds

/** Sets the time limit of all later renders in this process, which serves nothing else while one runs. */
export function setTimeLimit(milliseconds: number): void {
  usualLimits = { ...DEFAULT_LIMITS, milliseconds }
}

/** Steps between two checks of the clock. */
const SLICE = 4096

/** The number of characters that count as one step. */
const TEXT_PER_STEP = 32

/** The remaining limits of one render, and its current position in the template. */
export class Evaluation {
  /** Index of the source mark being evaluated; the position of an error. */
  at = 0
  /** Steps until the next check of the clock. */
  budget = SLICE
  spent = 0
  startedAt = -1
  recursion = 0
  output = 0
  /** Whether output is currently escaped (`{% autoescape true %}`). */
  escaping = false
  /**
   * Values already created from data of the context, so that a list keeps its identity; null if no operation could
   * detect the difference.
   */
  converted: Map<object, Value> | null = null
  keepsIdentity = true
  /** Whether the context contains only `Data`, parts of which can be returned as they are. */
  sharesData = false
  /** Whether the template has copied a part of the context in order to change it. */
  hasChanged = false
  /** The time that the render uses as now, in milliseconds; null until it is read. */
  moment: number | null = null
  /** Receives each printed value, and can decide how it is written. */
  observer: PrintObserver | null = null
  readonly limits: TemplateLimits
  readonly environment: RenderEnvironment

  constructor(limits: TemplateLimits, environment: RenderEnvironment) {
    this.limits = limits
    this.environment = environment
  }
}

/** The environment of a render besides its context. */
export interface RenderEnvironment {
  readonly now: () => Date
  readonly uuid: () => string
  /**
   * Names below which a path can be missing completely (`previous_request`). If set, any other missing name or path is
   * an error as soon as it is read.
   */
  readonly undefinedBelow: ReadonlySet<string> | null
  readonly registry: Registry
}

export interface PrintObserver {
  /**
   * The string to write for a printed value.
   *
   * @param before the output before it; null inside a macro or a block
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
 * The current render. Evaluation is synchronous, so there is only one at a time. Passing it through every operation on
 * values would cost more than the operations themselves.
 */
export let current = new Evaluation(DEFAULT_LIMITS, {
  now: () => sources().now(),
  uuid: () => sources().uuid(),
  undefinedBelow: null,
  registry: EMPTY_REGISTRY,
})

/** Runs `work` as its own evaluation, then restores the surrounding one. */
export function evaluate<T>(evaluation: Evaluation, work: () => T): T {
  const around = current
  current = evaluation
  try {
    return work()
  } finally {
    current = around
  }
}

/** Charges `steps` before the work is done. */
export function spend(steps: number): void {
  current.budget -= steps
  if (current.budget < 0) refill()
}

/** Charges for reading or creating `length` characters. */
export function spendText(length: number): void {
  if (length > TEXT_PER_STEP) spend(length / TEXT_PER_STEP)
}

/** Rejects a string before it is created. */
export function checkTextSize(length: number): void {
  if (length > current.limits.valueBytes) throw limitFault('valueBytes')
  spendText(length)
}

/** The size that a list item is counted as. */
const BYTES_PER_ITEM = 16

/** The maximum number of items in one list. */
export function maxItems(): number {
  return Math.floor(current.limits.valueBytes / BYTES_PER_ITEM)
}

/** Rejects a list before it is created. */
export function checkListSize(length: number): void {
  if (length * BYTES_PER_ITEM > current.limits.valueBytes) throw limitFault('valueBytes')
  spend(length)
}

/** Counts the characters written to the output. */
export function chargeOutput(length: number): void {
  current.output += length
  if (current.output > current.limits.outputBytes) {
    throw limitFault('outputBytes')
  }
  spendText(length)
}

/** Enters a macro or recursive loop; must be followed by `leave`. */
export function enterRecursion(): void {
  if (++current.recursion > current.limits.recursion) {
    current.recursion--
    throw limitFault('recursion')
  }
  spend(10)
}

export function leaveRecursion(): void {
  current.recursion--
}

/**
 * Waits for work on another thread. The time that it takes there counts like this thread's own.
 *
 * @param work gets the remaining milliseconds, and returns those it took; null if they weren't enough
 */
export function spendElsewhere<T>(
  work: (leftMs: number) => { readonly value: T; readonly tookMs: number } | null,
): T {
  if (current.startedAt < 0) current.startedAt = workedMs()
  const { milliseconds } = current.limits
  const left = milliseconds - (workedMs() - current.startedAt)
  const done = left > 0 ? work(left) : null
  if (done === null) throw limitFault('milliseconds')
  current.startedAt -= done.tookMs
  return done.value
}

export function limitFault(limit: keyof TemplateLimits): Fault {
  const rule = RULES[limit](current.limits[limit].toLocaleString('en-US'))
  return new Fault('limit', say`The template reached its limit "${limit}": ${rule}`)
}

const RULES: { readonly [L in keyof TemplateLimits]: (value: string) => Said } = {
  steps: (value) => say`rendering may take at most ${value} steps`,
  milliseconds: (value) => say`rendering may take at most ${value} milliseconds`,
  outputBytes: (value) => say`the output may have at most ${value} bytes`,
  valueBytes: (value) => say`one value may have at most ${value} bytes`,
  integerBits: (value) => say`an integer may have at most ${value} bits`,
  rangeItems: (value) => say`a range may have at most ${value} items`,
  nesting: (value) => say`data may be nested at most ${value} levels deep`,
  recursion: (value) => say`macros and recursive loops may be nested at most ${value} levels deep`,
  sourceBytes: (value) => say`a template may have at most ${value} bytes`,
}

/** The CPU time of this thread, in milliseconds. */
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
  if (current.spent > limits.steps) throw limitFault('steps')
  if (now - current.startedAt > limits.milliseconds) {
    throw limitFault('milliseconds')
  }
}

/** A new UUID, from the random source of the caller. */
export function randomUuid(): string {
  return current.environment.uuid()
}
