import type { PaginationConfigEntry, PaginationErrorCode } from '../../../shared/contract/pagination.ts'
import { type Data, type Dictionary, entriesOf, getKey, isDictionary, isList, keysOf } from '../data/value.ts'
import { checkJsonPath } from '../jsonpath/index.ts'
import { checkTemplate, namesRead, NotADictionaryError, renderDictionary } from '../template/index.ts'
import { readsResponse } from './end-of-list.ts'
import { MAX_PAGE_SIZE, PAGE_SIZE_NAMES } from './limits.ts'
import { PAGE_VARIABLES, type PageConfig, RENDER_OPTIONS } from './page-config.ts'
import { PaginationError } from './pagination-error.ts'

/** Something worth changing in a configuration; only an `error` keeps it from being saved and run. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning' | 'hint'
  readonly code:
    | PaginationErrorCode
    | 'catch_all_not_last'
    | 'body_not_sent'
    | 'page_size'
    | 'one_based_offset'
  readonly message: string
  /** `query`, `query.cursor`, or `[1].query` in a list; empty: the whole configuration. */
  readonly field: string
  /** Inside the field's text, from 1. */
  readonly line: number | null
  readonly column: number | null
}

export interface CheckedConfig {
  readonly configs: readonly PageConfig[]
  readonly problems: readonly ConfigProblem[]
}

type Key = keyof PaginationConfigEntry
type Report = (problem: Pick<ConfigProblem, 'code' | 'message'> & Partial<ConfigProblem>) => void

/**
 * Checks a configuration as it is saved or typed: keys, types, templates and the names they read,
 * dictionaries, JSONPaths; and warns of what is allowed but seldom meant.
 *
 * @param variables what templates may read beside the variables of pagination
 */
export function checkConfig(config: Data, variables: Iterable<string>): CheckedConfig {
  const problems: ConfigProblem[] = []
  const names = new Set([...PAGE_VARIABLES, ...variables])
  const entries = isList(config) ? config : [config]
  const report = reporter('', problems)
  if (entries.length === 0) report({ code: 'config_invalid', message: 'The list of configurations is empty' })
  if (entries.length > MAX_CONFIGS) {
    report({
      code: 'config_invalid',
      message: `${entries.length} configurations; at most ${MAX_CONFIGS} are allowed`,
    })
  }
  const configs = entries.slice(0, MAX_CONFIGS).flatMap((entry, index) => {
    const path = isList(config) ? `[${index}]` : ''
    return checkEntry(entry, index, path, names, problems) ?? []
  })
  warnOfCatchAlls(configs, problems)
  return { configs, problems }
}

/**
 * The configurations of a run.
 *
 * @throws PaginationError the first error that `checkConfig` finds
 */
export function readConfigs(config: Data, variables: Iterable<string>): readonly PageConfig[] {
  const { configs, problems } = checkConfig(config, variables)
  const error = problems.find(({ severity }) => severity === 'error')
  if (error === undefined) return configs
  const { code, message, field, line, column } = error
  throw new PaginationError(code as PaginationErrorCode, field === '' ? message : `${field}: ${message}`, {
    page: 0,
    field: field === '' ? undefined : field,
    line: line ?? undefined,
    column: column ?? undefined,
  })
}

const MAX_CONFIGS = 50

function reporter(field: string, problems: ConfigProblem[]): Report {
  return (problem) => problems.push({ severity: 'error', field, line: null, column: null, ...problem })
}

function checkEntry(
  entry: Data,
  index: number,
  path: string,
  names: ReadonlySet<string>,
  problems: ConfigProblem[],
): PageConfig | null {
  const report = reporter(path, problems)
  if (!isDictionary(entry)) {
    report({ code: 'config_invalid', message: 'A configuration must be an object with keys such as "query"' })
    return null
  }
  const fieldOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const before = problems.length
  for (const [key, value] of entriesOf(entry)) {
    const problem = Object.hasOwn(KEYS, key) ? KEYS[key as Key](value) : unknownKey(key)
    if (problem !== null)
      report({ code: 'config_invalid', message: `"${key}" ${problem}`, field: fieldOf(key) })
  }
  if (problems.length > before) return null
  const config = toConfig(entry, index, fieldOf)
  if (config.query === null && config.body === null && config.header === null) {
    report({ code: 'config_invalid', message: 'At least one of "query", "body" and "header" is required' })
  }
  for (const [key, source] of templatesOf(config)) checkSource(key, source, config, names, problems)
  checkPaths(config, problems)
  warnOfUnsentBody(config, problems)
  return config
}

/** What is wrong with a value, as the end of a sentence that begins with the key. */
type CheckValue = (value: Data) => string | null

const isText: CheckValue = (value) => (typeof value === 'string' ? null : 'must be a text')
const isFlag: CheckValue = (value) => (typeof value === 'boolean' ? null : 'must be true or false')
const isTemplateDictionary: CheckValue = (value) =>
  typeof value === 'string' || isDictionary(value)
    ? null
    : 'must be a text that holds a dictionary, or an object'

/** Typed by the contract: a key added there does not compile until it is checked here. */
const KEYS: { readonly [K in Key]-?: CheckValue } = {
  query: isTemplateDictionary,
  body: isTemplateDictionary,
  header: isTemplateDictionary,
  response_jsonpath: isText,
  endpoint: isText,
  replace_body: isFlag,
  when: isText,
  stop_when: isText,
  retry_when: isText,
  method: (value) =>
    typeof value === 'string' && METHODS.has(value) ? null : `must be one of ${[...METHODS].join(', ')}`,
  max_pages: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1
      ? null
      : 'must be a whole number from 1',
  allowed_origins: (value) =>
    isList(value) && value.every(isOrigin)
      ? null
      : 'must be a list of origins such as "https://files.example.com"',
  first_request: isFlag,
  dedupe_by: isText,
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

function isOrigin(value: Data): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

function unknownKey(key: string): string {
  const known = Object.keys(KEYS)
  const near = known.find((name) => name.replaceAll('_', '') === key.toLowerCase().replaceAll(/[_-]|s$/g, ''))
  return near === undefined
    ? `is no key of a configuration; the keys are ${known.join(', ')}`
    : `is unknown; did you mean "${near}"?`
}

function toConfig(entry: Dictionary, index: number, fieldOf: (key: string) => string): PageConfig {
  const text = (key: Key): string | null => {
    const value = getKey(entry, key)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const dictionary = (key: Key): string | Dictionary | null => {
    const value = getKey(entry, key)
    return isDictionary(value) ? value : text(key)
  }
  const when = getKey(entry, 'when')
  const config = {
    index,
    query: dictionary('query'),
    body: dictionary('body'),
    header: dictionary('header'),
    endpoint: text('endpoint'),
    responsePath: text('response_jsonpath'),
    replaceBody: getKey(entry, 'replace_body') === true,
    when: typeof when === 'string' ? when : null,
    stopWhen: text('stop_when'),
    retryWhen: text('retry_when'),
    method: text('method'),
    maxPages: (getKey(entry, 'max_pages') ?? null) as number | null,
    allowedOrigins: (getKey(entry, 'allowed_origins') ?? []) as readonly string[],
    firstRequest: getKey(entry, 'first_request') === true,
    dedupeBy: text('dedupe_by'),
    fieldOf,
  }
  const templates = templatesOf(config)
  // Conditions that only end the list sooner or repeat a call do not make a cursor of it.
  const ofPaging = templates.filter(([key]) => key !== 'stop_when' && key !== 'retry_when')
  return {
    ...config,
    names: namesOf(templates),
    readsResponse: readsResponse(namesOf(ofPaging)),
  }
}

type Templates = Pick<
  PageConfig,
  'query' | 'body' | 'header' | 'endpoint' | 'responsePath' | 'when' | 'stopWhen' | 'retryWhen'
>
type TemplateKey =
  | 'query'
  | 'body'
  | 'header'
  | 'endpoint'
  | 'response_jsonpath'
  | 'when'
  | 'stop_when'
  | 'retry_when'

function templatesOf(config: Templates): [TemplateKey, string | Dictionary][] {
  const all: [TemplateKey, string | Dictionary | null][] = [
    ['when', config.when],
    ['endpoint', config.endpoint],
    ['query', config.query],
    ['body', config.body],
    ['header', config.header],
    ['response_jsonpath', config.responsePath],
    ['stop_when', config.stopWhen],
    ['retry_when', config.retryWhen],
  ]
  return all.filter(
    (entry): entry is [TemplateKey, string | Dictionary] => entry[1] !== null && entry[1] !== '',
  )
}

function namesOf(templates: readonly [TemplateKey, string | Dictionary][]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [key, source] of templates) {
    for (const { text } of textsIn(source, '')) {
      for (const name of readable(text, CONDITIONS.has(key))) names.add(name)
    }
  }
  return names
}

/** Names a template reads; none where it cannot be parsed, which is reported on its own. */
function readable(source: string, isCondition: boolean): ReadonlySet<string> {
  try {
    return namesRead(source, { expression: isCondition && !hasTags(source) })
  } catch {
    return new Set()
  }
}

/** Whether a text is a template and not a bare expression. */
function hasTags(source: string): boolean {
  return /\{[{%#]/.test(source)
}

const CONDITIONS: ReadonlySet<TemplateKey> = new Set(['when', 'stop_when', 'retry_when'])

/** The texts of a dictionary given as an object are templates, each on its own. */
function* textsIn(source: Data, path: string): Generator<{ path: string; text: string }> {
  if (typeof source === 'string') yield { path, text: source }
  else if (isList(source)) for (const [at, item] of source.entries()) yield* textsIn(item, `${path}[${at}]`)
  else if (isDictionary(source))
    for (const [key, item] of entriesOf(source)) yield* textsIn(item, `${path}.${key}`)
}

function checkSource(
  key: TemplateKey,
  source: string | Dictionary,
  config: PageConfig,
  names: ReadonlySet<string>,
  problems: ConfigProblem[],
): void {
  let isSound = true
  for (const { path, text } of textsIn(source, config.fieldOf(key))) {
    const report = reporter(path, problems)
    const expression = CONDITIONS.has(key) && !hasTags(text)
    for (const { message, line, column } of text.trim() === ''
      ? []
      : checkTemplate(text, { names, expression })) {
      isSound = false
      report({ code: 'template_error', message, line, column })
    }
    hintAtOneBasedOffset(text, report)
  }
  if (key === 'query' || key === 'body' || key === 'header') {
    warnOfPageSize(source, reporter(config.fieldOf(key), problems))
    if (isSound && typeof source === 'string') tryDictionary(source, reporter(config.fieldOf(key), problems))
  }
}

/** Renders a dictionary that depends on nothing but the page: what is none then will never be one. */
function tryDictionary(source: string, report: Report): void {
  const needs = [...namesRead(source)]
  if (needs.some((name) => name !== 'page' && name !== 'count')) return
  try {
    renderDictionary(source, { page: 1, count: 100 }, RENDER_OPTIONS)
  } catch (error) {
    // Anything else may be the sample's fault and is found before the first call that needs it.
    if (error instanceof NotADictionaryError) report({ code: 'not_a_dictionary', message: error.message })
  }
}

function checkPaths({ responsePath, dedupeBy, fieldOf }: PageConfig, problems: ConfigProblem[]): void {
  const constant = responsePath !== null && !hasTags(responsePath) ? responsePath : null
  for (const [key, path] of [['response_jsonpath', constant] as const, ['dedupe_by', dedupeBy] as const]) {
    const problem = path === null ? null : checkJsonPath(path.trim())
    if (problem === null) continue
    const column = problem.position + 1
    reporter(fieldOf(key), problems)({ code: 'jsonpath_error', message: problem.message, line: 1, column })
  }
}

function warnOfCatchAlls(configs: readonly PageConfig[], problems: ConfigProblem[]): void {
  const first = configs.find(({ when }) => when === null)
  if (!first || first === configs.at(-1)) return
  reporter(
    `[${first.index}]`,
    problems,
  )({
    severity: 'warning',
    code: 'catch_all_not_last',
    message:
      'A configuration without "when" is used only where none matches; write it last, so that it reads so',
  })
}

function warnOfUnsentBody({ method, body, fieldOf }: PageConfig, problems: ConfigProblem[]): void {
  if (method !== 'GET' || body === null) return
  reporter(
    fieldOf('body'),
    problems,
  )({
    severity: 'warning',
    code: 'body_not_sent',
    message: 'A GET has no body; leave out "method" to send it with POST',
  })
}

function warnOfPageSize(source: string | Dictionary, report: Report): void {
  for (const { name, size, at } of pageSizesIn(source)) {
    if (size <= MAX_PAGE_SIZE) continue
    const message = `"${name}" is ${size}; pagination supports pages of at most ${MAX_PAGE_SIZE} records`
    const place = typeof source === 'string' ? positionOf(source, at) : {}
    report({ severity: 'warning', code: 'page_size', message, ...place })
  }
}

function* pageSizesIn(source: string | Dictionary): Generator<{ name: string; size: number; at: number }> {
  if (typeof source !== 'string') {
    for (const name of keysOf(source)) {
      if (PAGE_SIZE_NAMES.has(name)) yield { name, size: Number(getKey(source, name)), at: 0 }
    }
    return
  }
  for (const found of source.matchAll(PAGE_SIZE)) {
    yield { name: found[1] ?? '', size: Number(found[2]), at: found.index }
  }
}

const PAGE_SIZE = new RegExp(
  String.raw`["'](${[...PAGE_SIZE_NAMES].join('|')})["']\s{0,20}:\s{0,20}["']?(\d{1,9})`,
  'g',
)

/** The specification's formula is right only where the first page holds two limits. */
function hintAtOneBasedOffset(text: string, report: Report): void {
  const found = ONE_BASED.exec(text)
  if (!found) return
  report({
    severity: 'hint',
    code: 'one_based_offset',
    message: `"${found[0]}" is 201 on the first call for a limit of 100; where the first page holds one limit, write "page * limit + 1"`,
    ...positionOf(text, found.index),
  })
}

const ONE_BASED =
  /\(\s{0,9}\(\s{0,9}page\s{0,9}\+\s{0,9}1\s{0,9}\)\s{0,9}\*\s{0,9}[\w.]{1,60}\s{0,9}\)\s{0,9}\+\s{0,9}1\b/

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
