import { advised, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { PaginationErrorCode } from '../../../../shared/contract/pagination.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  getKey,
  HeaderMap,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import { checkJsonPath, plusConstruct } from '@millrace/jinja/jsonpath'
import { checkTemplate, hasTags, namesRead, NotADictionaryError, renderDictionary } from '@millrace/jinja'
import {
  hintAtFilteredEnd,
  hintAtOneBasedOffset,
  warnOfCatchAlls,
  warnOfPageSize,
  warnOfUnsentBody,
} from './config-hints.ts'
import { problemWithKey } from './config-keys.ts'
import { type ConfigProblem, positionIn, type Report, reporter } from './config-problem.ts'
import { CONDITION_VARIABLES, PAGE_VARIABLES, type PageConfig, RENDER_OPTIONS } from '../model/page-config.ts'
import { PaginationError } from '../model/pagination-error.ts'
import { CONDITIONS, configTemplates, type TemplateKey, textsIn, toPageConfig } from './read-config.ts'

export interface CheckedConfig {
  readonly configs: readonly PageConfig[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * Checks a configuration as it is saved or typed: keys, types, templates and the names they read, objects and
 * JSONPaths. Also warns about what is allowed but rarely intended.
 *
 * @param variables additional variables of templates besides those of pagination
 */
export function checkPaginationConfig(config: Data, variables: Iterable<string>): CheckedConfig {
  const problems: ConfigProblem[] = []
  const names = new Set([...PAGE_VARIABLES, ...variables])
  const entries = isList(config) ? config : [config]
  const report = reporter('', problems)
  if (entries.length === 0)
    report({ code: 'config_invalid', said: say('The list of configurations is empty') })
  if (entries.length > MAX_CONFIGS) {
    report({
      code: 'config_invalid',
      said: say('There are {{count}} configurations; at most {{most}} are allowed', {
        count: entries.length,
        most: MAX_CONFIGS,
      }),
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
 * Reads the configurations of a run.
 *
 * @throws PaginationError with the first error that `checkPaginationConfig` finds
 */
export function readConfigs(config: Data, variables: Iterable<string>): readonly PageConfig[] {
  const { configs, problems } = checkPaginationConfig(config, variables)
  const error = problems.find(({ severity }) => severity === 'error')
  if (error === undefined) return configs
  const { code, field, line, column } = error
  const rest = sentenceOf(error)
  throw new PaginationError(
    code as PaginationErrorCode,
    field === '' ? rest : say('{{field}}: {{rest}}', { field, rest }),
    {
      page: 0,
      field: field === '' ? undefined : field,
      line: line ?? undefined,
      column: column ?? undefined,
    },
  )
}

const MAX_CONFIGS = 50

function checkEntry(
  entry: Data,
  index: number,
  path: string,
  names: ReadonlySet<string>,
  problems: ConfigProblem[],
): PageConfig | null {
  const report = reporter(path, problems)
  if (!isDictionary(entry)) {
    report({
      code: 'config_invalid',
      said: say('A configuration must be an object with keys such as "query"'),
    })
    return null
  }
  const fieldOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const before = problems.length
  for (const [key, value] of entriesOf(entry)) {
    const problem = problemWithKey(key, value)
    if (problem !== null)
      report({
        code: 'config_invalid',
        said: say('"{{field}}" {{rest}}', { field: key, rest: problem }),
        field: fieldOf(key),
      })
  }
  if (problems.length > before) return null
  const config = toPageConfig(entry, index, fieldOf)
  if ([config.query, config.body, config.rawBody, config.header].every((part) => part === null)) {
    const said = say('At least one of "query", "body", "raw_body" and "header" is required')
    report({ code: 'config_invalid', said })
  }
  checkBodies(config, entry, problems)
  for (const [key, source] of configTemplates(config)) checkSource(key, source, config, names, problems)
  checkPaths(config, problems)
  warnOfUnsentBody(config, problems)
  hintAtFilteredEnd(config, problems)
  return config
}

/** Keys that can't be used together. */
function checkBodies(config: PageConfig, entry: Dictionary, problems: ConfigProblem[]): void {
  const { body, rawBody, responseFormat: format, responsePath, fieldOf } = config
  const refuse = (key: 'raw_body' | 'delimiter' | 'response_jsonpath', said: Said) =>
    reporter(fieldOf(key), problems)({ code: 'config_invalid', said })
  if (body !== null && rawBody !== null)
    refuse('raw_body', say('Use either "body" or "raw_body": a request has one body'))
  if (getKey(entry, 'delimiter') !== undefined && format !== null && format !== 'csv')
    refuse('delimiter', say('"delimiter" is for CSV, but "response_format" is "{{format}}"', { format }))
  if (format === 'text' && responsePath !== null && responsePath.trim() !== '$')
    refuse('response_jsonpath', say('A response read as text is one record: remove "response_jsonpath"'))
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
    const isCondition = CONDITIONS.has(key)
    const expression = isCondition && !hasTags(text)
    const known = isCondition ? new Set([...names, ...CONDITION_VARIABLES]) : names
    const found = text.trim() === '' ? [] : checkTemplate(text, { names: known, expression })
    for (const problem of found) {
      isSound = false
      const { line, column } = problem
      report({ code: 'template_error', said: advised(problem), line, column })
    }
    hintAtOneBasedOffset(text, report)
  }
  if (key === 'query' || key === 'body' || key === 'header') {
    warnOfPageSize(source, reporter(config.fieldOf(key), problems))
    if (isSound && typeof source === 'string') tryDictionary(source, reporter(config.fieldOf(key), problems))
  }
}

/**
 * Renders an object with sample values. If the result isn't an object although only the page number is read, it never
 * will be. If a response is read, the empty sample response may be the cause, so that is only a warning, unless the
 * characters around the templates can't belong to an object at all.
 */
function tryDictionary(source: string, report: Report): void {
  const isCertain = [...namesRead(source)].every((name) => name === 'page' || name === 'count')
  try {
    renderDictionary(source, SAMPLE, RENDER_OPTIONS)
  } catch (error) {
    // Other errors may be the sample's fault, and are found before the first call that needs the value. An empty result
    // ends the list, which may well happen after the first page.
    if (!(error instanceof NotADictionaryError) || error.text === '') return
    const said = sentenceOf(error)
    // The whole string isn't an object, so the problem is reported at its first character.
    const place = positionIn(source, source.search(/\S|$/))
    if (isCertain || /^\s*[^{\s]/.test(source)) report({ code: 'not_a_dictionary', said, ...place })
    else if (/^\s*\{[^{%#]/.test(source)) {
      const severity = 'warning'
      report({
        severity,
        code: 'not_a_dictionary',
        said: say('With sample values: {{rest}}', { rest: said }),
        ...place,
      })
    }
  }
}

const SAMPLE = {
  page: 1,
  count: 100,
  previous_request: dictionaryOf([]),
  previous_request_headers: new HeaderMap([]),
  links: dictionaryOf([]),
  last_record: dictionaryOf([]),
  endpoint: 'items',
}

function checkPaths({ responsePath, dedupeBy, fieldOf }: PageConfig, problems: ConfigProblem[]): void {
  const constant = responsePath !== null && !hasTags(responsePath) ? responsePath : null
  for (const [key, path] of [['response_jsonpath', constant] as const, ['dedupe_by', dedupeBy] as const]) {
    if (path === null) continue
    const report = reporter(fieldOf(key), problems)
    const problem = checkJsonPath(path.trim())
    if (problem === null) hintAtPlus(path.trim(), report)
    else report({ code: 'jsonpath_error', said: sentenceOf(problem), line: 1, column: problem.position + 1 })
  }
}

function hintAtPlus(path: string, report: Report): void {
  const construct = path === '' ? null : plusConstruct(path)
  if (construct === null) return
  report({
    severity: 'hint',
    code: 'jsonpath_plus',
    said: say('jsonpath-plus evaluates this path: RFC 9535 has no "{{construct}}"', { construct }),
  })
}
