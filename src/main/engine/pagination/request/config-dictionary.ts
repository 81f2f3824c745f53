import type { DataMap, Dictionary, Data } from '@millrace/jinja/data'
import { NotADictionaryError, renderDictionary, type TracedValue } from '@millrace/jinja'
import { type PageContext, RENDER_OPTIONS, readsResponse } from '../model/page-config.ts'

/** A rendered `query`, `body` or `header`. */
interface ConfigDictionary {
  readonly value: Dictionary
  readonly traced: readonly TracedValue[]
}

/**
 * Renders a `query`, `body` or `header` as it is sent.
 *
 * @param isFirst whether there is no response yet
 * @returns null if it renders to nothing
 */
export function renderConfigDictionary(
  source: string | Dictionary,
  context: PageContext,
  isFirst: boolean,
): ConfigDictionary | null {
  const rendered = renderOrNothing(source, context)
  if (rendered === null) return null
  const { value, traced } = rendered
  const live = typeof source === 'string' ? unquoteAbsentValues(source, traced, isFirst) : null
  return { value: live === null ? value : renderDictionary(live, context, RENDER_OPTIONS).value, traced }
}

function renderOrNothing(source: string | Dictionary, context: PageContext) {
  try {
    return renderDictionary(source as string | DataMap, context, RENDER_OPTIONS)
  } catch (error) {
    if (error instanceof NotADictionaryError && error.text === '') return null
    throw error
  }
}

/**
 * The source of an object without the quotes around each `{{ … }}` whose value is missing in the response, so that it
 * renders to null. In quotes it would be sent as an empty string or as `None`. If the source is an object rather than
 * a string, it is null already.
 *
 * @param isFirst whether there is no response yet, so that an empty string counts as missing too
 * @returns null if there are none
 */
export function unquoteAbsentValues(
  source: string,
  traced: readonly TracedValue[],
  isFirst: boolean,
): string | null {
  const text = source.replaceAll(/\r\n?/g, '\n') // positions are counted in this string
  const quoted = new Map<number, number>()
  for (const value of traced) {
    if (!isAbsent(value.value, isFirst) || !readsResponse(value.names)) continue
    const start = offsetOf(text, value)
    const end = endOfStatement(text, start, value.source)
    const quote = text[start - 1]
    if ((quote === '"' || quote === "'") && text[end] === quote) quoted.set(start, end)
  }
  if (quoted.size === 0) return null
  const spans = [...quoted].toSorted(([a], [b]) => a - b)
  const parts = spans.map(([start, end], index) => {
    const before = text.slice((spans[index - 1]?.[1] ?? -1) + 1, start - 1)
    // In a later iteration of a {% for %} the same place may have a value.
    return before + (isFirst ? 'null' : text.slice(start, end))
  })
  return parts.join('') + text.slice((spans.at(-1)?.[1] ?? 0) + 1)
}

function isAbsent(value: Data | undefined, isFirst: boolean): boolean {
  return (
    value === undefined || value === null || (isFirst && typeof value === 'string' && value.trim() === '')
  )
}

/** Columns count code points from 1. */
function offsetOf(text: string, { line, column }: TracedValue): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((length, part) => length + part.length + 1, 0)
  const ofLine = Array.from(lines[line - 1] ?? '').slice(0, column - 1)
  return before + ofLine.join('').length
}

/** The position just after its `}}`; -1 if the statement isn't there. */
function endOfStatement(text: string, start: number, expression: string): number {
  const at = text.startsWith('{{', start) ? text.indexOf(expression, start) : -1
  const closing = at === -1 ? null : /^\s*-?\}\}/.exec(text.slice(at + expression.length))
  return closing === null ? -1 : at + expression.length + closing[0].length
}
