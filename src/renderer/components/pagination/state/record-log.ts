/**
 * A list of records that only grows. All logs of one run share one array, of which each sees its own length, so that
 * adding a page to 100,000 records copies only that page.
 */
export interface RecordLog {
  readonly list: readonly unknown[]
  readonly length: number
}

export const NO_RECORDS: RecordLog = { list: [], length: 0 }

export function appendRecords(log: RecordLog, records: readonly unknown[]): RecordLog {
  if (records.length === 0) return log
  const isNewest = log.length > 0 && log.length === log.list.length
  const list = (isNewest ? log.list : log.list.slice(0, log.length)) as unknown[]
  for (const record of records) list.push(record)
  return { list, length: list.length }
}

/** All records, for consumers that need an array; without copying if nothing was added since. */
export function recordsOf({ list, length }: RecordLog): readonly unknown[] {
  return list.length === length ? list : list.slice(0, length)
}
