import type { Value } from './value.ts'

/** The parameters of a filter, test, method or global, in Jinja's own notation: `length=255, end='...'`. */
export interface Signature {
  /** The signature as documented, for completion and errors. */
  readonly text: string
  readonly parameters: readonly Parameter[]
  /** The number of parameters before `/`, which can't be named. */
  readonly positionalOnly: number
  /** Whether it has `*args`, which take any number of additional values. */
  readonly takesRest: boolean
  /** Whether it has `**kwargs`, which take any additional names. */
  readonly takesNames: boolean
}

export interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly fallback: Value
}

/** Values in the order of the parameters. Missing ones have their default. No built-in has more than seven. */
export type Args = readonly [Value, Value, Value, Value, Value, Value, Value]

/**
 * Expects one value for each parameter of the signature. The type promises seven, which is safe because no operation
 * reads a value without a parameter.
 */
export const asArgs = (values: readonly Value[]): Args => values as unknown as Args

/** Arguments beyond the parameters. */
export interface Extra {
  readonly rest: readonly Value[]
  readonly names: ReadonlyMap<string, Value>
}

/** A filter, test, method or global, with the code next to the documentation for completion and the reference. */
export interface Operation<Subject = Value, Result = Value> {
  readonly name: string
  /** Alternative names. */
  readonly aliases: readonly string[]
  readonly signature: Signature
  /** One line of documentation. */
  readonly help: string
  readonly run: (subject: Subject, args: Args, extra: Extra) => Result
}

export type OperationTable<Subject = Value, Result = Value> = ReadonlyMap<string, Operation<Subject, Result>>
