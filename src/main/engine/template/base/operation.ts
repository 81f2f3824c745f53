import type { Value } from './value.ts'

/** What a filter, test, method or global is called with, in Jinja's own notation: `length=255, end='...'`. */
export interface Signature {
  /** As documented: shown in completion and in errors. */
  readonly text: string
  readonly parameters: readonly Parameter[]
  /** Parameters before `/` cannot be named. */
  readonly positionalOnly: number
  /** `*args`: any number of further values. */
  readonly takesRest: boolean
  /** `**kwargs`: any further names. */
  readonly takesNames: boolean
}

export interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly fallback: Value
}

/** Values in the order of the parameters; absent ones have their default. No built-in has more than seven. */
export type Args = readonly [Value, Value, Value, Value, Value, Value, Value]

/** As many as the signature has. No operation reads beyond it, so the type can promise all seven. */
export const asArgs = (values: readonly Value[]): Args => values as unknown as Args

/** What was given beyond the parameters. */
export interface Extra {
  readonly rest: readonly Value[]
  readonly names: ReadonlyMap<string, Value>
}

/**
 * One entry of the tables: a filter, a test, a method or a global, with what completion and the reference say about it
 * beside the code that does it.
 */
export interface Operation<Subject = Value, Result = Value> {
  readonly name: string
  /** Other names of the same. */
  readonly aliases: readonly string[]
  readonly signature: Signature
  /** One line. */
  readonly help: string
  readonly run: (subject: Subject, args: Args, extra: Extra) => Result
}

export type OperationTable<Subject = Value, Result = Value> = ReadonlyMap<string, Operation<Subject, Result>>
