/** Functions for nodes that process all items: merging, summarizing, sorting, splitting. */
import { asText, copy, fail, type Fields, isMissing, isObject, paths, same, toString } from './base.ts'

/** Access to fields: by paths, or by plain names. */
interface Access {
  readonly get: (of: Fields, field: string) => unknown
  readonly put: (of: Fields, field: string, value: unknown) => Fields
  readonly drop: (of: Fields, field: string) => Fields
}

type Join = (...parts: readonly Fields[]) => Fields

function mergeDeep(target: Fields, ...sources: readonly (Fields | null | undefined)[]): Fields {
  for (const [key, value] of sources.flatMap((source) => Object.entries(source ?? {}))) {
    if (key === '__proto__' || value === undefined) continue
    const held = target[key]
    const isAlike = isObject(held) && isObject(value) && Array.isArray(held) === Array.isArray(value)
    target[key] = isAlike ? mergeDeep(held, value) : copy(value)
  }
  return target
}

const suffixed = (item: Fields, suffix: number): Fields =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [`${key}_${suffix}`, value]))

/** @param clash which input wins: `preferInput1`, `preferLast`, or `addSuffix` */
export function together(clash: string, deep: boolean): Join {
  const join = (items: readonly Fields[]): Fields =>
    deep ? mergeDeep({}, ...items) : Object.assign({}, ...items)
  const first = /^preferInput(\d+)$/.exec(clash)?.[1]
  return (...parts) => {
    if (clash === 'addSuffix') return join(parts.map((item, index) => suffixed(item, index + 1)))
    return join(first === undefined ? parts : [...parts, parts[Number(first) - 1] ?? {}])
  }
}

export function byPosition(lists: readonly Fields[][], join: Join, unpaired: boolean): Fields[] {
  const count = Math[unpaired ? 'max' : 'min'](...lists.map((list) => list.length))
  return Array.from({ length: count }, (_, index) => join(...lists.map((list) => list[index] ?? {})))
}

interface FieldsMerge {
  readonly join: Join
  readonly mode: string
  readonly from: string
  readonly first: boolean
  readonly suffix: boolean
}

export function byFields(
  one: readonly Fields[],
  two: readonly Fields[],
  pairs: readonly (readonly [string, string])[],
  { join, mode, from, first, suffix }: FieldsMerge,
): Fields[] {
  if (one.length === 0 || two.length === 0) {
    const isLeft = (mode === 'keepNonMatches' && from === 'input1') || mode === 'enrichInput1'
    const isRight = (mode === 'keepNonMatches' && from === 'input2') || mode === 'enrichInput2'
    const isNothing = mode === 'keepMatches' || (isLeft && one.length === 0) || (isRight && two.length === 0)
    return isNothing ? [] : [...one, ...two]
  }
  const pairings = one.map((item) => {
    const values = pairs.map(([field]) => paths.get(item, field))
    const isMatch = (other: Fields) =>
      pairs.every(([, field], which) => same(values[which], paths.get(other, field)))
    const matches = values.includes(undefined) ? [] : two.filter(isMatch)
    return { item, matches: first ? matches.slice(0, 1) : matches }
  })
  const found = new Set(pairings.flatMap(({ matches }) => matches))
  const matched = pairings.filter(({ matches }) => matches.length > 0)
  const alone = pairings.filter(({ matches }) => matches.length === 0).map(({ item }) => item)
  const [matchedTwo, aloneTwo] = [
    two.filter((item) => found.has(item)),
    two.filter((item) => !found.has(item)),
  ]
  const joined = matched.flatMap(({ item, matches }) => matches.map((match) => join(item, match)))
  const marked = (list: Fields[], number: number) =>
    suffix ? list.map((item) => suffixed(item, number)) : list
  switch (mode) {
    case 'keepMatches':
      return from === 'input1' ? matched.map(({ item }) => item) : from === 'input2' ? matchedTwo : joined
    case 'keepNonMatches':
      if (from === 'input1') return alone
      if (from === 'input2') return aloneTwo
      return [
        ...alone.map((item) => ({ ...item, _source: 'input1' })),
        ...aloneTwo.map((item) => ({ ...item, _source: 'input2' })),
      ]
    case 'keepEverything':
      return [...joined, ...marked(alone, 1), ...marked(aloneTwo, 2)]
    case 'enrichInput1':
      return [...joined, ...marked(alone, 1)]
    case 'enrichInput2':
      return [...joined, ...marked(aloneTwo, 2)]
    default:
      return fail(`it merges in a way that is not known: ${mode}`)
  }
}

interface Summary {
  readonly name: string
  readonly kind: string
  readonly field: string
  readonly empty?: boolean
  readonly separator?: string
}

const isBlank = (value: unknown): boolean => isMissing(value) || value === ''
const add = (sum: number, number: number): number => sum + number
const numbers = (values: readonly unknown[]): number[] => values.filter((value) => typeof value === 'number')
const extreme = (values: readonly unknown[], isBetter: (a: number, b: number) => boolean): unknown =>
  values
    .filter((value) => !isBlank(value))
    .reduce((best, one) => (best === null || isBetter(one as number, best as number) ? one : best), null)

const SUMMARIES: Readonly<
  Record<string, (values: readonly unknown[], filled: readonly unknown[], separator?: string) => unknown>
> = {
  append: (_, filled) => filled,
  concatenate: (_, filled, separator) => filled.map(asText).join(separator),
  average: (values) => numbers(values).reduce(add, 0) / numbers(values).length,
  sum: (values) => numbers(values).reduce(add, 0),
  min: (values) => extreme(values, (a, b) => a < b),
  max: (values) => extreme(values, (a, b) => a > b),
  countUnique: (_, filled) => new Set(filled).size,
  count: (_, filled) => filled.length,
}

function summary(
  items: readonly Fields[],
  { kind, field, empty, separator }: Summary,
  get: Access['get'],
): unknown {
  const values = items.map((item) => get(item, field))
  const summarize = SUMMARIES[kind] ?? fail(`it summarizes in a way that is not known: ${kind}`)
  return summarize(values, empty ? values : values.filter((value) => !isBlank(value)), separator)
}

const named = (name: string): string => name.replaceAll(/[\]["]/g, '').replaceAll(/[ .]/g, '_')

interface SummarizeOptions {
  readonly get: Access['get']
  readonly single: boolean
  readonly skip: boolean
  readonly old: boolean
}

export function summarize(
  items: readonly Fields[],
  fields: readonly Summary[],
  groups: readonly string[],
  { get, single, skip, old }: SummarizeOptions,
): Fields[] {
  for (const { field } of fields)
    if (field !== '' && items.every((item) => get(item, field) === undefined))
      fail(`The field '${field}' does not exist in any items`)
  const split = (list: readonly Fields[], [group, ...rest]: readonly string[]): Fields => {
    if (group === undefined)
      return Object.fromEntries(fields.map((one) => [named(one.name + one.field), summary(list, one, get)]))
    const found: Record<string, Fields[]> = {}
    for (const item of list) {
      const value = get(item, group)
      const key = typeof value === 'object' ? JSON.stringify(value) : value
      if (skip && typeof key !== 'number' && !key) continue
      ;(found[toString(key)] ??= []).push(item)
    }
    return Object.fromEntries(Object.entries(found).map(([key, held]) => [key, split(held, rest)]))
  }
  const result = split(items, groups)
  if (single || groups.length === 0) return [result]
  const restored = (key: string) => (key === 'null' ? null : Number.isNaN(Number(key)) ? key : Number(key))
  const rows = (
    held: Fields,
    [group = '', ...rest]: readonly string[],
    before: Fields,
    isFirst: boolean,
  ): Fields[] =>
    Object.entries(held as Record<string, Fields>).flatMap(([key, value]) => {
      const row = { ...before, [named(group)]: old || !isFirst ? key : restored(key) }
      return rest.length === 0 ? [{ ...row, ...value }] : rows(value, rest, row, false)
    })
  return rows(result, groups, {}, true)
}

export function sorted(
  items: readonly Fields[],
  fields: readonly { readonly field: string; readonly down: boolean }[],
  get: Access['get'],
): Fields[] {
  for (const { field } of fields)
    if (items.every((item) => get(item, field) === undefined))
      fail(`Couldn't find the field '${field}' in the input data`)
  const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
  return items.toSorted((a, b) => {
    for (const { field, down } of fields) {
      const [left, right] = [lower(get(a, field)), lower(get(b, field))]
      if (same(left, right)) continue
      const areTexts = typeof left === 'string' && typeof right === 'string'
      return (areTexts ? left < right : Number(left) < Number(right)) === !down ? -1 : 1
    }
    return 0
  })
}

interface SplitOptions extends Omit<Access, 'put'> {
  readonly names: readonly string[]
  readonly include: string
  readonly others: readonly string[]
}

export function split(items: readonly Fields[], fields: readonly string[], options: SplitOptions): Fields[] {
  const { get, names, include, others, drop } = options
  return items.flatMap((item) => {
    const rows: Fields[] = []
    for (const [which, field] of fields.entries()) {
      const held = get(item, field)
      const list: unknown[] = held === undefined ? [] : isObject(held) ? Object.values(held) : [held]
      for (const [index, one] of list.entries()) {
        const row = (rows[index] ??= {})
        const name = names[which] ?? ''
        const isSpread = isObject(one) && include === 'noOtherFields' && name === '' && fields.length === 1
        Object.assign(row, isSpread ? one : { [name || field]: one })
      }
    }
    if (include === 'allOtherFields') {
      const rest = fields.reduce(drop, copy(item))
      return rows.map((row) => ({ ...rest, ...row }))
    }
    if (include === 'selectedOtherFields')
      for (const row of rows) for (const field of others) row[field] = get(item, field)
    return rows
  })
}

interface GatherOptions extends Omit<Access, 'drop'> {
  readonly flat: boolean
  readonly missing: boolean
}

export function gathered(
  items: readonly Fields[],
  fields: readonly { readonly field: string; readonly name: string }[],
  { get, put, flat, missing }: GatherOptions,
): Fields {
  const gather = (field: string) =>
    items.flatMap((item) => {
      const value = get(item, field)
      if (!missing && isMissing(value)) return []
      const kept: unknown = Array.isArray(value) && !missing ? value.filter((one) => one !== null) : value
      return Array.isArray(kept) && flat ? kept : [kept ?? null]
    })
  return fields.reduce((item: Fields, { field, name }) => put(item, name, gather(field)), {})
}
