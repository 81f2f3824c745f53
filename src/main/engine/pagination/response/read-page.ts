import { HeaderMap } from '../../data/header-map.ts'
import type { Data } from '../../data/value.ts'
import type { OutgoingResponse } from '../../ports.ts'
import { evaluateCondition, renderTemplate } from '../../template/index.ts'
import { selectConfig } from '../config/select-config.ts'
import { type PageConfig, type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'
import type { FetchedPage, PageCall, PaginationSetup, RecordPlaces } from '../model/page-run.ts'
import { inFieldOf } from '../model/pagination-error.ts'
import { contextFor } from '../request/context.ts'
import { readRecords, recordPlaces } from './records.ts'
import { readResponseBody } from './response-body.ts'

/**
 * Reads the records of an answer with the configuration and the variables of the call that fetched it.
 * The first answer is read with the configuration that its own content chooses for `page` = 1.
 */
export function readPage(call: PageCall, response: OutgoingResponse, setup: PaginationSetup): FetchedPage {
  const body = readResponseBody(response)
  const config = call.config ?? configOfFirst(response, body ?? null, setup)
  const path = config === null ? '' : pathOf(config, call.context)
  const read = inFieldOf(config?.fieldOf('response_jsonpath') ?? '', () => readRecords(path, body))
  return { call, config, response, body: body ?? null, read }
}

/** Where in its response the records of a page stand. */
export function placesIn({ call, config, body }: FetchedPage): RecordPlaces {
  return recordPlaces(config === null ? '' : pathOf(config, call.context), body)
}

export function configOfFirst(
  response: OutgoingResponse,
  body: Data,
  setup: PaginationSetup,
): PageConfig | null {
  const previous = { address: response.url, body, headers: response.headers }
  const position = { page: 0, previous, count: 0, lastRecord: null, liveCursors: new Set<string>() }
  return selectConfig(setup.configs, contextFor(1, setup, position))
}

function pathOf({ responsePath, fieldOf }: PageConfig, context: PageContext): string {
  if (responsePath === null) return ''
  return inFieldOf(fieldOf('response_jsonpath'), () =>
    renderTemplate(responsePath, context, RENDER_OPTIONS),
  ).trim()
}

/** Whether `retry_when` holds for a good answer; the answer itself is its `previous_request`. */
export function shouldRetry(response: OutgoingResponse, call: PageCall, setup: PaginationSetup): boolean {
  if (!setup.configs.some(({ retryWhen }) => retryWhen !== null)) return false
  let body
  try {
    body = readResponseBody(response) ?? null
  } catch {
    return false // said where the page is read
  }
  const config = call.config ?? configOfFirst(response, body, setup)
  const retryWhen = config?.retryWhen ?? null
  if (config === null || retryWhen === null) return false
  const context = {
    ...call.context,
    previous_request: body,
    previous_request_headers: new HeaderMap(response.headers),
  }
  return inFieldOf(config.fieldOf('retry_when'), () => evaluateCondition(retryWhen, context, RENDER_OPTIONS))
}
