import { FILTERS } from '../filters/filters.ts'
import { GLOBALS } from '../globals/globals.ts'
import type { Registry } from '../base/registry.ts'
import { TESTS } from '../predicates/predicates.ts'

/** The filters, tests and globals that every template can use. */
export const BUILT_IN: Registry = { filters: FILTERS, tests: TESTS, globals: GLOBALS }
