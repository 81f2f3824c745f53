import { tableOf } from '../calls/operation.ts'
import type { Value } from '../base/value.ts'
import { CRYPTO_FILTERS } from './crypto.ts'
import { DATA_FILTERS } from './data.ts'
import { DATE_FILTERS } from './date.ts'
import { HTML_FILTERS } from './html.ts'
import { JSON_FILTERS } from './json.ts'
import { LIST_FILTERS } from './list.ts'
import { NUMBER_FILTERS } from './number.ts'
import { REGEX_FILTERS } from './regex.ts'
import { TEXT_FILTERS } from './text.ts'

/** All filters by all their names: Jinja's, then Millrace's own. */
export const FILTERS = tableOf<Value, Value>(
  TEXT_FILTERS,
  LIST_FILTERS,
  NUMBER_FILTERS,
  HTML_FILTERS,
  JSON_FILTERS,
  DATA_FILTERS,
  DATE_FILTERS,
  REGEX_FILTERS,
  CRYPTO_FILTERS,
)
