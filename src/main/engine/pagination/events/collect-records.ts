import { sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { StopReason } from '../../../../shared/contract/pagination.ts'
import type { Data } from '@millrace/jinja/data'
import type { PageEvent } from './events.ts'
import type { WarningCode } from '../model/page-run.ts'
import { PaginationError } from '../model/pagination-error.ts'

export interface Collected {
  /** The flat list; the response body if nothing is paginated. */
  readonly output: Data
  readonly stopReason: StopReason
  readonly warnings: readonly WarningCode[]
}

/**
 * Reads all events of a run and returns the whole list, never a part of it.
 *
 * @throws PaginationError the error that the run failed with
 */
export async function collectRecords(events: AsyncIterable<PageEvent>): Promise<Collected> {
  const records: Data[] = []
  let output: Data | undefined
  for await (const event of events) {
    if (event.type === 'records') for (const record of event.records) records.push(record)
    else if (event.type === 'output') output = event.value
    else if (event.type === 'failed') throw errorOf(event)
    else if (event.type === 'done') {
      return { output: output ?? records, stopReason: event.stop_reason, warnings: event.warnings }
    }
  }
  throw new Error('A pagination run ended without saying how')
}

/** The error described by a `failed` event, for callers that throw. */
export function errorOf({ error }: Extract<PageEvent, { type: 'failed' }>): PaginationError {
  const { code, page, status, partial_count: partialCount, field, line, column } = error
  return new PaginationError(code, sentenceOf(error), { page, status, partialCount, field, line, column })
}
