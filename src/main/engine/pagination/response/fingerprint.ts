import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  type Data,
  entriesOf,
  equalData,
  hashData,
  hashNumber,
  identityOf,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import { readsResponse } from '../model/page-config.ts'
import type { FetchedPage, PageCall } from '../model/page-run.ts'

/** `again` means the records of an earlier page with another cursor. */
type Recurrence = 'new' | 'repeated' | 'loop' | 'again'

/** Remembers the pages of a run by their fingerprints, to notice a server that repeats itself. */
export class SeenPages {
  readonly #seen: Set<string>
  readonly #seenRecords: Set<string>
  #last: string | null
  #lastRecords: readonly Data[] | null = null

  constructor(fingerprints: readonly string[] = []) {
    this.#seen = new Set(fingerprints)
    this.#seenRecords = new Set(fingerprints.map(recordPart))
    this.#last = fingerprints.at(-1) ?? null
  }

  /**
   * Returns `repeated` for a page that equals the one just before, and `loop` for one that equals an older one. A
   * repeated page ends the list without an error, so in that case the records themselves are compared, at no cost for
   * other pages.
   */
  add(fingerprint: string, records: readonly Data[]): Recurrence {
    const before = this.#lastRecords
    if (fingerprint === this.#last && (before === null || equalData(records, before))) return 'repeated'
    const isLoop = fingerprint !== this.#last && this.#seen.has(fingerprint)
    const isAgain = this.#isAgain(fingerprint, records)
    this.#seen.add(fingerprint)
    this.#seenRecords.add(recordPart(fingerprint))
    this.#last = fingerprint
    this.#lastRecords = records
    if (isLoop) return 'loop'
    return isAgain ? 'again' : 'new'
  }

  #isAgain(fingerprint: string, records: readonly Data[]): boolean {
    if (this.#last === null || records.length === 0) return false
    const part = recordPart(fingerprint)
    // Pages whose records are all equal, such as zeros, can recur. If different records all recur, it is the same page.
    if (part !== recordPart(this.#last)) return this.#seenRecords.has(part) && areDifferent(records)
    return this.#lastRecords === null || equalData(records, this.#lastRecords)
  }
}

/**
 * Identifies a page; null if seeing it twice would mean nothing.
 *
 * A page is identified by its records; the fields next to them (an echoed page number, a time, a request id) are
 * ignored. With a cursor, the values that the response provides for the next call count too, because equal records
 * with an advancing cursor are new ones. A page number that only depends on a condition about the response advances
 * by itself, and doesn't count.
 */
export function fingerprintOf(page: FetchedPage, next: PageCall | null): string | null {
  const { config, read } = page
  if (config === null) return null
  const cursors = config.readsResponse ? cursorsOf(next) : []
  if (cursors.length > 0) return `${recordsOf(page)}|${identityOf(cursors)}`
  return read.found === 'empty' || read.found === 'missing' ? null : recordsOf(page)
}

function recordsOf({ response, body, read }: FetchedPage): string {
  const { unfiltered } = read
  if (unfiltered.length === 0) return 'none'
  // If the response is its list, or contains no other list, it isn't traversed.
  if (unfiltered === body) return `list:${digest(response.body)}`
  if (isOnlyList(body, unfiltered)) return listFingerprint(listBytes(response.body), unfiltered)
  return recordsFingerprint(unfiltered)
}

/** Whether a response is an object that contains the list, and no other bracket. */
function isOnlyList(body: Data, records: readonly Data[]): boolean {
  if (!isDictionary(body)) return false
  const lists = entriesOf(body).filter(([key, value]) => hasBracket(key) || hasBracket(value))
  const [[key, list] = ['', null], ...others] = lists
  return others.length === 0 && !hasBracket(key) && isList(list) && isSameList(list, records)
}

/** Whether the records are the elements of this list, which was flattened. */
function isSameList(list: readonly Data[], records: readonly Data[]): boolean {
  return list.length === records.length && list[0] === records[0] && list.at(-1) === records.at(-1)
}

function hasBracket(value: Data): boolean {
  if (typeof value === 'string') return value.includes('[') || value.includes(']')
  if (isList(value)) return true
  return isDictionary(value) && entriesOf(value).some(([key, item]) => hasBracket(key) || hasBracket(item))
}

/** The bytes of the only list, found by its brackets. Hashing bytes is ten times as fast as hashing values. */
function listBytes(body: Uint8Array): Uint8Array {
  return body.subarray(body.indexOf(OPEN_BRACKET), body.lastIndexOf(CLOSE_BRACKET) + 1)
}

/** A checksum of all bytes, and three of the records. Two pages don't share all of these by chance. */
function listFingerprint(bytes: Uint8Array, records: readonly Data[]): string {
  const some = [records[0], records[records.length >> 1], records.at(-1)].map((record) => record ?? null)
  return `list:${bytes.length}:${crc32(bytes).toString(36)}:${hashData(some)}`
}

const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * Hashes a sample of a long page if its records differ: a page with the same records in all those places is the same
 * page. Other pages are hashed completely, which takes half as long as parsing them.
 */
function recordsFingerprint(records: readonly Data[]): string {
  if (records.length <= SAMPLE) return `records:${hashData(records)}`
  const sample = Array.from({ length: SAMPLE }, (_, index) => {
    const at = Math.round((index * (records.length - 1)) / (SAMPLE - 1))
    return hashNumber(records[at] ?? null)
  })
  if (new Set(sample).size < SAMPLE) return `records:${hashData(records)}`
  return `sample:${records.length}:${hashData(sample)}`
}

const SAMPLE = 24

const recordPart = (fingerprint: string) => fingerprint.split('|', 1)[0] ?? ''

const areDifferent = ([first = null, ...others]: readonly Data[]) =>
  isDictionary(first) && others.length > 0 && !others.some((other) => equalData(first, other))

/** The parts of the next call that came from the response, and don't advance by themselves. */
function cursorsOf(next: PageCall | null): Data[] {
  const usedValues = next?.request.usedValues ?? []
  return usedValues
    .filter(({ names }) => readsResponse(names) && !ADVANCING.some((name) => names.has(name)))
    .map(({ value }) => value ?? null)
}

const ADVANCING = ['page', 'count', 'last_record']

/** 96 bits are enough that no two of a million pages collide by chance. */
function digest(body: Uint8Array): string {
  return hash('sha1', body, 'base64url').slice(0, 16)
}
