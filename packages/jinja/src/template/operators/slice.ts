import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { checkListSize, checkTextSize } from '../base/limits.ts'
import { List } from '../values/containers.ts'
import { intOf } from '../values/numbers.ts'
import { Points } from '../text/code-points.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Markup, Tuple, type Value } from '../base/value.ts'
import { Range } from '../values/views.ts'

/** Computes `value[start:stop:step]`. Missing bounds are null. */
export function sliceOf(value: Value, start: Value, stop: Value, step: Value): Value {
  if (typeof value === 'string') return sliceText(value, start, stop, step)
  if (value instanceof Markup) return new Markup(sliceText(value.text, start, stop, step))
  if (value instanceof List)
    return new List(pick(resolve(value.length, start, stop, step), (at) => value.at(at)))
  if (value instanceof Tuple) {
    const { items } = value
    return new Tuple(pick(resolve(items.length, start, stop, step), (at) => items[at] ?? null))
  }
  if (value instanceof Range) return sliceRange(value, resolve(value.length, start, stop, step))
  if (value instanceof Bytes) {
    const bounds = resolve(value.bytes.length, start, stop, step)
    return new Bytes(Uint8Array.from(pick(bounds, (at) => value.bytes[at] ?? 0)))
  }
  if (value instanceof Undefined) throw value.fault()
  if (UNHASHABLE_BY_SLICE.has(typeName(value))) throw typeFault(say`unhashable type: 'slice'`)
  throw typeFault(say`'${typeName(value)}' object is not subscriptable`)
}

const UNHASHABLE_BY_SLICE: ReadonlySet<string> = new Set(['dict'])

interface Bounds {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly count: number
}

function sliceText(text: string, start: Value, stop: Value, step: Value): string {
  const points = new Points(text)
  const bounds = resolve(points.length, start, stop, step)
  checkTextSize(bounds.count)
  if (bounds.step === 1) return points.slice(bounds.from, bounds.from + bounds.count)
  return pick(bounds, (at) => points.at(at)).join('')
}

function sliceRange(range: Range, { from, to, step }: Bounds): Range {
  return new Range(range.at(from), range.at(to), step * range.step)
}

function pick<T>({ from, step, count }: Bounds, at: (index: number) => T): T[] {
  checkListSize(count)
  return Array.from({ length: count }, (_, index) => at(from + index * step))
}

function resolve(length: number, start: Value, stop: Value, stepValue: Value): Bounds {
  const step = bound(stepValue) ?? 1
  if (step === 0) throw typeFault(say`slice step cannot be zero`)
  const first = step > 0 ? 0 : -1
  const last = step > 0 ? length : length - 1
  const from = clamp(bound(start), length, first, last) ?? (step > 0 ? first : last)
  const to = clamp(bound(stop), length, first, last) ?? (step > 0 ? last : first)
  return { from, to, step, count: Math.max(0, Math.ceil((to - from) / step)) }
}

function clamp(at: number | undefined, length: number, first: number, last: number): number | undefined {
  if (at === undefined) return undefined
  const position = at < 0 ? at + length : at
  return Math.min(Math.max(position, first), last)
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined
  const int = intOf(value)
  if (int === undefined) {
    throw typeFault(say`slice indices must be integers or None or have an __index__ method`)
  }
  return Number(int)
}
