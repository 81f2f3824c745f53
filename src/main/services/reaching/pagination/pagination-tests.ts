/** Tests a pagination configuration for its author, and reports everything as it happens. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type {
  checkPaginationRoute,
  ConfigProblem,
  PaginationTestBody,
  suggestPaginationRoute,
} from '../../../../shared/contract/pagination.ts'
import type { RouteInput } from '../../../../shared/contract/base/route.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import { actionContext, buildActionRequest } from '../../../engine/connector/action-request.ts'
import { authContext, credentialsOf } from '../../../engine/connector/credentials.ts'
import {
  type Data,
  type DataMap,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  writeJson,
} from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { HeaderLine } from '../../../engine/ports.ts'
import {
  type ApiRequest,
  bodyOf,
  checkPaginationConfig,
  type PageEvent,
  paginate,
  type PaginateOptions,
  type OtherBody,
  readOtherFormat,
  type Suggestions,
  suggestPagination,
} from '../../../engine/pagination/index.ts'
import { headerValue } from '../../../engine/request/headers.ts'
import { valueText } from '../../../engine/request/query-string.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { UserCall, UserCalls } from '../auths/user-calls.ts'
import { probeSuggestions, replaying } from './probe-suggestions.ts'
import { createPaginationPauses, type PaginationPauses } from './pagination-pauses.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { pageLimits } from '../../kit/page-limits.ts'
import { sentKeys } from '../../kit/patch.ts'
import { asAction } from '../connectors/actions.ts'
import { type ChoiceEntry, choiceOf, isFound } from '../connectors/lookup-records.ts'
import { readSearch, searchedAction } from '../connectors/lookup-sources.ts'
import { templateToAppError } from '../../kit/template-error.ts'

type ReportedEvent = Exclude<PageEvent, { type: 'checkpoint' }>

export type PaginationTestEvent =
  | ReportedEvent
  | { type: 'started'; id: string }
  | { type: 'paused'; page: number }

type SuggestBody = RouteInput<typeof suggestPaginationRoute>['body']

export interface PaginationTestsOptions {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly userCalls: Pick<UserCalls, 'open'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly env: Pick<Env, 'values'>
  readonly settings: () => Settings
}

/** The call, and optionally the configuration to test. */
type CallBody =
  | PaginationTestBody
  | (NonNullable<SuggestBody['probe']> & { readonly pagination_config?: undefined })

/** The properties that differ between a typed request and an action. */
interface Subject {
  readonly action: ApiRequest
  readonly supportsPagination: boolean
  readonly config: Data
  readonly variables: DataMap
  readonly allowedOrigins: readonly string[]
  readonly appliesToFirst?: boolean
  /** Set if the configuration is a search for this text. */
  readonly search?: { readonly q: string; readonly entries: readonly ChoiceEntry[] }
  readonly ports: UserCall['ports']
}

export function createPaginationTestsService(options: PaginationTestsOptions) {
  const pauses = createPaginationPauses(options.random)
  return {
    /**
     * Ends with `done` or `failed`; aborting the signal cancels the current request.
     *
     * @throws AppError before the first event: unknown connector, action or auth, a missing scope
     */
    run: (caller: Caller, body: PaginationTestBody, signal: AbortSignal) =>
      testPagination({ options, pauses }, caller, body, signal),
    /** Resumes a paused test, or pauses one that is running. */
    continue: (caller: Caller, id: string, pages: number | null) => pauses.resume(caller.userId, id, pages),
    /** Errors and probable mistakes in a configuration. */
    check({
      pagination_config: config,
      input_names: names = [],
    }: RouteInput<typeof checkPaginationRoute>['body']): { problems: ConfigProblem[] } {
      const known = [...Object.keys(options.env.values()), 'auth', 'input', ...names]
      return { problems: [...checkPaginationConfig(config, known).problems] }
    },
    /** Suggests configurations that match the pagination of a response. */
    async suggest(caller: Caller, body: SuggestBody): Promise<Suggestions> {
      const found = suggestFrom(body)
      const { probe } = body
      if (probe === undefined || found.suggestions.length === 0) return found
      const subject = { ...(await subjectOf(caller, probe, options)), supportsPagination: true }
      return probeSuggestions(found, (config) =>
        readTwoPages({ ...subject, config: config as Data }, body, options),
      )
    },
  }
}

function suggestFrom({ request, response }: SuggestBody): Suggestions {
  const url = new URL(request.url)
  return suggestPagination({
    request: {
      url,
      method: request.method,
      query: dictionaryOf([...url.searchParams, ...entriesOf(asDictionary(request.query))]),
      headers: headerLines(request.headers),
      body: request.body ?? null,
      endpoint: request.endpoint ?? url.pathname,
    },
    response: {
      status: response.status,
      headers: headerLines(response.headers),
      ...parsedBody(response),
    },
  })
}

/** Tries only once and without waiting, to find out whether it works. */
function readTwoPages(
  subject: Subject,
  { response }: SuggestBody,
  options: PaginationTestsOptions,
): AsyncIterable<PageEvent> {
  const { body = null, status, headers } = response
  const isText = typeof body === 'string' && readOtherFormat(body, headerLines(headers)) !== null
  const bytes = Buffer.from(isText ? body : writeJson(body))
  const known = { status, headers: headerLines(headers), body: bytes, wireBytes: bytes.length, durationMs: 0 }
  const wishes = { max_pages: 2, limits: { max_attempts: 1, max_wait_ms: 0 }, include: ['body' as const] }
  const paging = pageOptions(subject, wishes, options)
  const { ports } = paging
  return paginate({ ...paging, ports: { ...ports, sendRequest: replaying(known, ports.sendRequest) } })
}

interface Tester {
  readonly options: PaginationTestsOptions
  readonly pauses: PaginationPauses
}

/** Runs a complete test, with its warnings, pauses and redaction. */
export async function* testPagination(
  { options, pauses }: Tester,
  caller: Caller,
  body: PaginationTestBody,
  signal: AbortSignal,
): AsyncGenerator<PaginationTestEvent> {
  const subject = await subjectOf(caller, body, options)
  const { redactor } = subject.ports
  const pause = body.pause_after === undefined ? null : pauses.open(caller.userId, body.pause_after)
  try {
    if (pause !== null) yield { type: 'started', id: pause.id }
    yield* configWarnings(subject)
    let config = 0
    // Nothing is sent until the next event is requested, so pausing means waiting before the request.
    for await (const event of paginate(pageOptions(subject, body, options, signal))) {
      if (event.type === 'request') config = event.config_index ?? 0
      if (event.type !== 'checkpoint') yield withChoices(withoutSecrets(event, redactor), subject, config)
      else if (pause !== null && pause.countPage() && event.checkpoint.stopReason === null) {
        yield { type: 'paused', page: event.checkpoint.page + 1 }
        await pause.over(signal)
      }
    }
  } finally {
    pause?.close()
  }
}

function pageOptions(
  subject: Subject,
  wishes: Pick<
    PaginationTestBody,
    'limits' | 'max_pages' | 'max_records' | 'include' | 'pause_after' | 'when_in_doubt'
  >,
  { settings }: PaginationTestsOptions,
  signal?: AbortSignal,
): PaginateOptions {
  return {
    ...subject,
    whenInDoubt: wishes.when_in_doubt,
    limits: { ...pageLimits(settings()), ...sentKeys(wishes.limits ?? {}) },
    maxPages: wishes.max_pages,
    maxRecords: wishes.max_records,
    include: wishes.include,
    checkpoints: wishes.pause_after !== undefined,
    signal,
  }
}

/**
 * Probable mistakes in a valid configuration. The page size is checked during the run, in the requests that are really
 * sent.
 */
function* configWarnings({ config, supportsPagination, variables }: Subject): Generator<ReportedEvent> {
  if (config === null || !supportsPagination) return
  const { problems } = checkPaginationConfig(config, Object.keys(variables))
  if (problems.some(({ severity }) => severity === 'error')) return
  for (const { code, message, field, line, column } of problems) {
    if (code === 'page_size') continue
    const place = line === null || column === null ? {} : { line, column }
    yield { type: 'warning', page: 0, code, message, ...(field === '' ? {} : { field }), ...place }
  }
}

/** Redacts records, because an API can repeat sent data in them. */
function withoutSecrets(event: ReportedEvent, redactor: Redactor): ReportedEvent {
  if (event.type === 'records')
    return { ...event, records: event.records.map((record) => redactor.redactData(record)) }
  return event.type === 'output' ? { ...event, value: redactor.redactData(event.value) } : event
}

/** Adds the choices that a form would offer, if this is a search. */
function withChoices(event: ReportedEvent, { search }: Subject, config: number): ReportedEvent {
  const entry = search?.entries[config]
  if (event.type !== 'records' || search === undefined || entry === undefined) return event
  const choices = event.records.flatMap((record) => {
    const choice = choiceOf(record, entry)
    return choice !== null && isFound(choice, entry, search.q)
      ? [{ value: choice.value, label: choice.label }]
      : []
  })
  return { ...event, choices }
}

async function subjectOf(caller: Caller, body: CallBody, options: PaginationTestsOptions): Promise<Subject> {
  return 'request' in body ? typedRequest(caller, body, options) : actionOf(caller, body, options)
}

/** With an auth, the request is made like that of an HTTP step. */
async function typedRequest(
  caller: Caller,
  { request, auth_id: authId, pagination_config: config }: Extract<CallBody, { request: unknown }>,
  options: PaginationTestsOptions,
): Promise<Subject> {
  const { auth, placement, env, ports } = await options.userCalls.open(caller, request.base_url, authId)
  const credentials = credentialsOf(placement, auth)
  const given = headerLines(request.headers)
  const headers = [...given, ...credentials.headers.filter(([name]) => headerValue(given, name) === null)]
  return {
    action: {
      baseUrl: request.base_url,
      endpoint: request.endpoint,
      method: request.method ?? 'GET',
      query: dictionaryOf([...entriesOf(asDictionary(request.query)), ...entriesOf(credentials.query)]),
      headers,
      body: bodyOf(request.body, headers),
    },
    supportsPagination: request.supports_automatic_pagination ?? true,
    config: config ?? null,
    variables: dictionaryOf([...Object.entries(env), ['auth', authContext(auth)]]) as DataMap,
    allowedOrigins: [],
    ports,
  }
}

async function actionOf(
  caller: Caller,
  body: Extract<CallBody, { connector_id: string }>,
  { store, userCalls }: PaginationTestsOptions,
): Promise<Subject> {
  const stored = store.connectors.get(body.connector_id)
  if (stored === null)
    throw new AppError(
      'not_found',
      say('There is no connector "{{id}}"', { id: body.connector_id.slice(0, 60) }),
    )
  const connector = { ...stored, ...sentKeys(body.connector ?? {}) }
  const action =
    body.draft === undefined
      ? store.actions.ofConnector(connector.id).find(({ name }) => name === body.action)
      : asAction(connector.id, body.draft)
  if (action === undefined) {
    throw new AppError(
      'not_found',
      say('Connector "{{name}}" has no action "{{action}}"', {
        name: connector.name,
        action: body.action.slice(0, 60),
      }),
    )
  }
  const opened = await userCalls.open(caller, connector, body.auth_id)
  const { q } = body
  const called = q === undefined ? action : searchedAction(action)
  const call = { ...opened, connector, action: called, input: asDictionary(body.input) }
  const config = (
    body.pagination_config === undefined ? connector.pagination_config : body.pagination_config
  ) as Data
  try {
    const subject = {
      action: buildActionRequest(call),
      // A configuration in the request is tested in any case; the connector's own only applies to actions that support
      // it.
      supportsPagination: body.pagination_config !== undefined || action.supports_automatic_pagination,
      config,
      variables: actionContext(call),
      allowedOrigins: connector.allowed_origins,
      ports: call.ports,
    }
    if (q === undefined) return subject
    const { pages, entries } = readSearch(config)
    const variables = { ...subject.variables, q, field: '', action: '' }
    return { ...subject, config: pages, variables, appliesToFirst: true, search: { q, entries } }
  } catch (error) {
    throw templateToAppError(error)
  }
}

/** Pages can be JSON lines, tables or XML, which are sent as a string. */
function parsedBody({ body, headers }: SuggestBody['response']): OtherBody {
  const parsed = typeof body === 'string' ? readOtherFormat(body, headerLines(headers)) : null
  return parsed ?? { body: body ?? null, keys: null }
}

/** A list of values becomes several header lines. */
function headerLines(headers: unknown): HeaderLine[] {
  return entriesOf(asDictionary(headers)).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((line) => line !== null)
      .map((line): HeaderLine => [name, valueText(line as Data)]),
  )
}

const asDictionary = (value: unknown): Dictionary => (value ?? dictionaryOf([])) as Dictionary
