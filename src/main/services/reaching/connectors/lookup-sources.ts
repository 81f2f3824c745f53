/**
 * Decides which call provides the choices of a field: an action of the connector, a request in the field's own look-up,
 * or the connector's `search_config`.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import { type Lookup, lookup as lookupSchema } from '../../../../shared/contract/base/form-schema.ts'
import type { Action, Connector, RemoteSearchBody } from '../../../../shared/contract/connectors.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { actionContext, buildActionRequest } from '../../../engine/connector/action-request.ts'
import {
  type Data,
  type DataMap,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  getKey,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import { jinja } from '@millrace/jinja/environment'
import type { PaginateOptions } from '../../../engine/pagination/index.ts'
import type { UserCall } from '../auths/user-calls.ts'
import { asAction } from './actions.ts'
import { type ChoiceEntry, inSentence } from './lookup-records.ts'

type ListCall = Omit<PaginateOptions, 'ports' | 'limits' | 'signal'>

export interface LookupSource {
  readonly list: ListCall
  /** Keyed by the index of the pagination configuration. */
  readonly entries: readonly ChoiceEntry[]
  readonly responseJsonPath: string | null
  /** The call that reads the record with an ID; null if there is none. */
  readonly readOne: ((value: string | number) => ListCall) | null
  /** The same for calls that read the same list. */
  readonly key: string
}

interface Asked {
  readonly connector: Connector
  readonly call: UserCall
  readonly body: RemoteSearchBody
  readonly findAction: (name: string) => Action | null
}

/** @throws AppError `validation` */
export function lookupSourceOf(asked: Asked): LookupSource {
  const { connector, body } = asked
  const action = body.action === undefined ? null : actionNamed(body.action, 'action', asked)
  const form = action?.ui_form_schema ?? []
  const field = fieldNamed(form, body.field ?? '')
  const lookup = body.lookup ?? lookupSchema.optional().catch(undefined).parse(field?.['lookup']) ?? {}
  const isOwn = lookup.action !== undefined || lookup.endpoint !== undefined
  if (isOwn && body.search_config === undefined) return ownSource(lookup, form, asked)
  return configuredSource(body.search_config ?? connector.search_config, action, asked)
}

const MAX_PAGES = 50
const MAX_RECORDS = 5_000

function ownSource(lookup: Lookup, form: readonly Json[], asked: Asked): LookupSource {
  const { connector, body } = asked
  const { type = 'list', response_fields: fields = {}, read } = lookup
  const list =
    lookup.action === undefined
      ? { ...requestAction(lookup.endpoint ?? '', connector), query: lookup.query ?? {} }
      : actionNamed(lookup.action, 'lookup.action', asked)
  const input = listInput(list, lookup, form, asked)
  const key = [connector.id, connector.updated_at, list, input, lookup, type === 'search' ? body.q : null]
  return {
    list: {
      ...callOf(list, input, asked),
      ...(list.supports_automatic_pagination || lookup.paginated === true
        ? {
            supportsPagination: connector.pagination_config !== null,
            config: connector.pagination_config as Data,
          }
        : {}),
    },
    entries: [{ type, id: fields.id?.trim() ?? null, match: fields.match?.trim() ?? null }],
    responseJsonPath: lookup.response_jsonpath ?? null,
    readOne:
      read === undefined
        ? null
        : (value) => readCall(actionNamed(read, 'lookup.read', asked), value, form, asked),
    key: JSON.stringify(key),
  }
}

function callOf(action: Action, input: Dictionary, { connector, call }: Asked): ListCall {
  const request = { ...call, connector, action, input }
  return {
    action: inSentence(() => buildActionRequest(request)),
    supportsPagination: false,
    config: null,
    variables: actionContext(request),
    allowedOrigins: connector.allowed_origins,
    maxPages: MAX_PAGES,
    maxRecords: MAX_RECORDS,
  }
}

/** The input of the list call: the values of its required fields from the form, and those of the look-up. */
function listInput(list: Action, lookup: Lookup, form: readonly Json[], asked: Asked): Dictionary {
  const { q, input: given = {} } = asked.body
  const own = lookup.input ?? {}
  const templates = [own, ...(lookup.action === undefined ? [lookup.endpoint, lookup.query] : [])]
  const same = requiredNames(list).filter((name) => !(name in own))
  requireGiven([...same, ...namesIn(templates)], given, form.length > 0 ? form : list.ui_form_schema)
  const variables = variablesOf(asked)
  const rendered = Object.entries(own).flatMap(([name, value]): [string, Data][] => {
    const result =
      typeof value === 'string' ? inSentence(() => jinja.evaluate(value, variables)) : (value as Data)
    return result === null || result === '' ? [] : [[name, result]]
  })
  const fromForm = (lookup.action === undefined ? Object.keys(given) : same).map((name): [string, Data] => [
    name,
    given[name] as Data,
  ])
  return dictionaryOf([...fromForm, ...(lookup.action === undefined ? [['q', q] as const] : []), ...rendered])
}

function variablesOf({ call, body: { q, input = {} } }: Asked): DataMap {
  return { ...actionContext({ ...call, input }), q }
}

/** The ID goes into the only required field that the form doesn't fill in. */
function readCall(action: Action, value: string | number, form: readonly Json[], asked: Asked): ListCall {
  const given = asked.body.input ?? {}
  const names = requiredNames(action)
  const field = asked.body.field ?? ''
  const others = names.filter((name) => name !== field && given[name] !== undefined)
  const id = names.includes(field) ? field : names.find((name) => !others.includes(name))
  requireGiven(
    names.filter((name) => name !== id),
    given,
    form,
  )
  const input = others.map((name): [string, Data] => [name, given[name] as Data])
  return callOf(action, dictionaryOf([...input, ...(id === undefined ? [] : [[id, value] as const])]), asked)
}

/** @throws AppError `validation`, naming the field of the form that must be filled in first */
function requireGiven(
  names: readonly string[],
  given: Readonly<Record<string, Json>>,
  form: readonly Json[],
): void {
  for (const name of names) {
    const value = given[name]
    const label = labelIn(form, name)
    if (value === undefined || value === null || value === '')
      throw fieldErrors({ [`input.${name}`]: [say('Choose "{{label}}" first', { label })] })
    if (typeof value === 'string' && /\{[{%]/.test(value))
      throw fieldErrors({
        [`input.${name}`]: [
          say(
            '"{{label}}" is a template, so these choices aren\'t known yet. Enter an ID, or a template here too',
            {
              label,
            },
          ),
        ],
      })
  }
}

/** The form values that templates read, except in expressions with a default, which need none. */
function namesIn(values: unknown): string[] {
  if (typeof values === 'string')
    return [...values.matchAll(/\{\{[^{}]{0,500}\}\}/g)].flatMap(([expression]) =>
      expression.includes('default')
        ? []
        : [...expression.matchAll(/\binput\.([A-Za-z_]\w{0,100})/g)].flatMap(([, name]) => name ?? []),
    )
  if (typeof values !== 'object' || values === null) return []
  return [...new Set(Object.values(values).flatMap(namesIn))]
}

function requiredNames({ ui_form_schema: fields }: Action): string[] {
  return fields.flatMap((field) =>
    isObject(field) && field['required'] === true && typeof field['name'] === 'string' ? [field['name']] : [],
  )
}

function labelIn(form: readonly Json[], name: string): string {
  const label = fieldNamed(form, name)?.['label']
  return typeof label === 'string' && label !== '' ? label : name
}

/** Finds a field by its name, or a nested one by `outer/inner`. */
function fieldNamed(form: readonly Json[], path: string): Readonly<Record<string, Json>> | null {
  const [name = '', ...inner] = path.split('/')
  const field = form.find((one) => isObject(one) && one['name'] === name)
  if (field === undefined || !isObject(field)) return null
  if (inner.length === 0) return field
  return Array.isArray(field['fields']) ? fieldNamed(field['fields'], inner.join('/')) : null
}

function isObject(value: Json): value is Readonly<Record<string, Json>> & { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function actionNamed(name: string, field: string, { connector, findAction }: Asked): Action {
  const action = findAction(name)
  if (action === null)
    throw fieldErrors({
      [field]: [say('isn\'t the name of an action of "{{name}}"', { name: connector.name })],
    })
  return action
}

function requestAction(endpoint: string, { id }: Connector): Action {
  return asAction(id, { method: 'GET', endpoint })
}

/** An action as a search calls it: only its path is used, and only if that needs no input. */
export function searchedAction(action: Action): Action {
  const endpoint = action.endpoint.includes('{') ? '' : action.endpoint
  return { ...action, method: 'GET', endpoint, query: {}, headers: {}, body: null }
}

/** The connector's own search. Its call takes only the action's path, because the form can be half filled in. */
function configuredSource(
  config: Connector['search_config'],
  action: Action | null,
  asked: Asked,
): LookupSource {
  const { connector, body } = asked
  const { q, field = '', action: actionName = '', input = {} } = body
  if (config === null)
    throw new AppError(
      'validation',
      say('The connector "{{name}}" has no search_config', { name: connector.name }),
    )
  const { pages, entries } = readSearch(config)
  const called = action === null ? requestAction('', connector) : searchedAction(action)
  const call = callOf(called, dictionaryOf(Object.entries(input as DataMap)), asked)
  return {
    list: {
      ...call,
      supportsPagination: true,
      config: pages,
      variables: { ...call.variables, q, field, action: actionName },
      appliesToFirst: true,
      maxPages: entries.every(({ type }) => type === 'search') ? 1 : MAX_PAGES,
    },
    entries,
    responseJsonPath: null,
    readOne: null,
    key: JSON.stringify([connector.id, connector.updated_at, config, q, field, actionName, input]),
  }
}

/** Splits a search configuration into its pagination configuration and the rules by which records become choices. */
export function readSearch(config: Data): { readonly pages: Data; readonly entries: readonly ChoiceEntry[] } {
  if (isList(config)) {
    const read = config.map(readSearch)
    const [only] = read
    // If there is only one item, errors don't mention its number.
    if (read.length === 1 && only !== undefined) return only
    return { pages: read.map(({ pages }) => pages), entries: read.flatMap(({ entries }) => entries) }
  }
  if (!isDictionary(config)) return { pages: config, entries: [] }
  const fields = getKey(config, 'response_fields')
  const path = (key: string) => {
    const text = isDictionary(fields) ? getKey(fields, key) : null
    return typeof text === 'string' ? text.trim() : null
  }
  return {
    pages: dictionaryOf(entriesOf(config).filter(([key]) => key !== 'type' && key !== 'response_fields')),
    entries: [
      { type: getKey(config, 'type') === 'list' ? 'list' : 'search', id: path('id'), match: path('match') },
    ],
  }
}
