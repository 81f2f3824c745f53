import { say } from '../../data/said.ts'
import { CsvError, parseCsv } from '../../csv/parse-csv.ts'
import { writeCsv } from '../../csv/write-csv.ts'
import { JsonError, parseJson } from '../../data/json.ts'
import { type Data, Float, isDictionary, isList } from '../../data/value.ts'
import { parseXml, XmlError } from '../../xml/parse-xml.ts'
import { writeXml, XmlWriteError } from '../../xml/write-xml.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkListSize, checkTextSize, spend } from '../base/limits.ts'
import { needInt, needText } from '../methods/arguments.ts'
import { Dict, fromData, List } from '../values/containers.ts'
import { valuesOf } from '../values/iterate.ts'
import { textOf } from '../values/repr.ts'
import { toData } from '../values/to-data.ts'
import { isTrue, typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { type Filter, filter } from '../calls/operation.ts'
import { toJson } from './json.ts'

/** Filters that convert between strings and data. */
export const DATA_FILTERS: readonly Filter[] = [
  filter('jsonify', 'indent=none', 'Converts to JSON, keys in their order.', (value, [indent]) => {
    const spaces = indent === null ? null : ' '.repeat(Math.min(100, Math.max(0, Number(needInt(indent)))))
    return toJson(value, { indent: spaces, sorted: false, ascii: false, standard: true })
  }),
  filter(
    'js_text',
    '',
    'Converts to a string as JavaScript does: empty for none, true, 1,2 for a list.',
    (value) => {
      if (typeof value === 'string') return value
      const text = scriptText(toData(value))
      checkTextSize(text.length)
      return text
    },
  ),
  filter(
    'parse_csv',
    "delimiter=',', header=true",
    'Parses CSV into rows: dicts if there is a header, otherwise lists.',
    (value, [delimiter, header]) => {
      const rows = reading(() => parseCsv(sourceText(value, 4), { delimiter: delimiterOf(delimiter) }))
      spend(rows.length * 2)
      return isTrue(header) ? byHeader(rows) : new List(rows.map((row) => new List(row)))
    },
  ),
  filter(
    'parse_json',
    'default=none',
    "Parses JSON, or returns the default if it isn't JSON.",
    (value, [fallback]) => {
      if (value instanceof Thing && !(value instanceof Markup || value instanceof Undefined)) return value
      try {
        return fromData(parseJson(sourceText(value, 2)))
      } catch (error) {
        if (!(error instanceof JsonError)) throw error
        if (fallback !== null) return fallback
        throw argumentFault(
          say`The string isn't JSON. ${error.said}`,
          say`Write parse_json(default={}) if it may not be JSON`,
        )
      }
    },
  ),
  filter('parse_xml', '', 'Parses XML: elements as keys, attributes as @name.', (value) =>
    fromData(reading(() => parseXml(sourceText(value, 8)))),
  ),
  filter(
    'to_csv',
    "delimiter=',', header=true",
    'Writes rows as CSV: dicts with a header, or lists.',
    (value, [delimiter, header]) => {
      const text = writeCsv(rowsOf(value, isTrue(header)), delimiterOf(delimiter))
      checkTextSize(text.length)
      return text
    },
  ),
  filter(
    'to_xml',
    'root=none, indent=none, declaration=false',
    'Writes a dict as XML; root wraps it in an element.',
    (value, [root, indent, declaration]) => {
      const data = toData(value)
      const whole = root === null ? data : { [needText('to_xml', root)]: data }
      const style = {
        indent: indent === null ? 0 : Math.min(16, Number(needInt(indent))),
        declaration: isTrue(declaration),
      }
      const text = reading(() => writeXml(whole, style))
      checkTextSize(text.length)
      return text
    },
  ),
]

/** The string to parse. It is charged in advance, because parsing costs more than copying. */
function sourceText(value: Value, factor: number): string {
  if (value instanceof Undefined) throw value.fault()
  if (typeof value !== 'string' && !(value instanceof Markup)) {
    throw typeFault(say`Expected a string, not ${typeName(value)}`)
  }
  const text = textOf(value)
  checkTextSize(text.length)
  spend((text.length / 32) * factor)
  return text
}

/** Runs a parser; its errors are about the template or its data and are passed on unchanged. */
function reading<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CsvError || error instanceof XmlError || error instanceof XmlWriteError) {
      throw argumentFault(error.said)
    }
    throw error
  }
}

function delimiterOf(value: Value): string {
  const delimiter = needText('delimiter', value)
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw argumentFault(say`The delimiter must be one character other than a quote`)
  return delimiter
}

function byHeader([header = [], ...rows]: readonly (readonly string[])[]): List {
  checkListSize(rows.length)
  return new List(
    rows.map((row) => {
      spend(header.length)
      return Dict.from(header.map((name, index) => [name, row[index] ?? ''] as const))
    }),
  )
}

function rowsOf(value: Value, withHeader: boolean): string[][] {
  const items = valuesOf(value)
  const names: Value[] = []
  const known = new Set<string>()
  for (const item of items) {
    if (!(item instanceof Dict)) continue
    for (const key of item.keys()) {
      spend(1)
      const name = textOf(key)
      if (!known.has(name)) names.push(key)
      known.add(name)
    }
  }
  const rows = items.map((item) => fieldsOf(item, names))
  return withHeader && names.length > 0 ? [names.map(textOf), ...rows] : rows
}

function fieldsOf(item: Value, names: readonly Value[]): string[] {
  if (item instanceof Dict) return names.map((name) => fieldText(item.get(name) ?? null))
  if (item instanceof List || item instanceof Tuple) return valuesOf(item).map(fieldText)
  throw typeFault(say`A row must be a dict or a list, not ${typeName(item)}`)
}

/** Like JavaScript's `[value].join('')`, but integers that it would round keep their digits. */
function scriptText(value: Data): string {
  spend(1)
  if (value === null || Number.isNaN(value)) return ''
  if (isList(value)) return value.map(scriptText).join(',')
  if (value instanceof Float) return String(value.value)
  return isDictionary(value) ? '[object Object]' : String(value)
}

/** None becomes an empty field; containers become JSON. */
function fieldText(value: Value): string {
  spend(2)
  if (value === null || value instanceof Undefined) return ''
  if (value instanceof Dict || value instanceof List || value instanceof Tuple) {
    return toJson(value, { indent: null, sorted: false, ascii: false, standard: true })
  }
  return textOf(value)
}
