import { type Said, spoken } from '../../../../shared/contract/base/message.ts'
import type {
  ConfigProblem as ShownProblem,
  PaginationErrorCode,
} from '../../../../shared/contract/pagination.ts'
import { positionOf } from '@millrace/jinja'

/** Something worth changing in a configuration. Only an `error` prevents saving and running it. */
export interface ConfigProblem extends Readonly<ReturnType<typeof spoken>> {
  readonly severity: ShownProblem['severity']
  readonly code:
    | PaginationErrorCode
    | 'catch_all_not_last'
    | 'body_not_sent'
    | 'page_size'
    | 'one_based_offset'
    | 'filter_hides_end'
    | 'jsonpath_plus'
  /** `query`, `query.cursor`, or `[1].query` in a list; empty for the whole configuration. */
  readonly field: string
  /** Within the field's value, from 1; columns count characters, as in template errors. */
  readonly line: number | null
  readonly column: number | null
}

/** Adds a problem with a field, as an error unless a severity is passed. */
export type Report = (
  problem: Pick<ConfigProblem, 'code'> & Partial<ConfigProblem> & { readonly said: Said },
) => void

export function reporter(field: string, problems: ConfigProblem[]): Report {
  return ({ said, ...problem }) =>
    problems.push({ severity: 'error', field, line: null, column: null, ...spoken(said), ...problem })
}

/** Line and column of an offset, counted as in template errors: from 1, in characters. */
export function positionIn(source: string, offset: number): Pick<ConfigProblem, 'line' | 'column'> {
  const { line, column } = positionOf(source, offset, offset)
  return { line, column }
}
