import type { OperationTable } from './operation.ts'
import type { Value } from './value.ts'

/** The filters, tests and globals of a template by name. */
export interface Registry {
  readonly filters: OperationTable
  readonly tests: OperationTable<Value, boolean>
  /** Values, or data of the host that is converted when it is read. */
  readonly globals: ReadonlyMap<string, unknown>
}

/** The state before anything is registered. */
export const EMPTY_REGISTRY: Registry = { filters: new Map(), tests: new Map(), globals: new Map() }
