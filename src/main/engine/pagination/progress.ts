import { hash } from 'node:crypto'
import { equalData } from '../data/deep.ts'
import { hashData, hashNumber } from '../data/hash.ts'
import type { Data } from '../data/value.ts'
import type { Call, Page } from './run.ts'

type Progress = 'new' | 'repeated' | 'loop'

/** Remembers the pages of a run by their fingerprints, to notice a server that goes in circles. */
export class PagesSeen {
  readonly #seen: Set<string>
  #last: string | null
  #lastRecords: readonly Data[] | null = null

  constructor(fingerprints: readonly string[] = []) {
    this.#seen = new Set(fingerprints)
    this.#last = fingerprints.at(-1) ?? null
  }

  /**
   * `repeated`: equal to the page just before; `loop`: to an older one. A repeated page ends the list
   * without an error, so there the records themselves are compared, which costs nothing for others.
   */
  add(fingerprint: string, records: readonly Data[]): Progress {
    const before = this.#lastRecords
    if (fingerprint === this.#last && (before === null || equalData(records, before))) return 'repeated'
    const isLoop = fingerprint !== this.#last && this.#seen.has(fingerprint)
    this.#seen.add(fingerprint)
    this.#last = fingerprint
    this.#lastRecords = records
    return isLoop ? 'loop' : 'new'
  }
}

/**
 * What a page is recognized by; null where its coming again would mean nothing.
 *
 * A counted page is told by its records: a page number echoed beside them says nothing. One with a
 * cursor by its whole body, and by what the next call takes from its headers: equal records with an
 * advancing cursor are new ones.
 */
export function fingerprintOf({ config, response, body, read }: Page, next: Call | null): string | null {
  if (config === null) return null
  if (config.readsResponse) return `body:${digest(response.body)}:${hashData(fromHeaders(next))}`
  if (read.found === 'empty' || read.found === 'missing') return null
  // A response that is its list need not be walked through.
  return read.unfiltered === body ? `list:${digest(response.body)}` : recordsFingerprint(read.unfiltered)
}

/**
 * Of a long page that has no two equal records in a sample, the sample: a page that has the same
 * records in all those places is the same page. Others are hashed whole, which takes as long as half
 * of parsing them.
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

function fromHeaders(next: Call | null): Data[] {
  const taken = next?.request.taken ?? []
  return taken
    .filter(({ names }) => names.has('previous_request_headers') || names.has('links'))
    .map(({ value }) => value ?? null)
}

/** 96 bits: no two of a million pages meet by chance. */
function digest(body: Uint8Array): string {
  return hash('sha1', body, 'base64url').slice(0, 16)
}
