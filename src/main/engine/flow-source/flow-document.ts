/** A flow's file as written, so that problems can be located in it, and fixes leave everything else unchanged. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml'
import type { StepEdit } from '../../../shared/contract/base/step-edits.ts'
import { CHILD_LISTS } from '../../../shared/contract/base/step-lists.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary } from '@millrace/jinja/data'
import { MARK, SCHEMA_KEY } from './file-marks.ts'
import { dataOf, documentFault } from './yaml.ts'

type Keys = readonly (string | number)[]

export interface FilePlace {
  readonly line: number
  readonly column: number
}

export interface FlowDocument {
  /** The file's content without its marks. */
  readonly source: Data
  /** The place of a field in the file, or of a position in the field's text. */
  placeOf(path: string, at?: FilePlace | null): FilePlace
  /** The string at a path; null if there is none. */
  textAt(path: string): string | null
  /** Sets and removes fields. Returns false if a step or field doesn't exist. */
  apply(edits: readonly StepEdit[]): boolean
  toString(): string
}

/** Null if it isn't a flow; `readYaml` says why. */
export function readFlowDocument(text: string): FlowDocument | null {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true })
  if (documentFault(document)) return null
  const value = dataOf(document.contents, 0)
  if (!isDictionary(value)) return null
  const source = dictionaryOf(entriesOf(value).filter(([key]) => key !== MARK && key !== SCHEMA_KEY))
  return {
    source,
    placeOf(path, at = null) {
      const { node, key } = nodeAt(document, path)
      const isText = isScalar(node) && typeof node.value === 'string'
      const [begin = 0] = rangeOf(at !== null && isText ? node : (key ?? node))
      const { line, col } = lines.linePos(begin)
      return at !== null && isText ? inText(text, node, { line, column: col }, at) : { line, column: col }
    },
    textAt(path) {
      const { node, isExact } = nodeAt(document, path)
      return isExact && isScalar(node) && typeof node.value === 'string' ? node.value : null
    },
    apply(edits) {
      return edits.every((edit, index) => applyEdit(document, edit, edits[index + 1] ?? null))
    },
    toString: () => document.toString({ lineWidth: 0, blockQuote: 'literal' }),
  }
}

const rangeOf = (node: unknown): readonly number[] =>
  (node as { readonly range?: readonly number[] | null } | null)?.range ?? []

/**
 * Converts a position in a string to its place in the file. Exact for block strings and one-line strings without
 * escapes.
 */
function inText(text: string, node: Scalar, begin: FilePlace, at: FilePlace): FilePlace {
  const [start = 0, end = start] = rangeOf(node)
  const written = text.slice(start, end)
  if (/^[|>]/.test(written)) {
    const line = text.split('\n')[begin.line] ?? ''
    const indent = line.length - line.trimStart().length
    return { line: begin.line + at.line, column: indent + at.column }
  }
  const quote = /^["']/.test(written) ? 1 : 0
  const isPlain = written.slice(quote, written.length - quote) === node.value && !written.includes('\n')
  return isPlain ? { line: begin.line, column: begin.column + quote + at.column - 1 } : begin
}

interface FoundNode {
  readonly node: unknown
  readonly key: unknown
  readonly keys: Keys
  /** False if the path doesn't exist; then `node` is the nearest one around it. */
  readonly isExact: boolean
}

/** Follows `steps[1].config.values.a`, whose keys can have dots. */
function nodeAt(document: Document.Parsed, path: string): FoundNode {
  let rest = path
  let node: unknown = document.contents
  let key: unknown = null
  const keys: (string | number)[] = []
  while (rest !== '') {
    if (isSeq(node)) {
      const index = Number(/^\[(\d+)\]/.exec(rest)?.[1] ?? NaN)
      const item = node.items[index]
      if (item === undefined) return { node, key, keys, isExact: false }
      rest = rest.slice(String(index).length + 2).replace(/^\./, '')
      ;[node, key] = [item, null]
      keys.push(index)
      continue
    }
    const pair = isMap(node) ? pairFor(node.items, rest) : undefined
    if (pair === undefined) return { node, key, keys, isExact: false }
    const name = nameOf(pair)
    rest = rest.slice(name.length).replace(/^\./, '')
    ;[node, key] = [pair.value, pair.key]
    keys.push(name)
  }
  return { node, key, keys, isExact: true }
}

const nameOf = ({ key }: Pair) => (isScalar(key) ? String(key.value) : '')

/** The longest key that the path continues with. */
function pairFor(pairs: readonly Pair[], rest: string): Pair | undefined {
  return pairs
    .filter((pair) => rest.startsWith(nameOf(pair)) && /^(?:$|[.[])/.test(rest.slice(nameOf(pair).length)))
    .toSorted((one, other) => nameOf(other).length - nameOf(one).length)[0]
}

const LISTS: readonly string[] = CHILD_LISTS

/** The keys that lead to the step with this name. */
function stepAt(document: Document.Parsed, list: Keys, ref: string): Keys | null {
  const steps: unknown = document.getIn(list, true)
  for (const [index, step] of (isSeq(steps) ? steps.items : []).entries()) {
    if (!isMap(step)) continue
    const at = [...list, index]
    if (step.get('ref_id') === ref) return at
    const cases: unknown = step.get('cases', true)
    const inner: Keys[] = LISTS.filter((name) => step.has(name)).map((name) => [...at, name])
    if (isSeq(cases)) inner.push(...cases.items.map((_, place) => [...at, 'cases', place, 'steps']))
    for (const place of inner) {
      const found = stepAt(document, place, ref)
      if (found !== null) return found
    }
  }
  return null
}

function applyEdit(document: Document.Parsed, edit: StepEdit, next: StepEdit | null): boolean {
  if (edit.op !== 'set' && edit.op !== 'unset') return false
  const step = stepAt(document, ['steps'], edit.ref_id)
  if (step === null) return false
  const keys = [...step, ...keysOf(edit.path)]
  if (edit.op === 'unset') {
    if (next?.op === 'set' && isRenamed(edit.path, next.path)) return renameKey(document, keys, next.path)
    return document.deleteIn(keys)
  }
  const held: unknown = document.getIn(keys, true)
  if (isScalar(held) && typeof held.value === typeof edit.value) held.value = edit.value
  else document.setIn(keys, document.createNode(edit.value))
  return true
}

const keysOf = (pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))

const parentOf = (pointer: string) => pointer.slice(0, pointer.lastIndexOf('/'))
const isRenamed = (from: string, to: string) => parentOf(from) === parentOf(to)

/** Renames the key in place, so that it keeps its position and comments. */
function renameKey(document: Document.Parsed, keys: Keys, to: string): boolean {
  const parent: unknown = keys.length === 1 ? document.contents : document.getIn(keys.slice(0, -1), true)
  const pair = isMap(parent) ? parent.items.find((one) => nameOf(one) === String(keys.at(-1))) : undefined
  if (pair === undefined || !isScalar(pair.key)) return false
  pair.key.value = keysOf(to).at(-1)
  return true
}
