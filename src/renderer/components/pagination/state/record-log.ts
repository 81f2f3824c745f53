/**
 * Records that only ever grow in number. All logs of one run share one array, of which each sees as many as it had: so
 * that adding a page to 100,000 records copies that page alone.
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

/** All of them, for what takes a list; without copying where nothing was added since. */
export function recordsOf({ list, length }: RecordLog): readonly unknown[] {
  return list.length === length ? list : list.slice(0, length)
}
