import type {
  PaginationConfigEntry,
  ResponseFormat,
} from '../../../../shared/contract/base/pagination-config.ts'
import { delimiterNamed } from '@millrace/jinja/csv'
import { type Data, type Dictionary, entriesOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { hasTags, namesRead } from '@millrace/jinja'
import { type PageConfig, readsResponse } from '../model/page-config.ts'

/** Converts a configuration whose keys and types are valid to the form that a run reads. */
export function toPageConfig(entry: Dictionary, index: number, fieldOf: (key: string) => string): PageConfig {
  const text = (key: keyof PaginationConfigEntry): string | null => {
    const value = getKey(entry, key)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const dictionary = (key: keyof PaginationConfigEntry): string | Dictionary | null => {
    const value = getKey(entry, key)
    return isDictionary(value) ? value : text(key)
  }
  const when = getKey(entry, 'when')
  const config = {
    index,
    query: dictionary('query'),
    body: dictionary('body'),
    rawBody: text('raw_body'),
    header: dictionary('header'),
    endpoint: text('endpoint'),
    responsePath: text('response_jsonpath'),
    responseFormat: (getKey(entry, 'response_format') ?? null) as ResponseFormat | null,
    delimiter: delimiterNamed(text('delimiter') ?? ',') ?? ',',
    replaceBody: getKey(entry, 'replace_body') === true,
    when: typeof when === 'string' ? when : null,
    stopWhen: text('stop_when'),
    retryWhen: text('retry_when'),
    method: text('method'),
    maxPages: (getKey(entry, 'max_pages') ?? null) as number | null,
    allowedOrigins: (getKey(entry, 'allowed_origins') ?? []) as readonly string[],
    firstRequest: getKey(entry, 'first_request') === true,
    dedupeBy: text('dedupe_by')?.trim() ?? null,
    endsOnStatus: (getKey(entry, 'ends_on_status') ?? []) as readonly number[],
    minIntervalMs: (getKey(entry, 'min_interval_ms') ?? 0) as number,
    cursorMayBeAbsent: getKey(entry, 'cursor_may_be_absent') === true,
    listMayBeAbsent: getKey(entry, 'list_may_be_absent') === true,
    fieldOf,
  }
  const templates = configTemplates(config)
  // Conditions that only end the list earlier or repeat a call don't make it a cursor.
  const ofPaging = templates.filter(([key]) => key !== 'stop_when' && key !== 'retry_when')
  return {
    ...config,
    names: namesOf(templates),
    readsResponse: readsResponse(namesOf(ofPaging)),
  }
}

type Templates = Pick<
  PageConfig,
  'query' | 'body' | 'rawBody' | 'header' | 'endpoint' | 'responsePath' | 'when' | 'stopWhen' | 'retryWhen'
>
export type TemplateKey =
  | 'query'
  | 'body'
  | 'raw_body'
  | 'header'
  | 'endpoint'
  | 'response_jsonpath'
  | 'when'
  | 'stop_when'
  | 'retry_when'

/** The templates of a configuration, by key. */
export function configTemplates(config: Templates): [TemplateKey, string | Dictionary][] {
  const all: [TemplateKey, string | Dictionary | null][] = [
    ['when', config.when],
    ['endpoint', config.endpoint],
    ['query', config.query],
    ['body', config.body],
    ['raw_body', config.rawBody],
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

/** The names that a template reads; empty if it can't be parsed, which is reported separately. */
function readable(source: string, isCondition: boolean): ReadonlySet<string> {
  try {
    return namesRead(source, { expression: isCondition && !hasTags(source) })
  } catch {
    return new Set()
  }
}

/** Keys whose value can be a bare expression. */
export const CONDITIONS: ReadonlySet<TemplateKey> = new Set(['when', 'stop_when', 'retry_when'])

/** If a dictionary field is an object rather than a string, each string in it is a template. */
export function* textsIn(source: Data, path: string): Generator<{ path: string; text: string }> {
  if (typeof source === 'string') yield { path, text: source }
  else if (isList(source)) for (const [at, item] of source.entries()) yield* textsIn(item, `${path}[${at}]`)
  else if (isDictionary(source))
    for (const [key, item] of entriesOf(source)) yield* textsIn(item, `${path}.${key}`)
}
