import { say } from '../../data/said.ts'
import { BoundMethod } from '../calls/call.ts'
import { operation, tableOf } from '../calls/operation.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { areEqual } from '../values/equality.ts'
import { sizeOf } from '../values/truth.ts'
import { undefinedBecause } from '../base/undefined.ts'
import { Callable, type Cursor, END, type Keywords, Tuple, type Value } from '../base/value.ts'

/** The state of a loop, `loop` in templates. Reads one value ahead only when needed. */
export class LoopState extends Callable implements Cursor {
  readonly typeName = 'LoopContext'
  private cursor: Cursor
  private readonly recurse: Recurse | null
  private readonly depth0: number
  private index0 = -1
  private size: number | undefined
  private after: Value | typeof END | undefined
  private before: Value | undefined
  private item: Value | undefined
  private lastChanged: Tuple | undefined

  constructor(over: Value, cursor: Cursor, recurse: Recurse | null, depth0: number, filtered: boolean) {
    super()
    this.cursor = cursor
    this.recurse = recurse
    this.depth0 = depth0
    this.size = filtered ? undefined : sizeOf(over)
  }

  next(): Value | typeof END {
    const item = this.after === undefined ? this.cursor.next() : this.after
    this.after = undefined
    if (item === END) return END
    this.index0++
    this.before = this.item
    this.item = item
    return item
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.index0 + 1
      case 'index0':
        return this.index0
      case 'revindex':
        return this.length() - this.index0
      case 'revindex0':
        return this.length() - this.index0 - 1
      case 'first':
        return this.index0 === 0
      case 'last':
        return this.peek() === END
      case 'length':
        return this.length()
      case 'depth':
        return this.depth0 + 1
      case 'depth0':
        return this.depth0
      case 'previtem':
        return this.before === undefined ? undefinedBecause(say`there is no previous item`) : this.before
      case 'nextitem': {
        const next = this.peek()
        return next === END ? undefinedBecause(say`there is no next item`) : next
      }
      default: {
        const method = LOOP_METHODS.get(name)
        return method && new BoundMethod<LoopState>(this, method)
      }
    }
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    const [over] = positional
    if (this.recurse === null) {
      throw typeFault(say`The loop must have the 'recursive' marker to be called recursively.`)
    }
    if (over === undefined || positional.length > 1 || (keywords?.size ?? 0) > 0) {
      throw argumentFault(say`loop() takes the values of the next level`, say`Write loop(values)`)
    }
    return this.recurse(over, this.depth0 + 1)
  }

  cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw argumentFault(say`no items for cycling given`)
    return values[this.index0 % values.length] ?? null
  }

  changed(values: readonly Value[]): boolean {
    const value = new Tuple(values)
    if (this.lastChanged !== undefined && areEqual(this.lastChanged, value)) return false
    this.lastChanged = value
    return true
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length()}>`
  }

  private peek(): Value | typeof END {
    const after = this.after === undefined ? this.cursor.next() : this.after
    this.after = after
    return after
  }

  /** Reads the rest of a source of unknown size. */
  private length(): number {
    if (this.size !== undefined) return this.size
    const rest: Value[] = []
    const ahead = this.after === undefined || this.after === END ? 0 : 1
    for (let item = this.cursor.next(); item !== END; item = this.cursor.next()) rest.push(item)
    this.size = this.index0 + 1 + ahead + rest.length
    let at = 0
    this.cursor = { next: () => (at < rest.length ? (rest[at++] ?? null) : END) }
    return this.size
  }
}

export const LOOP_METHODS = tableOf<LoopState, Value>([
  operation(
    'cycle',
    '*args',
    'The next of the values in each iteration.',
    (loop: LoopState, _args, { rest }) => loop.cycle(rest),
  ),
  operation(
    'changed',
    '*value',
    'Whether the values have changed since the last iteration.',
    (loop: LoopState, _args, { rest }) => loop.changed(rest),
  ),
])

/** Renders the loop again for other values, one level deeper. */
export type Recurse = (over: Value, depth: number) => Value
