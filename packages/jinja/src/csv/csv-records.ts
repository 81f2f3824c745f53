import { type Data, dictionaryOf } from '../data/value.ts'

/** The names of the columns. Blank and repeated names get a number, so that no column overwrites another. */
export function toNames(row: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const [at, field] of row.entries()) {
    const name = field.trim() || `column_${at + 1}`
    let free = name
    for (let count = 2; names.has(free) || (free !== name && row.includes(free)); count++)
      free = `${name}_${count}`
    names.add(free)
  }
  return [...names]
}

/**
 * A row as an object. Extra fields are named `column_4` and so on.
 *
 * @param missing the value of the columns that a short row lacks
 */
export function toDictionary(
  names: readonly string[],
  row: readonly string[],
  missing: string | null = null,
): Data {
  const width = Math.max(names.length, row.length)
  return dictionaryOf(
    Array.from({ length: width }, (_, at): [string, Data] => [
      names[at] ?? `column_${at + 1}`,
      row[at] ?? missing,
    ]),
  )
}
