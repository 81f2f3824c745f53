/** Signs on a page with records that some of its records are missing. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { type Data, getKey, isDictionary, isList, keysOf, writeJson } from '@millrace/jinja/data'
import { headerValue } from '../../request/headers.ts'
import type { FetchedPage } from '../model/page-run.ts'
import { plainName } from '../suggest/paging-names.ts'
import { valuesIn } from '../suggest/response-values.ts'
import { failureIn, holdsRecords, type ListTraits, namesFailure, saidIn } from './missing-list.ts'

/**
 * The sign that records are missing from a page; null if there is none. GraphQL, for instance, returns partial data
 * next to its errors.
 *
 * @param before null if no page had a list yet
 */
export function partialIn(page: FetchedPage, before: ListTraits | null): string | Said | null {
  const { read } = page
  if (read.found === 'single' || read.found === 'missing' || page.lacksList) return null
  const body = page.format === 'xml' ? rootOf(page.body) : page.body
  return (
    failureBeside(body, read.unfiltered) ??
    partialFlagIn(body) ??
    failureAtEnd(read.unfiltered, before) ??
    partialBytes(page) ??
    (isList(body) && cutTables.has(body) ? say('its last line is cut off') : null)
  )
}

/** Tables whose last row is the only short one and has no line break at its end. */
export const cutTables = new WeakSet<readonly Data[]>()

/** The content of an XML response is in its only element. */
function rootOf(body: Data): Data {
  const [name = '', ...others] = isDictionary(body) ? keysOf(body) : []
  return isDictionary(body) && others.length === 0 ? (getKey(body, name) ?? body) : body
}

function failureBeside(body: Data, records: readonly Data[]): string | Said | null {
  const failure = failureIn(body)
  const isRead = isDictionary(body) && FAILURES.some((name) => isHolderOf(getKey(body, name), records))
  if (failure === null || isRead) return null
  return failure === false ? say('it reports a failure') : saidIn(failure)
}

/** Whether the value contains the records, because the list that is read can itself be a list of errors. */
function isHolderOf(value: Data | undefined, records: readonly Data[]): boolean {
  return value !== undefined && records.length > 0 && holdsRecords(value, records[0], 4)
}

const FAILURES = ['errors', 'error']

function partialFlagIn(body: Data): string | null {
  const flag = valuesIn(body).find(({ keys, value }) => {
    const name = plainName(keys.at(-1) ?? '')
    if (keys.length === 2 && keys[0] === '_shards' && name === 'failed')
      return typeof value === 'number' && value > 0
    return keys.length <= 2 && value === true && PARTIAL_FLAGS.has(name)
  })
  return flag === undefined ? null : `${flag.keys.join('.')}: ${writeJson(flag.value)}`
}

const PARTIAL_FLAGS: ReadonlySet<string> = new Set(
  'timedout terminatedearly partial ispartial partialresult partialresults partialresponse'.split(' '),
)

/** JSON lines end with an error if the server fails after it has begun to send. */
function failureAtEnd(records: readonly Data[], before: ListTraits | null): string | null {
  const last = records.at(-1) ?? null
  const [first] = records
  if (records.length < 2 || !isDictionary(last) || !isDictionary(first)) return null
  const recordKeys = [...(before?.recordKeys ?? []), ...keysOf(first)]
  const keys = keysOf(last)
  return namesFailure(keys) && !keys.some((key) => recordKeys.includes(key)) ? saidIn(last) : null
}

/** Detects that only part of a file of records was requested. */
function partialBytes({ response }: FetchedPage): string | null {
  const range = headerValue(response.headers, 'content-range') ?? ''
  const [, end, total] = /^\s*bytes\s+\d{1,15}-(\d{1,15})\/(\d{1,15})\s*$/i.exec(range) ?? []
  const isPart = response.status === 206 && end !== undefined && Number(end) + 1 < Number(total)
  return isPart ? `Content-Range: ${range.trim()}` : null
}
