import { locale } from './i18n.ts'

export type SortKey = string | number | null
export type SortOrder = 'ascending' | 'descending'

/** Sorts rows by a key: numbers by size, strings in natural order (`a2` before `a10`), rows without a key first. */
export function sortRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => SortKey,
  order: SortOrder,
): readonly Row[] {
  const { compare } = new Intl.Collator(locale(), { numeric: true })
  const sign = order === 'ascending' ? 1 : -1
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => sign * compareKeys(a.key, b.key, compare))
    .map(({ row }) => row)
}

function compareKeys(a: SortKey, b: SortKey, compare: (a: string, b: string) => number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compare(String(a ?? ''), String(b ?? ''))
}

/**
 * The order after another click on a column. Strings start ascending and numbers descending; a third click removes
 * the order.
 */
export function nextOrder(order: SortOrder | null, firstKey: SortKey | undefined): SortOrder | null {
  const [first, second] = (
    typeof firstKey === 'number' ? ['descending', 'ascending'] : ['ascending', 'descending']
  ) as [SortOrder, SortOrder]
  if (order === null) return first
  return order === first ? second : null
}
