import { say } from '../data/said.ts'
import { CsvError, parseCsv } from './parse-csv.ts'

/**
 * Reads the rows of CSV of any size as they arrive, in pieces of text.
 *
 * @throws CsvError
 */
export async function* readCsvRows(
  pieces: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<readonly string[]> {
  let text = ''
  let lines = 0
  let state: State = { at: 0, end: 0, isQuoted: false, isStart: true }
  function rowsIn(part: string): string[][] {
    try {
      return parseCsv(part, { delimiter, maxFields: Infinity })
    } catch (error) {
      throw error instanceof CsvError ? error.after(lines) : error
    }
  }
  for await (const piece of pieces) {
    text += piece
    state = advance(text, state, delimiter)
    const whole = text.slice(0, state.end)
    yield* rowsIn(whole)
    lines += whole.split('\n').length - 1
    text = text.slice(state.end)
    state = { ...state, at: state.at - state.end, end: 0 }
    if (text.length > MOST_ROW)
      throw new CsvError(lines + 1, say`a row has more than ${MOST_ROW} characters.`)
  }
  yield* rowsIn(text)
}

/** The character that separates the fields of the first line. */
export function delimiterOf(text: string): string {
  const { end } = advance(text, { at: 0, end: 0, isQuoted: false, isStart: true }, ',', true)
  const line = end === 0 ? text : text.slice(0, end)
  // Leaves out quoted parts.
  const plain = line.split('"').filter((_, at) => at % 2 === 0)
  const counts = DELIMITERS.map((delimiter) => plain.join('').split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

interface State {
  /** The position up to which the text was scanned. */
  readonly at: number
  /** The end of the last complete row. */
  readonly end: number
  readonly isQuoted: boolean
  /** Whether a field begins here, which a quote would open. */
  readonly isStart: boolean
}

function advance(text: string, from: State, delimiter: string, isFirstOnly = false): State {
  let { at, end, isQuoted, isStart } = from
  for (; at < text.length; at++) {
    const unit = text[at]
    // The meaning of these characters depends on what follows.
    if (at + 1 === text.length && ((isQuoted && unit === '"') || unit === '\r')) break
    if (isQuoted) {
      if (unit !== '"') continue
      if (text[at + 1] === '"') at++
      else isQuoted = false
    } else if (isStart && unit === '"') {
      isQuoted = true
      isStart = false
    } else if (unit === '\n' || (unit === '\r' && text[at + 1] !== '\n')) {
      end = at + 1
      isStart = true
      if (isFirstOnly) break
    } else isStart = unit === delimiter
  }
  return { at, end, isQuoted, isStart }
}

/** The delimiters that are recognized. */
export const DELIMITERS = [',', ';', '\t', '|']
const MOST_ROW = 50_000_000
