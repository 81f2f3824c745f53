import type { StopReason } from '../../../../shared/contract/pagination.ts'
import type { Data } from '@millrace/jinja/data'
import type { HeaderLine } from '../../ports.ts'
import type { Watched } from '../doubt/list-watch.ts'
import type { FetchedPage, PagePosition, PaginationSetup, WarningCode } from '../model/page-run.ts'

/** The fields of a checkpoint apart from the position. */
export type CheckpointCounts = Pick<
  Checkpoint,
  | 'pages'
  | 'totalRecords'
  | 'emptyPages'
  | 'stopReason'
  | 'warnings'
  | 'doubts'
  | 'watched'
  | 'fingerprint'
  | 'keys'
>

/** Keeps only those parts of the response that a template of the configuration reads, because it may be large. */
export function checkpointAt(
  { page, previous, lastRecord, liveCursors }: PagePosition,
  counts: CheckpointCounts,
  { configs }: PaginationSetup,
): Checkpoint {
  const reads = (name: string) => configs.some(({ names }) => names.has(name))
  return {
    page,
    address: previous.address,
    status: previous.status,
    previousRequest: reads('previous_request') ? previous.body : null,
    previousRequestHeaders: reads('previous_request_headers') || reads('links') ? previous.headers : [],
    lastRecord: reads('last_record') ? lastRecord : null,
    alive: [...liveCursors],
    ...counts,
  }
}

export function positionOf(checkpoint: Checkpoint): PagePosition {
  const {
    page,
    address,
    status = 200,
    previousRequest,
    previousRequestHeaders,
    totalRecords,
    lastRecord,
    alive,
  } = checkpoint
  return {
    page,
    previous: { address, body: previousRequest, headers: previousRequestHeaders, status },
    count: totalRecords,
    lastRecord,
    liveCursors: new Set(alive),
  }
}

/**
 * The position of a run after a page.
 *
 * @param before the position before the page; null for the first page
 * @param count records read so far, including this page's
 */
export function positionAfter(
  { call, response, body, read }: FetchedPage,
  before: PagePosition | null,
  count: number,
  liveCursors: ReadonlySet<string>,
  { rules }: PaginationSetup,
): PagePosition {
  // If a redirect led to another origin, relative links are resolved against the URL before it.
  const isOurs = response.url === call.request.url || rules.origins.has(new URL(response.url).origin)
  return {
    page: call.page,
    previous: {
      address: isOurs ? response.url : call.request.url,
      body,
      headers: response.headers,
      status: response.status,
    },
    count,
    lastRecord: read.records.at(-1) ?? before?.lastRecord ?? null,
    liveCursors,
  }
}

/**
 * The state of a run after a page. Stored together with the page's records, so that a run that resumes from it doesn't
 * request a stored page again.
 */
export type Checkpoint = {
  readonly page: number
  readonly pages: number
  readonly totalRecords: number
  readonly emptyPages: number
  /** Set once the list has ended and there is nothing left to request. */
  readonly stopReason: StopReason | null
  /** The URL that responded, for relative links. */
  readonly address: string
  /** Absent in checkpoints stored by an earlier version. */
  readonly status?: number
  /** The response of the page; null if no template of the configuration reads it. */
  readonly previousRequest: Data
  readonly previousRequestHeaders: readonly HeaderLine[]
  readonly lastRecord: Data
  /** Places in the templates where a live cursor was rendered in this run. */
  readonly alive: readonly string[]
  readonly warnings: readonly WarningCode[]
  /** The warnings that put the list in doubt; absent in checkpoints stored by an earlier version, like `watched`. */
  readonly doubts?: readonly WarningCode[]
  /** Facts that later pages are compared with. */
  readonly watched?: Watched
  /** The fingerprint that this page added to those that must not recur; a resumed run gets those of all pages. */
  readonly fingerprint: string | null
  readonly keys: readonly string[]
}

/** The state from which a resumed run continues. */
export interface Resume {
  readonly checkpoint: Checkpoint
  /** The fingerprints of all pages so far, in order. */
  readonly fingerprints: readonly string[]
  /** The keys of all pages so far; only with `dedupe_by`. */
  readonly keys?: readonly string[]
}
