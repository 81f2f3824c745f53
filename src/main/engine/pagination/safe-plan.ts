import { type Checkpoint, positionOf } from './plan/checkpoint.ts'
import type { PageConfig } from './model/page-config.ts'
import { type PaginationError, toPaginationError } from './model/pagination-error.ts'
import { type Plan, planCall } from './plan/plan.ts'
import type { Position, Setup } from './model/page-run.ts'

/** A plan that failed: the records of the page before are handed out all the same. */
export type Next = Plan | { readonly kind: 'fail'; readonly error: PaginationError }

/** On resuming: what would have followed the page that was stored last. */
export function planFrom(checkpoint: Checkpoint, setup: Setup): Next {
  const { stopReason } = checkpoint
  if (stopReason !== null) return { kind: 'stop', reason: stopReason }
  return safely(checkpoint.page, () => planCall(setup, positionOf(checkpoint)))
}

/** @param page the one after which it is planned */
export function safely(page: number, plan: () => Plan): Next {
  try {
    return plan()
  } catch (error) {
    const failure = toPaginationError(error, { page: page + 1 })
    if (failure === null) throw error
    return { kind: 'fail', error: failure }
  }
}

/**
 * Before the answer of a page is there: the next call of a list whose pages are only counted. Null where an answer has a
 * say in it; nothing is lost then, nor where it fails, for it is planned once more after the page.
 */
export function planAhead(page: number, setup: Setup): Plan | null {
  if (!setup.configs.every(isPlainlyCounted)) return null
  const plan = safely(page, () => planCall(setup, { ...NO_POSITION, page }))
  return plan.kind === 'fail' ? null : plan
}

/** Whether the next call is made of nothing but its number and what is the same for the whole run. */
function isPlainlyCounted({ names, endpoint }: PageConfig): boolean {
  return endpoint === null && !RESULTS_OF_PAGES.some((name) => names.has(name))
}

const RESULTS_OF_PAGES = [
  'previous_request',
  'previous_request_headers',
  'links',
  'count',
  'last_record',
  'now',
]

const NO_POSITION: Position = {
  page: 0,
  previous: { address: '', body: null, headers: [] },
  count: 0,
  lastRecord: null,
  alive: new Set(),
}
