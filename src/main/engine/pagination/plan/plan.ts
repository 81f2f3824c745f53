import type { StopReason } from '../../../../shared/contract/pagination.ts'
import { evaluateCondition } from '../../template/index.ts'
import { contextFor } from '../request/context.ts'
import { followCursors } from './cursors.ts'
import { firstRequest, nextRequest } from '../request/next-request.ts'
import { RENDER_OPTIONS } from '../model/page-config.ts'
import { inFieldOf } from '../model/pagination-error.ts'
import type { Call, Page, Position, Setup } from '../model/page-run.ts'
import { selectConfig } from '../config/select-config.ts'

/** What follows a page. */
export type Plan =
  | { readonly kind: 'request'; readonly call: Call; readonly alive: ReadonlySet<string> }
  | { readonly kind: 'stop'; readonly reason: StopReason }

/** The call that a run begins with: the action's own, unless the configuration applies to it too. */
export function firstCall(setup: Setup, appliesToFirst: boolean): Call {
  const context = contextFor(0, setup, null)
  const own: Call = { page: 0, config: null, context, request: firstRequest(setup) }
  if (!appliesToFirst && !setup.configs.some(({ firstRequest }) => firstRequest)) return own
  const config = selectConfig(setup.configs, context)
  if (!config || !(appliesToFirst || config.firstRequest)) return own
  return { ...own, config, request: nextRequest(config, context, null, setup) ?? own.request }
}

/**
 * Decides what follows a page: the next call, or the end of the list.
 *
 * @param ahead what `planCall` has said already, where the page has no say in it
 */
export function planNext(page: Page, setup: Setup, position: Position, ahead: Plan | null): Plan {
  const reason = endOfPage(page)
  return reason === null ? (ahead ?? planCall(setup, position)) : { kind: 'stop', reason }
}

/** The next call after a page that is not the last by itself. */
export function planCall(setup: Setup, position: Position): Plan {
  const number = position.page + 1
  const context = contextFor(number, setup, position)
  const config = selectConfig(setup.configs, context)
  if (config === null) return { kind: 'stop', reason: 'no_config_matched' }
  const { stopWhen } = config
  if (
    stopWhen !== null &&
    inFieldOf(config.fieldOf('stop_when'), () => evaluateCondition(stopWhen, context, RENDER_OPTIONS))
  ) {
    return NO_NEXT
  }
  const request = nextRequest(config, context, position.previous, setup)
  if (request === null) return NO_NEXT
  const alive = followCursors(request.taken, position.alive)
  if (alive === null) return NO_NEXT
  return { kind: 'request', call: { page: number, config, context, request }, alive }
}

const NO_NEXT: Plan = { kind: 'stop', reason: 'no_next' }

/** A counted list ends with its first page that has nothing; one with a cursor goes on as long as that lives. */
function endOfPage({ call, config, read }: Page): StopReason | null {
  if (config === null) return 'no_config_matched'
  if (read.found === 'single') return 'not_paginated'
  if (read.found === 'missing' && call.page === 0) return 'no_records'
  const isEmpty = read.found === 'missing' || read.found === 'empty'
  return isEmpty && !config.readsResponse ? 'no_records' : null
}
