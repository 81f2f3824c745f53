import { Float } from '../../data/value.ts'

/**
 * A value of the template language.
 *
 * None is `null`. A `number` that is an integer is an int, any other `number` a float; `Float` is a float that is
 * whole, `bigint` an int beyond 2^53. Everything without a plain JavaScript equivalent is a `Thing`.
 */
export type Value = null | boolean | number | bigint | string | Float | Thing

/** The base class of all values that are objects. Templates never access other objects. */
export abstract class Thing {
  /** Python's name of the type, for messages. */
  abstract readonly typeName: string

  /** The attribute with this name, if any. Never called for names that begin with `_`. */
  attribute(_name: string): Value | undefined {
    return undefined
  }

  /** Python's `repr()`. */
  repr(): string {
    return `<${this.typeName} object>`
  }
}

/** A value that can be called. */
export abstract class Callable extends Thing {
  abstract call(positional: readonly Value[], keywords: Keywords): Value
}

/** Named arguments of a call in order; null if there are none. */
export type Keywords = ReadonlyMap<string, Value> | null

export class Tuple extends Thing {
  readonly typeName: string = 'tuple'
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }
}

/** A string that is already HTML. */
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

export { Float }

export const END = Symbol('end')

/** The state of an iteration. Each call returns the next value. */
export interface Cursor {
  next(): Value | typeof END
}

/** A one-shot iterator like Python's generators, in which a second iteration finds nothing. */
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
