import { type Data, getKey, isDictionary, isList, keysOf } from '../data/value.ts'
import type { Budget } from './budget.ts'
import { lengthOf } from './functions.ts'
import { applyOperator, isTrue, negate, type Operand } from './operators.ts'
import { matchesPattern } from './pattern.ts'
import { evaluatePlus, type PlusMatch } from './plus.ts'
import type { Expression, FunctionCall, Path, PathExpression, Segment, Selector } from './syntax.ts'

/** The location of a value, as a chain to the root; null if it isn't needed. */
export type PathNode = { readonly parent: PathNode; readonly key: Key } | null

/** Receives a match; returning true ends the search. */
export type OnMatch = (value: Data, place: PathNode) => boolean

type Key = string | number

/** Follows paths through one value. It only reads own members and never writes. */
export class Evaluation {
  readonly #root: Data
  readonly #budget: Budget
  readonly #keepsPlaces: boolean

  constructor(root: Data, budget: Budget, keepsPlaces: boolean) {
    this.#root = root
    this.#budget = budget
    this.#keepsPlaces = keepsPlaces
  }

  /** True if `onMatch` ended it. */
  run(path: Path, onMatch: OnMatch): boolean {
    return this.#follow(path, 0, this.#root, null, onMatch)
  }

  /** Every segment goes at least one level down, so recursion is limited by the depth of the data, not of the path. */
  #follow(path: Path, index: number, value: Data, place: PathNode, onMatch: OnMatch): boolean {
    const segment = path[index]
    if (segment === undefined) return onMatch(value, place)
    if (typeof value !== 'object' && typeof value !== 'string') return false
    return segment.of === 'child'
      ? this.#members(path, index, segment, value, place, onMatch)
      : this.#descend(path, index, segment, value, place, onMatch, 0)
  }

  /** The value's own members come before those of nested values, in document order. */
  #descend(
    path: Path,
    index: number,
    segment: Segment,
    value: Data,
    place: PathNode,
    onMatch: OnMatch,
    depth: number,
  ): boolean {
    this.#budget.checkDepth(depth)
    if (this.#members(path, index, segment, value, place, onMatch)) return true
    return this.#each(
      value,
      place,
      (member, memberPlace) =>
        typeof member === 'object' &&
        member !== null &&
        this.#descend(path, index, segment, member, memberPlace, onMatch, depth + 1),
    )
  }

  #members(
    path: Path,
    index: number,
    { selectors }: Segment,
    value: Data,
    place: PathNode,
    onMatch: OnMatch,
  ): boolean {
    for (const selector of selectors) {
      this.#budget.spend(1)
      if (this.#select(selector, path, index + 1, value, place, onMatch)) return true
    }
    return false
  }

  #select(
    selector: Selector,
    path: Path,
    next: number,
    value: Data,
    place: PathNode,
    onMatch: OnMatch,
  ): boolean {
    switch (selector.type) {
      case 'name': {
        const member = namedMember(value, selector.name, selector.loose)
        if (member === undefined) return false
        return this.#follow(path, next, member, this.#inside(place, value, selector.name), onMatch)
      }
      case 'index': {
        const member = isList(value) ? value.at(selector.index) : undefined
        if (member === undefined) return false
        return this.#follow(path, next, member, this.#inside(place, value, selector.index), onMatch)
      }
      case 'computed': {
        const key = selectorOf(this.#evaluate(selector.key, value, ''))
        return key !== undefined && this.#select(key, path, next, value, place, onMatch)
      }
      case 'slice':
        return this.#slice(selector, value, (index) =>
          this.#follow(path, next, itemAt(value, index), this.#inside(place, value, index), onMatch),
        )
      case 'plus':
        return evaluatePlus(selector.path, value).some((found) =>
          this.#plus(found, path, next, value, place, onMatch),
        )
      case 'wildcard':
        return this.#each(value, place, (member, memberPlace) =>
          this.#follow(path, next, member, memberPlace, onMatch),
        )
      default:
        return this.#each(
          value,
          place,
          (member, memberPlace, key) =>
            isTrue(this.#evaluate(selector.test, member, key)) &&
            this.#follow(path, next, member, memberPlace, onMatch),
        )
    }
  }

  /** Looks up the values in the original that jsonpath-plus has found in a copy. */
  #plus(found: PlusMatch, path: Path, next: number, root: Data, place: PathNode, onMatch: OnMatch): boolean {
    this.#budget.spend(1)
    if ('name' in found) return this.#follow(path, next, found.name, place, onMatch)
    let member: Data | undefined = root
    let at = place
    for (const name of found.keys) {
      const container: Data = member
      member = isList(container) ? itemAt(container, Number(name)) : namedMember(container, name, false)
      if (member === undefined) return false
      at = this.#inside(at, container, isList(container) ? Number(name) : name)
    }
    return this.#follow(path, next, member, at, onMatch)
  }

  #each(value: Data, place: PathNode, visit: (member: Data, place: PathNode, key: Key) => boolean): boolean {
    if (isList(value)) {
      this.#budget.spend(value.length)
      for (let index = 0; index < value.length; index++) {
        if (visit(value[index] ?? null, this.#inside(place, value, index), index)) return true
      }
      return false
    }
    if (!isDictionary(value)) return false
    const keys = keysOf(value)
    this.#budget.spend(keys.length)
    for (const key of keys) {
      const member = value instanceof Map ? value.get(key) : value[key]
      if (visit(member ?? null, this.#inside(place, value, key), key)) return true
    }
    return false
  }

  #slice(
    { start, end, step }: Selector & { type: 'slice' },
    value: Data,
    visit: (index: number) => boolean,
  ): boolean {
    if (!isList(value) || step === 0) return false
    const { length } = value
    const bound = (position: number | null, absent: number): number => {
      if (position === null) return absent
      const from = position < 0 ? length + position : position
      return step > 0 ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1)
    }
    const last = bound(end, step > 0 ? length : -1)
    let index = bound(start, step > 0 ? 0 : length - 1)
    for (; step > 0 ? index < last : index > last; index += step) {
      this.#budget.spend(1)
      if (visit(index)) return true
    }
    return false
  }

  #inside(parent: PathNode, container: Data, key: Key): PathNode {
    return this.#keepsPlaces ? { parent, key: isList(container) ? indexOf(container, key) : key } : null
  }

  #evaluate(expression: Expression, current: Data, key: Key): Operand {
    switch (expression.type) {
      case 'literal':
        return expression.value
      case 'property':
        return key
      case 'path':
        return this.#valueAt(expression, expression.from === '@' ? current : this.#root)
      case 'not':
        this.#budget.spend(1)
        return !isTrue(this.#evaluate(expression.operand, current, key))
      case 'negate':
        this.#budget.spend(1)
        return negate(this.#evaluate(expression.operand, current, key))
      case 'binary':
        this.#budget.spend(1)
        return this.#binary(expression, current, key)
      default:
        this.#budget.spend(1)
        return this.#call(expression, current, key)
    }
  }

  #call(call: FunctionCall, current: Data, key: Key): Operand {
    switch (call.type) {
      case 'length':
        return lengthOf(this.#evaluate(call.operand, current, key), this.#budget)
      case 'count':
        return this.#nodesAt(call.operand, current, Infinity).length
      case 'value': {
        const [only, second] = this.#nodesAt(call.operand, current, 2)
        return second === undefined ? only : undefined
      }
      default: {
        const text = this.#evaluate(call.text, current, key)
        const pattern = this.#evaluate(call.pattern, current, key)
        if (typeof text !== 'string' || typeof pattern !== 'string') return false
        return matchesPattern(text, pattern, call.type, this.#budget)
      }
    }
  }

  #nodesAt({ from, path }: PathExpression, current: Data, most: number): Data[] {
    const nodes: Data[] = []
    this.#follow(path, 0, from === '@' ? current : this.#root, null, (node) => nodes.push(node) >= most)
    return nodes
  }

  #binary({ operator, left, right }: Expression & { type: 'binary' }, current: Data, key: Key): Operand {
    const first = this.#evaluate(left, current, key)
    if (operator === '&&') return isTrue(first) ? this.#evaluate(right, current, key) : first
    if (operator === '||') return isTrue(first) ? first : this.#evaluate(right, current, key)
    return applyOperator(operator, first, this.#evaluate(right, current, key), this.#budget)
  }

  /** The value that a path leads to; for a path that can select several, whether it selects any. */
  #valueAt({ path, singular }: PathExpression, start: Data): Operand {
    if (!singular) return this.#follow(path, 0, start, null, () => true)
    let value: Operand = start
    for (let index = 0; index < path.length && value !== undefined; index++) {
      const selector: Selector | undefined = path[index]?.selectors[0]
      this.#budget.spend(1)
      if (selector?.type === 'name') value = namedMember(value, selector.name, selector.loose)
      else if (selector?.type === 'index') value = isList(value) ? value.at(selector.index) : undefined
    }
    return value
  }
}

/** `loose` is the unquoted form after a dot, where `items.0` is an index and `items.length` a count. */
function namedMember(value: Data, name: string, loose: boolean): Data | undefined {
  if (isDictionary(value)) return getKey(value, name)
  if (!loose) return undefined
  if (isList(value) && /^\d{1,15}$/.test(name)) return value[Number(name)]
  return name === 'length' && (isList(value) || typeof value === 'string') ? value.length : undefined
}

/**
 * The selector that an expression such as `[(@.length - 1)]` yields: an index or a name; undefined for anything else.
 */
function selectorOf(key: Operand): Selector | undefined {
  if (typeof key === 'string') return { type: 'name', name: key, loose: false }
  const index = Number(typeof key === 'number' || typeof key === 'bigint' ? key : Number.NaN)
  return Number.isSafeInteger(index) ? { type: 'index', index } : undefined
}

function itemAt(list: Data, index: number): Data {
  return isList(list) ? (list[index] ?? null) : null
}

/** Converts an index counted from the end, or written as a name, to one counted from the start. */
function indexOf(list: readonly Data[], key: Key): Key {
  if (key === 'length') return key
  const index = Number(key)
  return index < 0 ? list.length + index : index
}
