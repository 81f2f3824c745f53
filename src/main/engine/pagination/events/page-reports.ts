import { type Said } from '../../../../shared/contract/base/message.ts'
import type { StopReason } from '../../../../shared/contract/pagination.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { Clock, OutgoingResponse } from '../../ports.ts'
import { isXmlBody } from '../../request/body.ts'
import { contextFor } from '../request/context.ts'
import type { PageEvent } from './events.ts'
import { explainCall } from './explain-call.ts'
import { bodyEvent, doneEvent, planEvent, responseEvent, warningEvent } from './page-events.ts'
import { placesIn } from '../response/read-page.ts'
import { NOWHERE } from '../response/records.ts'
import type {
  Doubt,
  FetchedPage,
  PageCall,
  PagePosition,
  PaginationSetup,
  WarningCode,
} from '../model/page-run.ts'
import type { PagePlanOutcome } from '../plan/plan.ts'

export interface PageReportsOptions {
  readonly include: readonly ('plan' | 'body')[] | undefined
  readonly redactor: Redactor
  readonly clock: Clock
  /** Warnings that were reported before the run was resumed. */
  readonly warnings: Iterable<WarningCode>
  /** Those of the warnings that put the list in doubt. */
  readonly doubts: Iterable<WarningCode>
}

/** Builds the events of one run, as detailed as the caller asked for. */
export class PageReports {
  readonly warnings: Set<WarningCode>
  readonly doubts: Set<WarningCode>
  readonly #include: PageReportsOptions['include']
  readonly #redactor: Redactor
  readonly #clock: Clock
  readonly #startedAt: number

  constructor({ include, redactor, clock, warnings, doubts }: PageReportsOptions) {
    this.warnings = new Set(warnings)
    this.doubts = new Set(doubts)
    this.#include = include
    this.#redactor = redactor
    this.#clock = clock
    this.#startedAt = clock.monotonic()
  }

  /** A response, successful or not, with its page if that could be read. */
  answered(
    call: PageCall,
    response: OutgoingResponse,
    records: number,
    totalRecords: number,
    page?: FetchedPage,
  ): PageEvent[] {
    const redactor = this.#redactor
    const event = responseEvent(call.page, response, records, totalRecords, redactor)
    if (!this.#include?.includes('body')) return [event]
    return [event, bodyEvent(call.page, response, page === undefined ? NOWHERE : placesIn(page), redactor)]
  }

  /** Reports how the request of a page is built. */
  explain(
    page: number,
    next: PagePlanOutcome,
    setup: PaginationSetup,
    position: PagePosition | null,
  ): PageEvent[] {
    if (!this.#include?.includes('plan') || next.kind === 'fail') return []
    const context = next.kind === 'request' ? next.call.context : contextFor(page, setup, position)
    const isPlain = next.kind === 'request' && next.call.config === null
    const explanation = explainCall(isPlain ? [] : setup.configs, context, {
      isFirst: page === 0,
      isXml: isXmlBody(setup.action.body, setup.action.headers),
      status: position?.previous.status,
    })
    return [planEvent(page, next, explanation, this.#redactor)]
  }

  /** Reports each warning once per run. */
  warn(page: number, code: WarningCode, detail: string | Said = ''): PageEvent[] {
    if (this.warnings.has(code)) return []
    this.warnings.add(code)
    return [warningEvent(page, code, this.doubts.has(code), detail, this.#redactor)]
  }

  /** A warning that puts the list in doubt. */
  doubt(page: number, { code, detail }: Doubt): PageEvent[] {
    this.doubts.add(code)
    return this.warn(page, code, detail)
  }

  done(pages: number, totalRecords: number, reason: StopReason, announced: number | null): PageEvent {
    const durationMs = this.#clock.monotonic() - this.#startedAt
    const complete = reason === 'cut_by_max_pages' ? false : this.doubts.size > 0 ? 'in_doubt' : true
    return doneEvent(pages, totalRecords, reason, complete, announced, this.warnings, durationMs)
  }
}
