import type { Said } from '../../data/said.ts'
import { Fault } from './faults.ts'
import { Thing, type Value } from './value.ts'

/**
 * A missing name, attribute or item. It prints nothing, is false, iterates as empty, and in any other use fails with a
 * message that says what is missing.
 */
export class Undefined extends Thing {
  readonly typeName = 'Undefined'
  /** Creates the error's message when it is needed. */
  private readonly explain: () => Said
  private readonly advise: (() => Said | null) | null
  /** Whether a path below it is undefined again, as for values that a previous response lacks. */
  readonly chains: boolean

  constructor(explain: () => Said, advise: (() => Said | null) | null = null, chains = false) {
    super()
    this.explain = explain
    this.advise = advise
    this.chains = chains
  }

  /** The error for using it. */
  fault(): Fault {
    return new Fault('undefined', this.explain(), this.advise === null ? null : this.advise())
  }

  override repr(): string {
    return 'Undefined'
  }
}

/** An undefined whose message is already known. */
export const undefinedBecause = (sentence: Said) => new Undefined(() => sentence)

/** Fails if a value that is used is undefined. */
export function assertDefined(...values: readonly Value[]): void {
  for (const value of values) if (value instanceof Undefined) throw value.fault()
}
