import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'

export type Filter = Operation

/** Defines a filter; the value it is applied to is not part of the signature. */
export const filter: (names: string, signature: string, help: string, run: Filter['run']) => Filter =
  operation
