import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { checkListSize, current, spend } from '../base/limits.ts'
import { Dict, List } from './containers.ts'
import { Points } from '../text/code-points.ts'
import { typeName } from './truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, type Cursor, END, Iter, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { Range, View } from './views.ts'

/** Python's `iter()`. */
export function iterate(value: Value): Cursor {
  const cursor = cursorOver(value)
  if (cursor === undefined) throw typeFault(say`'${typeName(value)}' object is not iterable`)
  return cursor
}

export function isIterable(value: Value): boolean {
  return cursorOver(value) !== undefined
}

/** All values of an iterable, in a new array. */
export function valuesOf(value: Value): Value[] {
  if (value instanceof List) {
    checkListSize(value.length)
    return value.values()
  }
  const cursor = iterate(value)
  const values: Value[] = []
  for (let item = cursor.next(); item !== END; item = cursor.next()) {
    values.push(item)
    if ((values.length & 1023) === 0) checkListSize(values.length)
  }
  return values
}

/** A value of the language that provides its own cursor. */
export abstract class Iterable extends Thing {
  abstract cursor(): Cursor
}

function cursorOver(value: Value): Cursor | undefined {
  if (value instanceof List) return new ListCursor(value)
  if (value instanceof Dict) return new DictCursor(value)
  if (typeof value === 'string') return new ArrayCursor(new Points(value).all())
  if (value instanceof Tuple) return new ArrayCursor(value.items)
  if (value instanceof Range) return new RangeCursor(value)
  if (value instanceof View) return new ArrayCursor(value.items())
  if (value instanceof Iter) return value
  if (value instanceof Markup) return new ArrayCursor(new Points(value.text).all())
  if (value instanceof Bytes) return new ArrayCursor([...value.bytes])
  if (value instanceof Undefined) return new ArrayCursor([])
  return value instanceof Iterable ? value.cursor() : undefined
}

function step(): void {
  if (--current.budget < 0) spend(0)
}

/** Follows the list while it grows or shrinks, as in Python. */
class ListCursor implements Cursor {
  private at = 0
  private readonly list: List

  constructor(list: List) {
    this.list = list
  }

  next(): Value | typeof END {
    step()
    return this.at < this.list.length ? this.list.at(this.at++) : END
  }
}

class ArrayCursor implements Cursor {
  private at = 0
  private readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    this.items = items
  }

  next(): Value | typeof END {
    step()
    return this.at < this.items.length ? (this.items[this.at++] ?? null) : END
  }
}

class RangeCursor implements Cursor {
  private at = 0
  private readonly range: Range

  constructor(range: Range) {
    this.range = range
  }

  next(): Value | typeof END {
    step()
    return this.at < this.range.length ? this.range.at(this.at++) : END
  }
}

class DictCursor implements Cursor {
  private at = 0
  private readonly dict: Dict
  private readonly keys: readonly Value[]

  constructor(dict: Dict) {
    this.dict = dict
    this.keys = dict.keys()
  }

  next(): Value | typeof END {
    step()
    if (this.dict.size !== this.keys.length) throw typeFault(say`dictionary changed size during iteration`)
    return this.at < this.keys.length ? (this.keys[this.at++] ?? null) : END
  }
}
