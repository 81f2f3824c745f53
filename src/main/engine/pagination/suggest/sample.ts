import type { PaginationStyle, PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, type Dictionary, writeJson } from '@millrace/jinja/data'
import type { HeaderLine } from '../../ports.ts'
import type { ResponseValue } from './response-values.ts'
import type { RecordList } from './record-list.ts'

/** One call and its response: everything that a suggestion is based on. */
export interface Sample {
  readonly request: SampleRequest
  readonly response: SampleResponse
  /** Whether the values of the response are made up, so that only keys and types count. */
  readonly isMadeUp?: boolean
}

export interface SampleRequest {
  readonly url: URL
  readonly method: string
  /** The query, including the URL's own parameters. */
  readonly query: Dictionary
  readonly headers: readonly HeaderLine[]
  readonly body: Data
  /** The endpoint as the action has it, such as `crm/contacts`. */
  readonly endpoint: string
}

export interface SampleResponse {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  /** The parsed body; null if there was none. */
  readonly body: Data
  /** The keys that a configuration needs to read the response; null or absent if its Content-Type is enough. */
  readonly keys?: PaginationConfigEntry | null
}

/** A sample with all the data that the detectors use. */
export interface Evidence extends Sample {
  readonly list: RecordList
  /** Every value outside lists, those near the root first. */
  readonly values: readonly ResponseValue[]
}

/** A suggestion before the path of the records is added. */
export interface Finding {
  readonly style: PaginationStyle
  readonly reason: string
  readonly config: PaginationConfigEntry
  readonly confidence: PaginationSuggestion['confidence']
}

/** A value as quoted in sentences. */
export function shown(value: Data): string {
  const text = typeof value === 'string' ? `"${value}"` : writeJson(value)
  return text.length > 80 ? `${text.slice(0, 76)}…${typeof value === 'string' ? '"' : ''}` : text
}
