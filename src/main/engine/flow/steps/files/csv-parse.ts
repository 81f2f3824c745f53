import type { StepConfig } from '../../../../../shared/contract/steps.ts'
import { parseCsv } from '../../../csv/parse-csv.ts'
import { type Data, dictionaryOf } from '../../../data/value.ts'
import { decodeFile } from '../../../data/decode-text.ts'
import { asTextFailure, readText } from '../support/read-text.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/** Parses CSV to a list: of objects keyed by the first row, or of lists. Every value is a string. */
export const csvParse: StepRunner<'csv_parse'> = {
  outside: false,
  run({ config }, scope) {
    const encoding = scope.renderText('config.encoding', config.encoding)
    const text = readText(config, scope, ({ content }) => decodeFile(content, encoding))
    scope.showInput(text)
    const rows = readRows(text, config, scope)
    if (!config.header) return rows
    const [first = [], ...records] = rows
    const names = toNames(first)
    return records.map((row) => toDictionary(names, row))
  },
}

function readRows(text: string, config: StepConfig<'csv_parse'>, scope: StepScope): string[][] {
  const chosen = scope.renderText('config.delimiter', config.delimiter)
  const delimiter = chosen === 'auto' ? findDelimiter(text) : readDelimiter(chosen, scope)
  try {
    return parseCsv(text, { delimiter })
  } catch (error) {
    throw asTextFailure(error, config, scope)
  }
}

/** One character; a tab can be written as `\t` or `tab`. */
export function readDelimiter(chosen: string, scope: StepScope): string {
  if (chosen === '\\t' || chosen === 'tab') return '\t'
  if (chosen.length === 1 && !/["\r\n]/.test(chosen)) return chosen
  throw scope.fail(
    'validation',
    `"delimiter" is ${JSON.stringify(chosen.slice(0, 20))}; use one character other than a quote, such as ; or tab`,
    { field: 'config.delimiter' },
  )
}

function findDelimiter(text: string): string {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: line.split(mark).length }))
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).mark
}

/** Repeated names get a number, so that no column overwrites another. */
function toNames(row: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const [at, field] of row.entries()) {
    const name = field.trim() || `column_${at + 1}`
    let free = name
    for (let count = 2; names.has(free) || (free !== name && row.includes(free)); count++)
      free = `${name}_${count}`
    names.add(free)
  }
  return [...names]
}

/** A row that is too short has null for the missing columns; extra fields are called `column_4` and so on. */
function toDictionary(names: readonly string[], row: readonly string[]): Data {
  const width = Math.max(names.length, row.length)
  return dictionaryOf(
    Array.from({ length: width }, (_, at): [string, Data] => [
      names[at] ?? `column_${at + 1}`,
      row[at] ?? null,
    ]),
  )
}
