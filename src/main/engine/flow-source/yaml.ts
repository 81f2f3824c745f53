/** A flow as a YAML file. It is written in one canonical form, and each problem is reported with its line. */
import {
  type Document,
  Document as YamlDocument,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  type ScalarTag,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { type FlowSource, flowSource } from '../../../shared/contract/flow-files.ts'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  Float,
  isDictionary,
  isList,
  writeJson,
} from '@millrace/jinja/data'
import { MARK, SCHEMA_KEY, VERSION } from './file-marks.ts'
import type { NormalSource } from './normal-form.ts'

export function writeYaml(source: NormalSource): string {
  const document = new YamlDocument(null, { customTags: (tags) => [WHOLE_FLOAT, ...tags] })
  document.contents = nodeOf({ [MARK]: VERSION, ...source }) as never
  return document.toString({ lineWidth: 0, blockQuote: 'literal' })
}

const WHOLE_FLOAT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof Float,
  resolve: Number,
  stringify: ({ value }) => writeJson(value as Float),
}

function nodeOf(value: Data): Scalar | YAMLMap | YAMLSeq {
  if (isList(value)) {
    const list = new YAMLSeq()
    for (const item of value) list.items.push(nodeOf(item))
    return list
  }
  if (isDictionary(value)) {
    const map = new YAMLMap<Scalar>()
    for (const [key, item] of entriesOf(value)) map.set(scalarOf(key), nodeOf(item))
    return map
  }
  return scalarOf(value)
}

function scalarOf(value: Data): Scalar {
  const scalar = new Scalar(value)
  if (typeof value === 'string' && NEEDS_ESCAPES.test(value)) scalar.type = 'QUOTE_DOUBLE'
  return scalar
}

/** Line breaks that a YAML parser or Git would change, and invisible characters. */
// oxlint-disable-next-line no-control-regex -- exactly those are meant
const NEEDS_ESCAPES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/

export interface SourceFault {
  readonly line: number
  readonly message: string
}

export type ReadYaml =
  | { readonly source: FlowSource; readonly idLine: number }
  | { readonly faults: readonly SourceFault[] }

export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      intAsBigInt: true,
    })
    const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
      line: lines.linePos(pos[0]).line,
      message:
        code === 'MULTIPLE_DOCS' ? 'a second document begins here; use one file for each flow' : message,
    }))
    if (faults.some(({ message }) => /call stack/.test(message))) return TOO_DEEP
    if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS) }
    return readDocument(document, lines)
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    if (error instanceof ValueFault) return { faults: [error.at(lines)] }
    throw error
  }
}

const MOST_FAULTS = 20
const TOO_DEEP = { faults: [{ line: 1, message: `is nested more than ${LIMITS.jsonDepth} deep` }] }

/** Whether the document can't be read as YAML, or lacks the mark of this version. */
export function documentFault({ errors, warnings, contents }: Document.Parsed): boolean {
  return errors.length + warnings.length > 0 || !isMap(contents) || Number(contents.get(MARK)) !== VERSION
}

function readDocument(document: Document.Parsed, lines: LineCounter): ReadYaml {
  const value = dataOf(document.contents, 0)
  if (!isDictionary(value) || !isMap(document.contents))
    return { faults: [{ line: 1, message: `isn't a flow: "${MARK}: ${VERSION}" is expected first` }] }
  const { [MARK]: version, [SCHEMA_KEY]: _, ...rest } = Object.fromEntries(entriesOf(value))
  if (version !== VERSION) {
    const message =
      version === undefined
        ? `isn't a flow: "${MARK}: ${VERSION}" is missing`
        : typeof version === 'number' && version > VERSION
          ? `has version ${version} of the format, which this Millrace doesn't know; update Millrace`
          : `"${MARK}" must be ${VERSION}`
    return { faults: [{ line: lineAt(document, lines, [MARK]), message }] }
  }
  try {
    return { source: parseInput(flowSource, rest, 'file'), idLine: lineAt(document, lines, ['id']) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fields = Object.entries((error.data ?? {}) as Record<string, readonly string[]>)
    const faults = fields.map(([field, [message = '']]) => ({
      line: lineAt(document, lines, keysIn(field)),
      message: `${field} ${message}`,
    }))
    return { faults: faults.toSorted((one, other) => one.line - other.line).slice(0, MOST_FAULTS) }
  }
}

/** `steps[1].config.url` */
const keysIn = (field: string) =>
  [...field.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g)].map(([, index, quoted, key]) =>
    index === undefined ? (quoted ?? key ?? '') : Number(index),
  )

/** The line of the value at these keys, or of the nearest value around it. */
function lineAt(document: Document.Parsed, lines: LineCounter, keys: readonly (string | number)[]): number {
  for (let length = keys.length; length > 0; length--) {
    const node: unknown = document.getIn(keys.slice(0, length), true)
    const range = (node as { readonly range?: readonly number[] | null } | undefined)?.range
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line
  }
  return 1
}

class ValueFault extends Error {
  readonly #offset: number

  constructor(node: unknown, message: string) {
    super(message)
    this.#offset = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0
  }

  at(lines: LineCounter): SourceFault {
    return { line: lines.linePos(this.#offset).line, message: this.message }
  }
}

export function dataOf(node: unknown, depth: number): Data {
  if (depth > LIMITS.jsonDepth) throw new ValueFault(node, `is nested more than ${LIMITS.jsonDepth} deep`)
  if (node === null || node === undefined) return null
  if (isAlias(node)) throw new ValueFault(node, 'an alias (*) is not supported; write the value again')
  if (isSeq(node)) return node.items.map((item) => dataOf(item, depth + 1))
  if (isMap(node)) {
    return dictionaryOf(
      node.items.map(({ key, value }): [string, Data] => [keyOf(key), dataOf(value, depth + 1)]),
    )
  }
  if (isScalar(node)) return scalarData(node)
  throw new ValueFault(node, 'is not a plain value')
}

function keyOf(key: unknown): string {
  if (!isScalar(key)) throw new ValueFault(key, 'a key must be a string')
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function scalarData(node: Scalar): Data {
  const { value } = node
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ValueFault(node, 'is not a number that JSON has')
    return Number.isInteger(value) ? new Float(value) : value
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  throw new ValueFault(node, 'is not a plain value')
}
