import { HeaderMap } from '../data/header-map.ts'
import type { OutgoingResponse } from '../ports.ts'
import { evaluateCondition } from '../template/index.ts'
import { RENDER_OPTIONS } from './model/page-config.ts'
import { inFieldOf } from './model/pagination-error.ts'
import { configOfFirst } from './response/read-page.ts'
import { readResponseBody } from './response/response-body.ts'
import type { Call, Setup } from './model/page-run.ts'

/** Whether `retry_when` holds for a good answer; the answer itself is its `previous_request`. */
export function isFailure(response: OutgoingResponse, call: Call, setup: Setup): boolean {
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
