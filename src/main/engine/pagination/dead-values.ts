import type { TakenValue } from '../template/index.ts'
import { readsResponse } from './end-of-list.ts'

/**
 * The source of a dictionary with the quotes taken away around each `{{ … }}` whose value the response
 * does not have, so that it renders to null. Inside quotes it would be sent as an empty text or as
 * `None`; in an object instead of a string it is null already.
 *
 * @param isDead tells which values count as not there
 * @returns null where there are none
 */
export function withoutDeadQuotes(
  source: string,
  taken: readonly TakenValue[],
  isDead: (value: TakenValue['value']) => boolean,
): string | null {
  const text = source.replaceAll(/\r\n?/g, '\n') // as places in it are counted
  const quotes = new Set<number>()
  for (const value of taken) {
    if (!isDead(value.value) || !readsResponse(value.names)) continue
    const start = offsetOf(text, value)
    const end = endOfStatement(text, start, value.source)
    const before = text[start - 1]
    if ((before === '"' || before === "'") && text[end] === before) quotes.add(start - 1).add(end)
  }
  if (quotes.size === 0) return null
  return text
    .split('')
    .filter((_, at) => !quotes.has(at))
    .join('')
}

/** Columns count code points from 1. */
function offsetOf(text: string, { line, column }: TakenValue): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((length, part) => length + part.length + 1, 0)
  return (
    before +
    Array.from(lines[line - 1] ?? '')
      .slice(0, column - 1)
      .join('').length
  )
}

/** -1 where the statement does not stand there. */
function endOfStatement(text: string, start: number, expression: string): number {
  const at = text.startsWith('{{', start) ? text.indexOf(expression, start) : -1
  const closing = at === -1 ? null : /^\s*-?\}\}/.exec(text.slice(at + expression.length))
  return closing === null ? -1 : at + expression.length + closing[0].length
}
