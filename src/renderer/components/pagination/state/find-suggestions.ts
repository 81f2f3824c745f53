import { quoted } from '../../../../shared/contract/base/message.ts'
import type { Action } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { suggestPaginationRoute, testPaginationRoute } from '../../../../shared/contract/pagination.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import type { RouteInput } from '../../../../shared/contract/base/route.ts'
import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import type { Api } from '../../../api/create-api.ts'
import { parseJson } from '../../../lib/json.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { applyTestEvent, NO_TEST } from './test-progress.ts'
import type { PageLine } from './test-progress.ts'
import { toCall } from './test-form.ts'
import type { TestForm } from './test-form.ts'

export interface Found {
  readonly suggestions: readonly PaginationSuggestion[]
  readonly advice: string | null
  /** The URL that returned the response. */
  readonly url: string
  /** The request that the suggestions were based on, which is also used to check them. */
  readonly body: RouteInput<typeof suggestPaginationRoute>['body']
}

/**
 * Requests configurations that fit the first response. If that response is already known, it isn't requested again.
 *
 * @param known the first page of a test of the same call; null if none has run
 */
export async function findSuggestions(
  api: Pick<Api, 'call' | 'stream'>,
  form: TestForm,
  actions: readonly Action[],
  known: PageLine | null,
): Promise<Found> {
  const page = isWhole(known) ? known : await fetchFirst(api, form)
  const { request, response, body } = page?.attempts.at(-1) ?? {}
  if (!request || !response || !body)
    throw new AppError('unavailable', quoted(t('The API returned no response to base a suggestion on')))
  if (response.status >= 400)
    throw new AppError(
      'unavailable',
      quoted(
        t('The API returned {{status}}. A suggestion needs a successful response.', {
          status: response.status,
        }),
      ),
    )
  if (body.truncated)
    throw new AppError(
      'unavailable',
      quoted(t('The response is longer than a million characters. Request fewer records at a time')),
    )
  const endpoint = endpointOf(form, actions)
  return suggest(api, {
    request: {
      url: request.url,
      method: request.method,
      headers: request.headers,
      body: request.body,
      ...(endpoint === null ? {} : { endpoint }),
    },
    response: {
      status: response.status,
      headers: response.headers,
      body: parseBody(body.text) as Json,
    },
  })
}

/** Checks suggestions with one request each, sent like the call of the form. */
export function checkSuggestions(api: Pick<Api, 'call'>, form: TestForm, found: Found): Promise<Found> {
  return suggest(api, { ...found.body, probe: toCall(form) })
}

async function suggest(api: Pick<Api, 'call'>, body: Found['body']): Promise<Found> {
  return { ...(await api.call(suggestPaginationRoute, { body })), url: body.request.url, body }
}

function isWhole(line: PageLine | null): boolean {
  const last = line?.attempts.at(-1)
  return last?.body?.truncated === false && last.response !== null && last.response.status < 400
}

/** One request, without pagination. */
async function fetchFirst(api: Pick<Api, 'stream'>, form: TestForm): Promise<PageLine | undefined> {
  let progress = NO_TEST
  const body = { ...toCall(form), pagination_config: null, include: ['body' as const] }
  for await (const event of api.stream(testPaginationRoute, { body }))
    progress = applyTestEvent(progress, event)
  const line = progress.pages[0]
  if ((line?.attempts.at(-1)?.response ?? null) === null && progress.failed !== null)
    throw new AppError('unavailable', quoted(translateMessage(progress.failed.message, progress.failed)))
  return line
}

/** The endpoint as the action defines it; null if it is empty, a template or a complete URL. */
function endpointOf(form: TestForm, actions: readonly Action[]): string | null {
  const endpoint =
    form.source === 'address' ? form.endpoint : actions.find(({ name }) => name === form.action)?.endpoint
  return endpoint === undefined || /^$|\{\{|^https?:/.test(endpoint) ? null : endpoint
}

/** Pages can be JSON lines, CSV or XML, which the server parses. */
function parseBody(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
