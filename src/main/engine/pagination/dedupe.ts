import { hashData } from '../data/hash.ts'
import type { Data } from '../data/value.ts'
import { selectJsonPath } from '../jsonpath/index.ts'

/**
 * Leaves out records whose key has been seen in this run. A record without the key stays.
 *
 * @param path JSONPath inside a record, such as `id`; null: nothing is left out
 * @param known gains the keys of the records that stay
 */
export function withoutKnown(
  records: readonly Data[],
  path: string | null,
  known: Set<string>,
): { records: readonly Data[]; keys: readonly string[] } {
  if (path === null) return { records, keys: [] }
  const keys: string[] = []
  const fresh = records.filter((record) => {
    const [value] = selectJsonPath(path, record)
    if (value === undefined || value === null) return true
    const key = hashData(value)
    if (known.has(key)) return false
    known.add(key)
    keys.push(key)
    return true
  })
  return { records: fresh, keys }
}
