import { current, limitFault, spend } from '../base/limits.ts'
import { Dict, List } from '../values/containers.ts'
import { sortValues } from '../values/order.ts'
import { pointLength } from '../text/code-points.ts'
import { repr } from '../values/repr.ts'
import { Tuple, type Value } from '../base/value.ts'

const WIDTH = 80

/** Python's `pprint.pformat`: one line if the value fits in 80 columns, or else one item per line, with sorted keys. */
export function prettyText(value: Value): string {
  return pretty(value, 0, 0, 0)
}

/** @param indent columns before it @param allowance columns needed after it */
function pretty(value: Value, indent: number, allowance: number, depth: number): string {
  spend(4)
  if (depth > current.limits.nesting) throw limitFault('nesting')
  const flat = flatText(value)
  if (pointLength(flat) <= WIDTH - indent - allowance) return flat
  if (value instanceof Dict && value.size > 0) return prettyDict(value, indent, allowance, depth)
  if (value instanceof List && value.length > 0) {
    return `[${prettyItems(value.values(), indent + 1, allowance + 1, depth)}]`
  }
  if (value instanceof Tuple && value.items.length > 0) {
    const end = value.items.length === 1 ? ',)' : ')'
    return `(${prettyItems(value.items, indent + 1, allowance + end.length, depth)}${end}`
  }
  if (typeof value === 'string') return prettyString(value, indent, allowance, depth)
  return flat
}

/** The value on one line, but with sorted keys at every level. */
function flatText(value: Value): string {
  if (value instanceof Dict) {
    return `{${sortedPairs(value)
      .map(([key, item]) => `${flatText(key)}: ${flatText(item)}`)
      .join(', ')}}`
  }
  if (value instanceof List) return `[${value.values().map(flatText).join(', ')}]`
  if (value instanceof Tuple) {
    return `(${value.items.map(flatText).join(', ')}${value.items.length === 1 ? ',' : ''})`
  }
  return repr(value)
}

function sortedPairs(dict: Dict): [Value, Value][] {
  try {
    return sortValues(dict.pairs(), ([key]) => key)
  } catch {
    return dict.pairs()
  }
}

function prettyItems(items: readonly Value[], indent: number, allowance: number, depth: number): string {
  return items
    .map((item, index) => pretty(item, indent, index === items.length - 1 ? allowance : 1, depth + 1))
    .join(`,\n${' '.repeat(indent)}`)
}

function prettyDict(dict: Dict, indent: number, allowance: number, depth: number): string {
  const pairs = sortedPairs(dict)
  const lines = pairs.map(([key, item], index) => {
    const name = flatText(key)
    const last = index === pairs.length - 1
    return `${name}: ${pretty(item, indent + 1 + pointLength(name) + 2, last ? allowance + 1 : 1, depth + 1)}`
  })
  return `{${lines.join(`,\n${' '.repeat(indent + 1)}`)}}`
}

/** A long string is written as several literals, broken after whitespace. */
function prettyString(text: string, indent: number, allowance: number, depth: number): string {
  const inner = depth === 0 ? indent + 1 : indent
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const chunks: string[] = []
  lines.forEach((line, index) => {
    const last = index === lines.length - 1
    const room = WIDTH - inner - (last ? allowance + (depth === 0 ? 1 : 0) : 0)
    if (pointLength(repr(line)) <= room) chunks.push(repr(line))
    else chunks.push(...breakLine(line, WIDTH - inner, last ? allowance + (depth === 0 ? 1 : 0) : 0))
  })
  if (chunks.length === 1) return chunks[0] ?? ''
  const joined = chunks.join(`\n${' '.repeat(inner)}`)
  return depth === 0 ? `(${joined})` : joined
}

function breakLine(line: string, width: number, allowance: number): string[] {
  const parts = line.match(/\S*\s*/g)?.filter((part) => part !== '') ?? []
  const chunks: string[] = []
  let chunk = ''
  parts.forEach((part, index) => {
    spend(1 + chunk.length / 32)
    const candidate = chunk + part
    const room = index === parts.length - 1 ? width - allowance : width
    if (pointLength(repr(candidate)) > room) {
      if (chunk !== '') chunks.push(repr(chunk))
      chunk = part
    } else chunk = candidate
  })
  if (chunk !== '') chunks.push(repr(chunk))
  return chunks
}
