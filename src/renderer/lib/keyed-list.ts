/** Lists that page by key and change at their top while they are viewed: runs, webhook requests. */
interface Keyed {
  readonly id: string
}

export interface KeyedList<T extends Keyed> {
  /** Newest first; null until the first page has loaded. */
  readonly items: readonly T[] | null
  /** Where the list continues; null at its end. */
  readonly after: string | null
}

/**
 * The list after its first page was loaded again: that page is the truth for its stretch, rows loaded below it stay.
 * If the two no longer overlap, because more arrived than a page holds, the list starts over.
 */
export function mergeFirstPage<T extends Keyed>(
  known: KeyedList<T>,
  page: { readonly items: readonly T[]; readonly after: string | null },
): KeyedList<T> {
  const last = page.items.at(-1)
  const joint = last === undefined ? -1 : (known.items ?? []).findIndex((item) => item.id === last.id)
  if (page.after === null || joint === -1) return { items: page.items, after: page.after }
  const below = (known.items ?? []).slice(joint + 1)
  return { items: [...page.items, ...below], after: below.length === 0 ? page.after : known.after }
}

/** Items loaded again one by one replace the known ones; those that couldn't be loaded stay. */
export function replaceItems<T extends Keyed>(items: readonly T[] | null, read: readonly (T | null)[]) {
  const byId = new Map(read.flatMap((item) => (item === null ? [] : [[item.id, item]])))
  return byId.size === 0 ? items : (items?.map((item) => byId.get(item.id) ?? item) ?? null)
}
