import type { PageLine } from './state/test-progress.ts'

/** What one expression gave for one page. */
export interface CursorCell {
  readonly value: unknown
  readonly missing: boolean
}

export interface CursorRow {
  readonly page: number
  readonly sent: boolean
  readonly configIndex: number | null
  /** By expression. */
  readonly cells: ReadonlyMap<string, CursorCell>
}

export interface CursorTable {
  /** The expressions, in the order they first came. */
  readonly expressions: readonly string[]
  readonly rows: readonly CursorRow[]
}

/** Every value that the templates took, over all pages: how the cursor moves and where it dies. */
export function cursorTable(pages: readonly PageLine[]): CursorTable {
  const expressions = new Set<string>()
  const rows = pages.flatMap(({ page, plan, attempts }): CursorRow[] => {
    if (plan === null || plan.templates.length === 0) return []
    const taken = plan.templates.flatMap((template) => template.taken)
    for (const { source } of taken) expressions.add(source)
    const cells = new Map(taken.map(({ source, value, missing }) => [source, { value, missing }]))
    return [{ page, sent: attempts.length > 0, configIndex: plan.config_index, cells }]
  })
  return { expressions: [...expressions], rows }
}
