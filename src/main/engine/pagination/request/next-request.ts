import { say } from '../../../../shared/contract/base/message.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isList,
  keysOf,
  writeJson,
} from '@millrace/jinja/data'
import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import type { HeaderLine } from '../../ports.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { headerValue, isHeaderValue } from '../../request/headers.ts'
import { parseLiteral, renderTraced, renderXml, TemplateError, type TracedValue } from '@millrace/jinja'
import { actionAddress, nextAddress } from './address.ts'
import { renderConfigDictionary } from './config-dictionary.ts'
import { MAX_PAGE_SIZE, PAGE_SIZE_NAMES } from '../model/limits.ts'
import { type PageConfig, type PageContext, readsResponse, RENDER_OPTIONS } from '../model/page-config.ts'
import { inFieldOf, PaginationError } from '../model/pagination-error.ts'
import { mergeQuery, valueText } from '../../request/query-string.ts'
import { contentTypeOf, isXmlBody, mergeBody, type RequestBody, shownBody } from '../../request/body.ts'
import type {
  AddressRules,
  PageRequest,
  PaginationSetup,
  PreviousResponse,
  UsedValue,
} from '../model/page-run.ts'

/** The action's own request, without any pagination parameter. */
export function firstRequest({ action, rules }: Pick<PaginationSetup, 'action' | 'rules'>): PageRequest {
  const { bare, search } = actionAddressParts(action, rules)
  const url = bare + mergeQuery(search, { settings: null, action: action.query, addressWins: false })
  return pageRequest(action.method.toUpperCase(), url, action.headers, action.body, rules)
}

/**
 * The request that a configuration builds for its page.
 *
 * @param previous null for a first request that pagination parameters apply to
 * @returns null if an object or the endpoint renders to nothing, which ends the list
 */
export function nextRequest(
  config: PageConfig,
  context: PageContext,
  previous: PreviousResponse | null,
  { action, rules }: Pick<PaginationSetup, 'action' | 'rules'>,
): PageRequest | null {
  const usedValues: UsedValue[] = []
  const render = dictionaryRenderer(config, context, previous === null, usedValues)
  const query = render('query')
  const body = render('body')
  const header = render('header')
  const text = rawBodyOf(action, config, context, usedValues)
  if (query === NOTHING || body === NOTHING || text === NOTHING || header === NOTHING) return null

  const address = addressOf(action, config, context, previous, rules, usedValues)
  if (address === null) return null
  const { bare, search, isUpgraded } = address
  const replacesEndpoint = config.endpoint !== null
  // A query written in the action's URL is part of the action's query, so a link that omits it keeps it.
  const own = address.isLink ? writtenQuery(actionAddressParts(action, rules).search) : []
  const known = dictionaryOf([...own, ...entriesOf(action.query)])
  const url = bare + mergeQuery(search, { settings: query, action: known, addressWins: replacesEndpoint })

  const method = config.method ?? (body === null && text === null ? 'GET' : 'POST')
  const content = contentOf(action.body, config, { keys: body, text }, method)
  const headers = mergeHeaders(action.headers, header, config)
  const largePageSize = findLargePageSize([query, body, header])
  return { ...pageRequest(method, url, headers, content, rules), usedValues, largePageSize, isUpgraded }
}

function pageRequest(
  method: string,
  url: string,
  headers: readonly HeaderLine[],
  body: RequestBody,
  { login }: AddressRules,
): PageRequest {
  const all = [...headers]
  const addMissing = (name: string, value: string | null) => {
    if (value !== null && headerValue(all, name) === null) all.push([name, value])
  }
  addMissing('Accept', 'application/json, */*;q=0.5')
  addMissing('Content-Type', contentTypeOf(body))
  addMissing('Authorization', login && `Basic ${Buffer.from(login, 'utf8').toString('base64')}`)
  return { method, url, headers: all, body, usedValues: [], largePageSize: null, isUpgraded: false }
}

const NOTHING = Symbol('renders to an empty string')

/** @param isFirst there is no response yet */
function dictionaryRenderer(
  config: PageConfig,
  context: PageContext,
  isFirst: boolean,
  usedValues: UsedValue[],
) {
  return (field: 'query' | 'body' | 'header'): Dictionary | null | typeof NOTHING => {
    const source = config[field]
    if (source === null) return null
    const rendered = inFieldOf(config.fieldOf(field), () => renderConfigDictionary(source, context, isFirst))
    if (rendered === null) return NOTHING
    note(config, field, rendered.traced, usedValues)
    return rendered.value
  }
}

function note(
  config: PageConfig,
  field: keyof PaginationConfigEntry,
  values: readonly TracedValue[],
  usedValues: UsedValue[],
): void {
  for (const value of values) {
    const place = `${config.index}.${field}:${value.line}:${value.column}:${value.source}`
    usedValues.push({ place, names: value.names, value: value.value })
  }
}

/** The pagination's body as a string. In XML, values are escaped. */
function rawBodyOf(
  { body, headers }: ApiRequest,
  config: PageConfig,
  context: PageContext,
  usedValues: UsedValue[],
): string | null | typeof NOTHING {
  const source = config.rawBody
  if (source === null) return null
  const render = isXmlBody(body, headers) ? renderXml : renderTraced
  const { text, traced } = inFieldOf(config.fieldOf('raw_body'), () =>
    render(source, context, RENDER_OPTIONS),
  )
  note(config, 'raw_body', traced, usedValues)
  return text.trim() === '' ? NOTHING : text
}

/** A URL in two parts, so that a query can be inserted without parsing the URL again. */
interface AddressParts {
  readonly bare: string
  readonly search: string
  readonly isUpgraded: boolean
  /** Whether the URL came from the server. */
  readonly isLink: boolean
}

/** The parameters of a query string; one that occurs several times is a list. */
function writtenQuery(search: string): [string, Data][] {
  const parameters = new URLSearchParams(search)
  return [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values]
  })
}

function partsOf({ href, search }: URL, isUpgraded = false, isLink = false): AddressParts {
  const bare = search === '' ? href.replace(/\?$/, '') : href.slice(0, -search.length)
  return { bare, search, isUpgraded, isLink }
}

/** The action's own URL is the same for every page. */
function actionAddressParts({ endpoint }: ApiRequest, rules: AddressRules): AddressParts {
  const known = ACTION_ADDRESSES.get(rules)
  if (known !== undefined) return known
  const parts = partsOf(actionAddress(endpoint, rules))
  ACTION_ADDRESSES.set(rules, parts)
  return parts
}

/** Keyed by the rules of a run, which has one action. */
const ACTION_ADDRESSES = new WeakMap<AddressRules, AddressParts>()

function addressOf(
  action: ApiRequest,
  config: PageConfig,
  context: PageContext,
  previous: PreviousResponse | null,
  rules: AddressRules,
  usedValues: UsedValue[],
): AddressParts | null {
  const { endpoint } = config
  if (endpoint === null) return actionAddressParts(action, rules)
  return inFieldOf(config.fieldOf('endpoint'), () => {
    const rendered = renderTraced(endpoint, context, RENDER_OPTIONS)
    const text = rendered.text.trim()
    note(config, 'endpoint', rendered.traced, usedValues)
    if (text === '') return previous === null ? actionAddressParts(action, rules) : null
    if (previous === null) return partsOf(nextAddress(text, false, rules.base, rules).url)
    const fromServer = isFromServer(text, rendered.traced, previous)
    const { url, isUpgraded } = nextAddress(text, fromServer, new URL(previous.address), rules)
    return partsOf(url, isUpgraded, fromServer)
  })
}

/**
 * Whether a string came from the server rather than being built by the author: one value that was inserted unchanged,
 * or a part of one that an expression cut out.
 */
function isFromServer(text: string, traced: readonly TracedValue[], previous: PreviousResponse): boolean {
  const given = traced.find(({ value }) => typeof value === 'string' && value.trim() === text)
  if (!given || !readsResponse(given.names)) return false
  if (given.path === 'plain' || given.names.has('links')) return true
  return previous.headers.some(([, value]) => value.includes(text)) || holdsText(previous.body, text)
}

function holdsText(value: Data, text: string): boolean {
  if (typeof value === 'string') return value.trim() === text
  if (isList(value)) return value.some((item) => holdsText(item, text))
  return isDictionary(value) && entriesOf(value).some(([, item]) => holdsText(item, text))
}

function contentOf(
  action: RequestBody,
  config: PageConfig,
  { keys, text }: { readonly keys: Dictionary | null; readonly text: string | null },
  method: string,
): RequestBody {
  if (method === 'GET' || method === 'HEAD') return { kind: 'none' }
  if (text !== null) return rawContent(action, config, text)
  if (config.replaceBody) return keys === null ? { kind: 'none' } : { kind: 'json', value: keys }
  if (keys === null) return action
  const merged = mergeBody(asDictionary(action), keys)
  if (merged !== null) return merged
  throw new PaginationError(
    'body_not_mergeable',
    say(
      'The action\'s body isn\'t an object, so the keys of "body" can\'t be added to it: {{body}}. Write it as {"name": "value"}, write the pagination\'s body as text in "raw_body", or set "replace_body": true',
      { body: excerptOf(action) },
    ),
    { field: config.fieldOf('body') },
  )
}

function rawContent(action: RequestBody, config: PageConfig, content: string): RequestBody {
  if (action.kind === 'none' || action.kind === 'raw' || config.replaceBody) return { kind: 'raw', content }
  throw new PaginationError(
    'body_not_mergeable',
    say(
      'The action\'s body is an object, and "raw_body" only replaces text: {{body}}. Use "body", or set "replace_body": true',
      { body: excerptOf(action) },
    ),
    { field: config.fieldOf('raw_body') },
  )
}

/** Parses a body that is a string in the same way as a configuration's object strings. */
function asDictionary(body: RequestBody): RequestBody {
  if (body.kind !== 'raw' || typeof body.content !== 'string') return body
  try {
    const value = parseLiteral(body.content)
    return isDictionary(value) ? { kind: 'json', value } : body
  } catch (error) {
    if (error instanceof TemplateError) return body
    throw error
  }
}

function excerptOf(body: RequestBody): string {
  const shown = shownBody(body)
  const text = typeof shown === 'string' ? shown : writeJson(shown)
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text
}

/** Names are case-insensitive; null removes one of the action's headers. */
function mergeHeaders(
  action: readonly HeaderLine[],
  keys: Dictionary | null,
  config: PageConfig,
): readonly HeaderLine[] {
  if (keys === null) return action
  const set = new Set(keysOf(keys).map((name) => name.toLowerCase()))
  const lines = action.filter(([name]) => !set.has(name.toLowerCase()))
  for (const [name, value] of entriesOf(keys)) {
    if (value === null) continue
    const text = isList(value) ? value.map(valueText).join(', ') : valueText(value)
    if (!isHeaderValue(text)) {
      throw new PaginationError(
        'config_invalid',
        say('The header "{{name}}" renders to a string with a line break or another control character', {
          name,
        }),
        { field: config.fieldOf('header') },
      )
    }
    lines.push([name, text])
  }
  return lines
}

function findLargePageSize(dictionaries: readonly (Dictionary | null)[]): string | null {
  for (const dictionary of dictionaries) {
    for (const [name, value] of dictionary ? entriesOf(dictionary) : []) {
      if (PAGE_SIZE_NAMES.has(name) && Number(valueText(value)) > MAX_PAGE_SIZE)
        return `${name} = ${valueText(value)}`
    }
  }
  return null
}
