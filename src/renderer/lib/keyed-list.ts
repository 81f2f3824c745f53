/** Lists that are paginated by key and grow at the top while they are viewed: runs, webhook requests. */
interface Keyed {
  readonly id: string
}

interface KeyedList<T extends Keyed> {
  /** Newest first. */
  readonly items: readonly T[]
  /** Where the list continues; null at its end. */
  readonly after: string | null
}

/**
 * The list after its first page was loaded again. That page replaces its part of the list; rows loaded below it stay.
 * If the two no longer overlap, because more arrived than a page holds, the list starts over.
 */
export function mergeFirstPage<T extends Keyed>(
  known: KeyedList<T> | null,
  { items, after }: KeyedList<T>,
): KeyedList<T> {
  const last = items.at(-1)
  const joint =
    known === null || last === undefined ? -1 : known.items.findIndex((item) => item.id === last.id)
  if (known === null || after === null || joint === -1) return { items, after }
  const below = known.items.slice(joint + 1)
  return { items: [...items, ...below], after: below.length === 0 ? after : known.after }
}

/** The list after the items with these IDs were loaded again; those that no longer exist leave it. */
export function replaceItems<T extends Keyed>(
  { items, after }: KeyedList<T>,
  ids: readonly string[],
  again: readonly T[],
): KeyedList<T> {
  if (ids.length === 0) return { items, after }
  const [asked, byId] = [new Set(ids), new Map(again.map((item) => [item.id, item]))]
  return {
    after,
    items: items.flatMap((item) => {
      const current = asked.has(item.id) ? byId.get(item.id) : item
      return current === undefined ? [] : [current]
    }),
  }
}
