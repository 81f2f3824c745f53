/** A configuration as the fields of a form, and back. What the form has no field for stays as it is written. */
import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { PAGINATION_STYLES, type PaginationStyle } from '../../../../shared/contract/pagination.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'
import { styleOf } from './style-names.ts'

type Entry = Partial<PaginationConfigEntry>
type Dictionary = 'query' | 'body' | 'header'

export const FORM_STYLES = ['none', ...PAGINATION_STYLES] as const

export interface ConfigFields {
  readonly style: PaginationStyle | 'none'
  readonly place: Dictionary | 'endpoint'
  /** The parameter, header or field of the body. */
  readonly name: string
  /** The expression without braces. */
  readonly value: string
  /** Whether the value is quoted, in a dictionary that is written as text. */
  readonly isQuoted: boolean
  /** Whether the value is left out if it is empty, as in `next if next else ''`. */
  readonly isGuarded: boolean
  readonly records: string
  readonly end: End
}

export type End =
  | { readonly kind: 'auto' }
  /** A response value that is true or false on the last page, checked in the next value or in `stop_when`. */
  | { readonly kind: 'flag'; readonly path: string; readonly is: boolean; readonly isInValue: boolean }
  | { readonly kind: 'when'; readonly condition: string }

export const NO_FIELDS: ConfigFields = {
  style: 'none',
  place: 'query',
  name: '',
  value: '',
  isQuoted: true,
  isGuarded: false,
  records: '',
  end: { kind: 'auto' },
}

const AUTO: End = { kind: 'auto' }

/** The initial fields of each style if nothing is known about the API. */
const FIRST_FIELDS: { readonly [S in PaginationStyle]: Partial<ConfigFields> } = {
  cursor: { name: 'cursor', value: 'previous_request.next_cursor' },
  page_number: { name: 'page', value: 'page + 1', isQuoted: false },
  offset: { name: 'offset', value: 'count', isQuoted: false },
  last_record: { name: 'starting_after', value: 'last_record.id' },
  link_header: { place: 'endpoint', value: 'links.next' },
  next_address: { place: 'endpoint', value: 'previous_request.next' },
}

export function fieldsFor(style: PaginationStyle, { records }: ConfigFields): ConfigFields {
  return { ...NO_FIELDS, ...FIRST_FIELDS[style], style, records }
}

/** The fields of a configuration, or why a form can't show it. */
export function readFields(value: unknown): ConfigFields | { readonly why: string } {
  if (value === null || value === undefined) return NO_FIELDS
  if (typeof value !== 'object') return { why: t('A configuration is a JSON object.') }
  if (Array.isArray(value))
    return { why: t('Several configurations with conditions can only be edited as JSON.') }
  const entry = value as Entry
  const moving = movingIn(entry)
  const [place] = moving
  if (place === undefined)
    return { why: t('Nothing in the configuration changes from page to page, so a form can’t show it.') }
  if (moving.length > 1 || place === 'raw_body')
    return { why: t('The next request changes in several places, or its body is text. Edit it as JSON.') }
  const found = place === 'endpoint' ? tagOf(entry.endpoint ?? '') : movingPair(entry[place])
  if (found === null) return { why: t('The form can’t show how “{{field}}” is built.', { field: place }) }
  const style = styleOf(entry) ?? 'cursor'
  const isLink = style === 'link_header' || style === 'next_address'
  const { stop_when: stop, response_jsonpath: records = '' } = entry
  const read =
    stop === undefined ? readValue(found.value) : { value: found.value, isGuarded: false, end: endOf(stop) }
  return {
    style: isLink && place !== 'endpoint' ? 'cursor' : style,
    place,
    name: found.name,
    isQuoted: found.isQuoted,
    records,
    ...read,
  }
}

/** The configuration with these fields instead of the ones it was written with; null if there is no next request. */
export function writeFields(before: unknown, was: ConfigFields, fields: ConfigFields): Entry | null {
  if (fields.style === 'none') return null
  const { place, name, end, records } = fields
  const entry: { -readonly [K in keyof Entry]: Entry[K] } = { ...(before as Entry | null) }
  const value = valueOf(fields)
  if (was.style !== 'none' && was.place !== place) drop(entry, was)
  if (place === 'endpoint') entry.endpoint = `{{ ${value} }}`
  else entry[place] = withPair(entry[place], was.place === place ? was.name : name, fields, value)
  if (records === '') delete entry.response_jsonpath
  else entry.response_jsonpath = records
  const stop = stopOf(end)
  if (stop === null) delete entry.stop_when
  else if (stop !== bare(entry.stop_when ?? '')) entry.stop_when = stop
  return entry
}

/** The parts that the form has no field for, as written in the configuration. */
export function othersIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return []
  const entry = value as Entry
  const fields = readFields(entry)
  if ('why' in fields) return []
  const keys = Object.keys(entry).filter(
    (key) =>
      !['query', 'body', 'header', 'response_jsonpath', 'stop_when', fields.place].includes(key) &&
      // False is the same as leaving the key out.
      !(key === 'replace_body' && entry.replace_body === false),
  )
  const pairs = DICTIONARIES.flatMap((key) => pairsOf(entry[key]) ?? [])
  return [
    ...pairs.filter(({ name }) => name !== fields.name).map(({ name, raw }) => `${name}: ${raw}`),
    ...keys.map((key) => `${key}: ${formatJson(entry[key as keyof Entry], 0)}`),
  ]
}

const DICTIONARIES = ['query', 'body', 'header'] as const

/** `paging.next` for `previous_request.paging.next`. */
export function shortPath(expression: string): string {
  const short = expression.replace(/^previous_request\.?/, '')
  return longPath(short) === expression ? short : expression
}

export function longPath(text: string): string {
  const path = text.trim().replace(/^\$\.?/, '')
  if (!PATH.test(path)) return text.replaceAll(/\{\{|\}\}/g, '')
  if (path.startsWith('[')) return `previous_request${path}`
  return VARIABLES.has(/^\w+/.exec(path)?.[0] ?? '') ? path : `previous_request.${path}`
}

const PATH = /^(?:[A-Za-z_]\w*|\['[^']*'\])(?:\.\w+|\['[^']*'\]|\[-?\d+\])*$/
const VARIABLES: ReadonlySet<string> = new Set(
  'previous_request previous_request_headers links last_record page count input auth status endpoint'.split(
    ' ',
  ),
)

/** The keys whose templates change from page to page. */
function movingIn(entry: Entry): readonly (ConfigFields['place'] | 'raw_body')[] {
  const keys = [...DICTIONARIES, 'endpoint', 'raw_body'] as const
  return keys.filter((key) => isMoving(textOf(entry[key])))
}

function isMoving(text: string): boolean {
  const tags = text
    .split('{{')
    .slice(1)
    .map((rest) => rest.split('}}', 1)[0] ?? '')
  return text.includes('{%') || tags.some((tag) => tag.trim() === '' || MOVING.test(tag))
}

const MOVING = /\b(?:page|count|links|last_record|previous_request(?:_headers)?)\b/

function textOf(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : formatJson(value, 0)
}

interface Pair {
  readonly name: string
  /** The value as it is written, with its quotes. */
  readonly raw: string
}

function pairsOf(dictionary: Entry[Dictionary]): readonly Pair[] | null {
  if (dictionary === undefined) return []
  if (typeof dictionary !== 'string')
    return Object.entries(dictionary).map(([name, value]) => ({ name, raw: formatJson(value, 0) }))
  const inner = /^\s*\{([^]*)\}\s*$/.exec(dictionary)?.[1]
  if (inner === undefined) return null
  const pairs = partsOf(inner).map((text): Pair | null => {
    const part = text.trim()
    const [start, name] = /^"((?:[^"\\{]|\\.)*)"\s*:/.exec(part) ?? []
    const raw = part.slice(start?.length).trim()
    return start === undefined || raw === '' ? null : { name: parseJson(`"${name}"`) as string, raw }
  })
  return pairs.every((pair) => pair !== null) ? pairs : null
}

/** Splits a text at its commas, except in templates, strings and brackets. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  let [from, depth, quote] = [0, 0, '']
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string
    if (text.startsWith('{{', at)) at = Math.max(at, text.indexOf('}}', at) + 1)
    else if (quote !== '') {
      if (char === '\\') at += 1
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  const last = text.slice(from)
  return last.trim() === '' ? parts : [...parts, last]
}

interface Tag {
  readonly name: string
  readonly value: string
  readonly isQuoted: boolean
}

/** The only pair that changes from page to page, if it is one template. */
function movingPair(dictionary: Entry[Dictionary]): Tag | null {
  const isText = typeof dictionary === 'string'
  const [pair, other] = (pairsOf(dictionary) ?? []).filter(({ raw }) => isMoving(raw))
  if (pair === undefined || other !== undefined) return null
  const raw = isText ? pair.raw : parseJson(pair.raw)
  const tag = typeof raw === 'string' ? tagOf(raw) : null
  return tag === null ? null : { ...tag, name: pair.name, isQuoted: isText ? tag.isQuoted : true }
}

function tagOf(text: string): Tag | null {
  const whole = text.trim()
  const [quote = ''] = whole
  const isQuoted = (quote === '"' || quote === "'") && whole.length > 1 && whole.endsWith(quote)
  const tag = isQuoted ? whole.slice(1, -1) : whole
  const value = tag.slice(2, -2).trim()
  const isTag = tag.length >= 4 && tag.startsWith('{{') && tag.endsWith('}}') && !/\{\{|\}\}/.test(value)
  return isTag ? { name: '', value, isQuoted } : null
}

/** `next if has_more else ''` contains both the next value and the condition under which there is none. */
function readValue(expression: string): Pick<ConfigFields, 'value' | 'isGuarded' | 'end'> {
  const [, value = '', path = '', otherwise] = IF_MORE.exec(expression) ?? []
  if (otherwise !== undefined && EMPTY.has(otherwise))
    return value === path
      ? { value, isGuarded: true, end: AUTO }
      : { value, isGuarded: false, end: { kind: 'flag', path, is: false, isInValue: true } }
  if (otherwise !== undefined && EMPTY.has(value))
    return { value: otherwise, isGuarded: false, end: { kind: 'flag', path, is: true, isInValue: true } }
  return { value: expression, isGuarded: false, end: AUTO }
}

const IF_MORE = /^(\S+) if (previous_request(?:\.\w+|\['[^']*'\])+) else (\S+)$/
const EMPTY: ReadonlySet<string> = new Set(["''", '""', 'none'])

function valueOf({ value, end, isQuoted, isGuarded, place }: ConfigFields): string {
  const nothing = isQuoted || place === 'endpoint' ? "''" : 'none'
  if (isGuarded) return `${value} if ${value} else ${nothing}`
  if (end.kind !== 'flag' || !end.isInValue) return value
  return end.is ? `${nothing} if ${end.path} else ${value}` : `${value} if ${end.path} else ${nothing}`
}

function endOf(stop: string): End {
  const condition = bare(stop)
  const [, not, path] = /^(not )?(previous_request(?:\.\w+|\['[^']*'\])+)$/.exec(condition) ?? []
  return path === undefined
    ? { kind: 'when', condition }
    : { kind: 'flag', path, is: not === undefined, isInValue: false }
}

function stopOf(end: End): string | null {
  if (end.kind === 'when') return end.condition
  return end.kind === 'auto' || end.isInValue ? null : `${end.is ? '' : 'not '}${end.path}`
}

function bare(condition: string): string {
  return tagOf(condition)?.value ?? condition
}

/** Removes the changing value from its old place. */
function drop(entry: { -readonly [K in keyof Entry]: Entry[K] }, { place, name }: ConfigFields): void {
  if (place === 'endpoint') {
    delete entry.endpoint
    return
  }
  const dictionary = entry[place]
  const left = (pairsOf(dictionary) ?? []).filter((pair) => pair.name !== name)
  if (left.length === 0) delete entry[place]
  else entry[place] = joined(left, typeof dictionary === 'string')
}

function withPair(
  dictionary: Entry[Dictionary],
  before: string,
  { name, isQuoted }: ConfigFields,
  value: string,
): Entry[Dictionary] {
  const isText = dictionary === undefined || typeof dictionary === 'string'
  const tag = `{{ ${value} }}`
  const pair = { name, raw: isText ? (isQuoted ? `"${tag}"` : tag) : formatJson(tag, 0) }
  const pairs = pairsOf(dictionary) ?? []
  const at = pairs.findIndex((one) => one.name === before)
  return joined(at === -1 ? [...pairs, pair] : pairs.with(at, pair), isText)
}

function joined(pairs: readonly Pair[], isText: boolean): Entry[Dictionary] {
  if (!isText)
    return Object.fromEntries(pairs.map(({ name, raw }) => [name, parseJson(raw)])) as Exclude<
      Entry[Dictionary],
      string
    >
  return `{${pairs.map(({ name, raw }) => `${formatJson(name, 0)}: ${raw}`).join(', ')}}`
}
