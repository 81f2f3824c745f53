import type { Args, Extra, Operation, OperationTable } from '../base/operation.ts'
import { parseSignature } from './signature.ts'

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

export type Filter = Operation

/** Defines a filter; the value it is applied to is not part of the signature. */
export function filter(names: string, signature: string, help: string, run: Filter['run']): Filter {
  return operation(names, signature, help, run)
}
