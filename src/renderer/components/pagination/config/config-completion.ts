import { endOf } from '../../../../shared/trim.ts'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { jsonPathPart } from '../../../lib/json-rows.ts'
import { CONFIG_KEYS, TEMPLATE_VARIABLES } from './config-keys.ts'
import { cursorPlace } from './cursor-place.ts'

/** The last response; paths into it are offered. */
export interface ResponseSample {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

export interface Choice {
  readonly label: string
  readonly detail?: string
  readonly info?: string
  /** The inserted text; `#{}` is the cursor position afterwards. Defaults to the label. */
  readonly snippet?: string
}

export interface Completion {
  /** The text from here to the cursor is replaced. */
  readonly from: number
  readonly choices: readonly Choice[]
}

/** The completions at a position of a configuration. */
export function completeConfig(
  text: string,
  offset: number,
  sample: ResponseSample | null,
): Completion | null {
  const place = cursorPlace(text, offset)
  if (place === null) return null
  if (place.kind === 'key') {
    const choices = Object.entries(CONFIG_KEYS)
      .filter(([key]) => !place.siblings.includes(key))
      .map(([key, { detail, info, snippet }]) => ({ label: key, detail: t(detail), info: t(info), snippet }))
    return { from: place.from, choices }
  }
  const help = Object.hasOwn(CONFIG_KEYS, place.key)
    ? CONFIG_KEYS[place.key as keyof typeof CONFIG_KEYS]
    : null
  if (help?.values !== undefined) {
    // Inside quotes, the choices are offered without quotes.
    const choices = help.values.map((value) => ({
      label: place.text === null ? value : value.replaceAll('"', ''),
    }))
    return { from: place.from, choices }
  }
  if (place.text === null) return null
  const expression = openTag(place.text) ?? (isCondition(place.key) ? place.text : null)
  if (expression !== null) return inExpression(expression, offset, sample)
  const isPath = place.key === 'response_jsonpath'
  const choices = listsIn(sample?.body).map(({ path, length }) => ({
    label: path,
    detail: plural(length, 'item'),
  }))
  return isPath ? { from: place.from, choices } : null
}

/** The text from the last tag that is still open; null if none is. */
function openTag(text: string): string | null {
  const at = text.indexOf('{{', text.lastIndexOf('}') + 1)
  return at === -1 ? null : text.slice(at)
}

function isCondition(key: string): boolean {
  return key === 'when' || key === 'stop_when' || key === 'retry_when'
}

function inExpression(expression: string, offset: number, sample: ResponseSample | null): Completion {
  const typed = endOf(expression, /[\w.[\]]/)
  const dot = typed.lastIndexOf('.')
  if (dot === -1) {
    const choices = TEMPLATE_VARIABLES.map(({ name, info }) => ({ label: name, info: t(info) }))
    return { from: offset - typed.length, choices }
  }
  const choices = membersOf(valueAt(typed.slice(0, dot), sample))
  return { from: offset - (typed.length - dot - 1), choices }
}

/** `previous_request.paging.next` in the sample. */
export function valueAt(path: string, sample: ResponseSample | null): unknown {
  const parts = path.match(/\['[^']*'\]|[^.[\]]+/g) ?? []
  const [root, ...keys] = parts.map((part) => part.replace(/^\['(.*)'\]$/, '$1'))
  const start =
    root === 'previous_request'
      ? sample?.body
      : root === 'previous_request_headers'
        ? sample?.headers
        : undefined
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    start,
  )
}

function membersOf(value: unknown): readonly Choice[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value)
    .filter(([key]) => /^[A-Za-z_]\w*$/.test(key))
    .map(([key, member]) => ({ label: key, detail: shown(member) }))
}

const MAX_LIST_DEPTH = 4

/** The lists of a response, the longest first. */
export function listsIn(body: unknown): readonly { readonly path: string; readonly length: number }[] {
  const found: { path: string; length: number }[] = []
  const visit = (value: unknown, path: string, depth: number) => {
    if (Array.isArray(value)) found.push({ path, length: value.length })
    else if (typeof value === 'object' && value !== null && depth < MAX_LIST_DEPTH)
      for (const [key, member] of Object.entries(value))
        visit(member, `${path}${jsonPathPart(key)}`, depth + 1)
  }
  visit(body, '$', 0)
  return found.toSorted((a, b) => b.length - a.length)
}

export function shown(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, 'item')
  if (typeof value === 'object' && value !== null) return '{…}'
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return text.length > 32 ? `${text.slice(0, 31)}…` : text
}
