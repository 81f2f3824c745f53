import { Float } from '../../data/value.ts'

/**
 * A value of the template language.
 *
 * None is `null`. A `number` that is an integer is an int, any other `number` a float; `Float` is a float that is whole,
 * `bigint` an int beyond 2^53. Everything that JavaScript has no plain value for is a `Thing`.
 */
export type Value = null | boolean | number | bigint | string | Float | Thing

/** The base of all values that are objects: nothing else is ever touched by a template. */
export abstract class Thing {
  /** Python's name of the type, for messages. */
  abstract readonly typeName: string

  /** The attribute of that name, or nothing. Names that begin with `_` are never asked for. */
  attribute(_name: string): Value | undefined {
    return undefined
  }

  /** Python's `repr()`. */
  repr(): string {
    return `<${this.typeName} object>`
  }
}

/** A thing that can be called. */
export abstract class Callable extends Thing {
  abstract call(positional: readonly Value[], keywords: Keywords): Value
}

/** Named arguments of a call in their order; null stands for none. */
export type Keywords = ReadonlyMap<string, Value> | null

export class Tuple extends Thing {
  readonly typeName: string = 'tuple'
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }
}

/** Text that is already HTML. */
export class Markup extends Thing {
  readonly typeName = 'Markup'
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }
}

export class Bytes extends Thing {
  readonly typeName = 'bytes'
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }
}

/** A class such as `dict`, where it can be named. */
export { Float }

/** The end of an iteration. */
export const END = Symbol('end')

/** Something being iterated: each call gives the next value. */
export interface Cursor {
  next(): Value | typeof END
}

/** A one-shot iterator, as Python's generators are: a second pass over it finds nothing. */
export class Iter extends Thing implements Cursor {
  readonly typeName: string
  private readonly source: Iterator<Value>

  constructor(source: Iterator<Value>, typeName = 'generator') {
    super()
    this.source = source
    this.typeName = typeName
  }

  next(): Value | typeof END {
    const step = this.source.next()
    return step.done === true ? END : step.value
  }
}
