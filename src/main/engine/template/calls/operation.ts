import type { Value } from '../values/value.ts'
import { type Args, type Extra, parseSignature, type Signature } from './signature.ts'

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

/** Defines an operation; names after the first, separated by spaces, are aliases. */
export function operation<Subject, Result>(
  names: string,
  signature: string,
  help: string,
  run: (subject: Subject, args: Args, extra: Extra) => Result,
): Operation<Subject, Result> {
  const [name = '', ...aliases] = names.split(' ')
  return { name, aliases, signature: parseSignature(signature), help, run }
}

export type OperationTable<Subject = Value, Result = Value> = ReadonlyMap<string, Operation<Subject, Result>>

/** Operations by all their names. */
export function tableOf<Subject, Result>(
  ...lists: readonly (readonly Operation<Subject, Result>[])[]
): OperationTable<Subject, Result> {
  const table = new Map<string, Operation<Subject, Result>>()
  for (const operation of lists.flat()) {
    for (const name of [operation.name, ...operation.aliases]) table.set(name, operation)
  }
  return table
}
