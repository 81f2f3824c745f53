import { tableOf } from '../calls/operation.ts'
import type { Value } from '../values/value.ts'
import { HTML_FILTERS } from './html.ts'
import { JSON_FILTERS } from './json.ts'
import { LIST_FILTERS, setFiltersByName } from './list.ts'
import { NUMBER_FILTERS } from './number.ts'
import { TEXT_FILTERS } from './text.ts'
import { setFilterNames } from '../tests/tests.ts'

/** All filters by all their names. */
export const FILTERS = tableOf<Value, Value>(
  TEXT_FILTERS,
  LIST_FILTERS,
  NUMBER_FILTERS,
  HTML_FILTERS,
  JSON_FILTERS,
)

setFiltersByName(FILTERS)
setFilterNames((name) => FILTERS.has(name))
