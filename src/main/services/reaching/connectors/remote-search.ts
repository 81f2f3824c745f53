/**
 * Remote search: choices for a form field, fetched from the API itself as configured in the connector's
 * `search_config`.
 */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type {
  Action,
  Connector,
  RemoteSearchBody,
  SearchChoice,
} from '../../../../shared/contract/connectors.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { actionContext, buildActionRequest } from '../../../engine/connector/action-request.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { type Data, type DataMap, dictionaryOf, entriesOf, Float, isDictionary } from '@millrace/jinja/data'
import { selectJsonPath } from '@millrace/jinja/jsonpath'
import { type PageEvent, paginate } from '../../../engine/pagination/index.ts'
import { valueText } from '../../../engine/request/query-string.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { UserCalls } from '../auths/user-calls.ts'
import { templateToAppError } from '../../kit/template-error.ts'

export interface RemoteSearchOptions {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly userCalls: Pick<UserCalls, 'open'>
}

export function createRemoteSearchService({ store, userCalls }: RemoteSearchOptions) {
  return {
    /** @throws AppError `not_found`, `validation` for an invalid search_config, `unavailable` if the API fails */
    async search(
      caller: Caller,
      connectorId: string,
      { q, auth_id: authId, action: actionName, field = '', input = {} }: RemoteSearchBody,
    ): Promise<SearchChoice[]> {
      const connector = store.connectors.get(connectorId)
      if (connector === null) {
        throw new AppError(
          'not_found',
          say('There is no connector "{{id}}"', { id: connectorId.slice(0, 60) }),
        )
      }
      const entries = entriesOfConfig(connector)
      const action = actionName === undefined ? null : store.actions.find(connector.id, actionName)
      if (actionName !== undefined && action === null) {
        throw fieldErrors({
          action: [say('isn\'t the name of an action of "{{name}}"', { name: connector.name })],
        })
      }
      const opened = await userCalls.open(caller, connector, authId)
      const call = { ...opened, connector, action: searchAction(action), input }
      const variables: DataMap = { ...actionContext(call), q, field, action: actionName ?? '' }
      const events = paginate({
        action: inSentence(() => buildActionRequest(call)),
        supportsPagination: true,
        // Errors about the only item don't mention a number.
        config: entries.length === 1 ? (entries[0]?.pages ?? null) : entries.map(({ pages }) => pages),
        variables,
        allowedOrigins: connector.allowed_origins,
        appliesToFirst: true,
        maxPages: entries.every(({ type }) => type === 'search') ? 1 : MAX_PAGES,
        maxRecords: MAX_RECORDS,
        limits: { max_attempts: 2, max_wait_ms: 5_000 },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ports: { ...call.ports, send: { timeoutMs: TIMEOUT_MS } },
      })
      return collectChoices(events, entries, q, call.redactor)
    },
  }
}

const MAX_PAGES = 20
const MAX_RECORDS = 5_000
const MAX_CHOICES = 200
const TIMEOUT_MS = 30_000

interface Entry {
  /** Who compares with `q`: the API (`search`) or this program (`list`). */
  readonly type: 'search' | 'list'
  /** Null: the record's own id and name. */
  readonly id: string | null
  readonly match: string | null
  /** The remaining keys, which are a pagination configuration. */
  readonly pages: Data
}

function entriesOfConfig({ name, search_config: config }: Connector): readonly Entry[] {
  if (config === null)
    throw new AppError('validation', say('The connector "{{name}}" has no search_config', { name }))
  return [config].flat().map((entry): Entry => {
    const { type = 'search', response_fields: fields, ...pages } = entry
    const { id = null, match = null } = (fields ?? {}) as Record<string, string | null>
    return {
      type: type as Entry['type'],
      id: id?.trim() ?? null,
      match: match?.trim() ?? null,
      pages: dictionaryOf(Object.entries(pages as Record<string, Data>)),
    }
  })
}

/** The connector's own call, without what the action adds: its form can be half filled in. */
function searchAction(action: Action | null): Action {
  const endpoint = action === null || action.endpoint.includes('{') ? '' : action.endpoint
  return { ...action, method: 'GET', endpoint, query: {}, headers: {}, body: null } as Action
}

async function collectChoices(
  events: AsyncIterable<PageEvent>,
  entries: readonly Entry[],
  q: string,
  redactor: Redactor,
): Promise<SearchChoice[]> {
  const choices: SearchChoice[] = []
  let entry = entries[0]
  for await (const event of events) {
    if (event.type === 'request' && event.config_index !== null) entry = entries[event.config_index]
    if (event.type === 'failed') throw failureOf(event)
    if (event.type !== 'records' || entry === undefined) continue
    for (const record of event.records) {
      const choice = choiceOf(redactor.redactData(record), entry, q)
      if (choice !== null) choices.push(choice)
      if (choices.length >= MAX_CHOICES) return choices
    }
  }
  return choices
}

function choiceOf(record: Data, { type, id, match }: Entry, q: string): SearchChoice | null {
  const [value] = id === null ? [firstOf(record, IDS)] : inSentence(() => selectJsonPath(id, record))
  if (value === undefined || value === null) return null
  const found =
    match === null ? [firstOf(record, NAMES) ?? value] : inSentence(() => selectJsonPath(match, record))
  const labels = found.map(valueText)
  const wanted = q.toLowerCase()
  if (type === 'list' && !labels.some((label) => label.toLowerCase().includes(wanted))) return null
  return { value, label: labels.join(' '), record } as SearchChoice
}

/** Common names for them in APIs, most common first. */
const IDS = [/^_?id$/i, /^(?:uuid|guid|key|slug|code)$/i, /(?:_id|Id|ID|_uuid)$/]
const NAMES = [
  /^(?:name|title|label)$/i,
  /^(?:display|full)_?name$/i,
  /name$|title$/i,
  /^(?:summary|subject|email|key)$/i,
]

/** The first plain value under one of these names; a record that isn't an object is itself the value. */
function firstOf(record: Data, names: readonly RegExp[]): Data | undefined {
  if (!isDictionary(record)) return typeof record === 'object' ? undefined : record
  const plain = entriesOf(record).filter(([, value]) => typeof value !== 'object' || value instanceof Float)
  return names.flatMap((name) => plain.filter(([key]) => name.test(key)).map(([, value]) => value))[0]
}

const OF_THE_API = new Set(['http_error', 'rate_limited', 'timeout', 'cancelled', 'response_too_large'])

function failureOf({ error }: Extract<PageEvent, { type: 'failed' }>): AppError {
  const rest = sentenceOf(error)
  if (!OF_THE_API.has(error.code))
    return new AppError('validation', say("The search can't be run: {{rest}}", { rest }))
  return new AppError('unavailable', say('The search failed: {{rest}}', { rest }), {
    headers: { 'Retry-After': '5' },
  })
}

function inSentence<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw templateToAppError(error)
  }
}
