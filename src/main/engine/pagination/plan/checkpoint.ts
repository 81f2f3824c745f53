import type { StopReason } from '../../../../shared/contract/pagination.ts'
import type { Data } from '../../data/value.ts'
import type { HeaderLine } from '../../ports.ts'
import type { FetchedPage, PagePosition, PaginationSetup, WarningCode } from '../model/page-run.ts'

/** What a checkpoint holds besides the position. */
export type CheckpointCounts = Pick<
  Checkpoint,
  'pages' | 'totalRecords' | 'emptyPages' | 'stopReason' | 'warnings' | 'fingerprint' | 'keys'
>

/** Keeps of the response what a template of the configuration reads, and no more: it may be large. */
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
 * Where a run stands after a page.
 *
 * @param before the position it was at; null for the first page
 * @param count records read so far, those of the page included
 */
export function positionAfter(
  { call, response, body, read }: FetchedPage,
  before: PagePosition | null,
  count: number,
  liveCursors: ReadonlySet<string>,
  { rules }: PaginationSetup,
): PagePosition {
  // Where a redirect led to another origin, relative links are meant from where it began.
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
 * Where a run stands after a page. To be stored together with the page's records: a run that goes on
 * from it asks for no page again that was stored.
 */
export type Checkpoint = {
  readonly page: number
  readonly pages: number
  readonly totalRecords: number
  readonly emptyPages: number
  /** Set once the list has ended; nothing is left to ask for. */
  readonly stopReason: StopReason | null
  /** Address that answered, for relative links. */
  readonly address: string
  /** Absent in what an earlier version stored. */
  readonly status?: number
  /** The response of the page; null where no template of the configuration reads it. */
  readonly previousRequest: Data
  readonly previousRequestHeaders: readonly HeaderLine[]
  readonly lastRecord: Data
  /** Places in the templates that have given a live cursor in this run. */
  readonly alive: readonly string[]
  readonly warnings: readonly WarningCode[]
  /** What the page added to what must never come again; a resumed run is given those of all pages. */
  readonly fingerprint: string | null
  readonly keys: readonly string[]
}

/** What a run is given to go on. */
export interface Resume {
  readonly checkpoint: Checkpoint
  /** Of all pages so far, in order. */
  readonly fingerprints: readonly string[]
  /** Of all pages so far; only with `dedupe_by`. */
  readonly keys?: readonly string[]
}
