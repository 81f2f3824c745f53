import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { delimiterNamed, DELIMITERS, parseCsv, toDictionary, toNames } from '@millrace/jinja/csv'
import { decodeFile } from '@millrace/jinja/data'
import { asTextFailure, readText } from '../support/read-text.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/** Parses CSV to a list of objects keyed by the first row, or to a list of lists. Every value is a string. */
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
  const delimiter = delimiterNamed(chosen)
  if (delimiter !== null) return delimiter
  throw scope.fail(
    'validation',
    say('"delimiter" is {{value}}; use one character other than a quote, such as ; or tab', {
      value: JSON.stringify(chosen.slice(0, 20)),
    }),
    { field: 'config.delimiter' },
  )
}

function findDelimiter(text: string): string {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const counts = DELIMITERS.map((mark) => ({ mark, count: line.split(mark).length }))
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).mark
}
