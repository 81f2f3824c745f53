import { Fault } from './faults.ts'
import { Thing, type Value } from './value.ts'

/**
 * What a missing name, attribute or item is: it prints nothing, is false, iterates empty, and fails in anything else
 * with the sentence that says what is missing.
 */
export class Undefined extends Thing {
  readonly typeName = 'Undefined'
  /** The sentence of the error, made only when it is needed. */
  private readonly explain: () => string
  private readonly advise: (() => string | null) | null
  /** Whether a path may go on below it, undefined again: what a previous response did not have. */
  readonly chains: boolean

  constructor(explain: () => string, advise: (() => string | null) | null = null, chains = false) {
    super()
    this.explain = explain
    this.advise = advise
    this.chains = chains
  }

  /** The error of using it. */
  fault(): Fault {
    return new Fault('undefined', this.explain(), this.advise === null ? null : this.advise())
  }

  override repr(): string {
    return 'Undefined'
  }
}

/** An undefined whose sentence is already known. */
export const undefinedBecause = (sentence: string) => new Undefined(() => sentence)

/** Fails where a value that is used is undefined. */
export function assertDefined(...values: readonly Value[]): void {
  for (const value of values) if (value instanceof Undefined) throw value.fault()
}
