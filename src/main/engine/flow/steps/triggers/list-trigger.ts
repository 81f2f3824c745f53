import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say, type Said, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import {
  type Data,
  dictionaryOf,
  getKey,
  isDictionary,
  isList,
  UnknownCharsetError,
} from '@millrace/jinja/data'
import { JsonPathError, selectJsonPath } from '@millrace/jinja/jsonpath'
import { addressRules, firstRequest } from '../../../pagination/index.ts'
import type { HeaderLine, OutgoingResponse } from '../../../ports.ts'
import { headerValue } from '../../../request/headers.ts'
import { decodeXml } from '@millrace/jinja/xml'
import type { CompiledStep, StepScope } from '../../model/compiled-step.ts'
import type { ListRead, ListWish } from '../../model/list-read.ts'
import { connectorAction } from '../calls/connector-action.ts'
import { restRequest } from '../calls/rest.ts'
import { sendOnce } from '../support/outgoing-call.ts'
import { polledTrigger } from '../support/polled-trigger.ts'
import { shortText } from '../support/read-input.ts'
import { findAuth } from '../support/step-auth.ts'
import { listTriggerProblems } from './polling-problems.ts'

type Config = StepConfig<'list_trigger'>
type ListStep = CompiledStep<'list_trigger'> & { readonly config: Config }

/** Starts a flow for new entries of a connector's list or of a feed. */
export const listTrigger = polledTrigger<'list_trigger'>(readList, listTriggerProblems)

export function readList(step: ListStep, scope: StepScope, { memo }: ListWish): Promise<ListRead> {
  return step.config.source === 'feed' ? readFeedList(step.config, scope, memo) : readActionList(step, scope)
}

async function readActionList({ config, ...step }: ListStep, scope: StepScope): Promise<ListRead> {
  const { connector_id: connectorId = '', action = '', auth_id, input, max_pages, when_in_doubt } = config
  const call = { connector_id: connectorId, action, auth_id, input, max_pages, when_in_doubt }
  const output = await connectorAction.run({ ...step, config: call }, scope)
  return { entries: listIn(output, config.records, scope), memo: null }
}

/** The list in a response that wasn't paginated. */
function listIn(output: Data, path: string | null, scope: StepScope): readonly Data[] {
  if (isList(output)) return output
  const refuse = (message: Said) => scope.fail('validation', message, { field: 'config.records' })
  if (!path?.trim()) {
    throw refuse(
      say('the result of the action isn\'t a list, got {{value}}; name the list\'s place in "records"', {
        value: shortText(output),
      }),
    )
  }
  const found = select(path.trim(), output, refuse)
  const [first] = found
  return found.length === 1 && isList(first) ? first : found
}

function select(path: string, output: Data, refuse: (message: Said) => Error): readonly Data[] {
  try {
    return selectJsonPath(path, output)
  } catch (error) {
    throw error instanceof JsonPathError
      ? refuse(say('"records": {{rest}}', { rest: sentenceOf(error) }))
      : error
  }
}

/** Requests a feed only if it has changed, as feed servers prefer. */
async function readFeedList(config: Config, scope: StepScope, memo: Data): Promise<ListRead> {
  const auth = await findAuth(config, null, scope)
  const request = restRequest({ url: config.url ?? '', headers: headersFor(memo) }, auth, scope)
  const rules = addressRules('', request.endpoint, [])
  const wire = firstRequest({ action: request, rules })
  const { response, refusal } = await sendOnce(scope, { ...wire, body: null }, { auth })
  if (response.status === 304) return { entries: null, memo }
  if (refusal) throw refusal
  if (response.body.length > LARGEST_FEED) {
    throw scope.fail(
      'too_large',
      say('the feed has more than {{size}} MiB', { size: LARGEST_FEED / 1_048_576 }),
      {
        field: 'config.url',
      },
    )
  }
  const text = textOf(response, scope)
  const entries = await scope.ports.documents
    .readFeed(text, request.endpoint, scope.signal)
    .catch(refusedFeed(scope))
  return { entries, memo: versionOf(response) }
}

function refusedFeed(scope: StepScope): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError)) throw error
    throw scope.fail(
      error.code,
      error.code === 'too_large'
        ? say('reading the feed {{rest}}', { rest: sentenceOf(error) })
        : sentenceOf(error),
      {
        field: 'config.url',
      },
    )
  }
}

function headersFor(memo: Data): Record<string, string> {
  const version = isDictionary(memo) ? memo : dictionaryOf([])
  const [etag, modified] = [getKey(version, 'etag'), getKey(version, 'last_modified')]
  return {
    Accept:
      'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.8',
    ...(typeof etag === 'string' ? { 'If-None-Match': etag } : {}),
    ...(typeof modified === 'string' ? { 'If-Modified-Since': modified } : {}),
  }
}

function versionOf({ headers }: OutgoingResponse): Data {
  const kept: [string, HeaderLine[1] | null][] = [
    ['etag', headerValue(headers, 'etag')],
    ['last_modified', headerValue(headers, 'last-modified')],
  ]
  return dictionaryOf(kept.filter(([, value]) => value !== null && value.length <= LONGEST_VERSION))
}

function textOf({ headers, body }: OutgoingResponse, scope: StepScope): string {
  const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headerValue(headers, 'content-type') ?? '')
  try {
    return decodeXml(body, charset?.[1]?.toLowerCase() ?? null)
  } catch (error) {
    if (!(error instanceof UnknownCharsetError) && !(error instanceof TypeError)) throw error
    const reason =
      error instanceof UnknownCharsetError ? error.said : say("its bytes don't match its charset")
    throw scope.fail('validation', say("the feed can't be read: {{reason}}", { reason }), {
      field: 'config.url',
    })
  }
}

const LARGEST_FEED = 5 * 1_048_576
const LONGEST_VERSION = 1_000
