import type { Said } from '../../data/said.ts'
import { current } from './limits.ts'
import type { Operation } from './operation.ts'

/** Filters that the host adds to those of every template, and can remove again. */
export interface FilterSource {
  find(name: string): Operation | undefined
  /** Advice for a name that isn't found; null if there is none. */
  hintOf(name: string): Said | null
  all(): readonly Operation[]
}

const NONE: FilterSource = { find: () => undefined, hintOf: () => null, all: () => [] }

export let hostFilters: FilterSource = NONE

export function useFilterSource(source: FilterSource | null): void {
  hostFilters = source ?? NONE
}

export function findFilter(name: string): Operation | undefined {
  return current.environment.registry.filters.get(name) ?? hostFilters.find(name)
}
