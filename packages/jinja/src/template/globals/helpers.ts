import { say } from '../../data/said.ts'
import { BoundMethod } from '../calls/call.ts'
import { operation, tableOf } from '../calls/operation.ts'
import { argumentFault } from '../base/faults.ts'
import { textOf } from '../values/repr.ts'
import { Callable, type Keywords, Thing, type Value } from '../base/value.ts'

/** `cycler('odd', 'even')` returns its values in turn, then starts again with the first. */
export class Cycler extends Thing {
  readonly typeName = 'Cycler'
  private at = 0
  private readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }

  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.items[this.at]
    const method = CYCLER_METHODS.get(name)
    return method && new BoundMethod<Cycler>(this, method)
  }

  next(): Value {
    const item = this.items[this.at] ?? null
    this.at = (this.at + 1) % this.items.length
    return item
  }

  reset(): void {
    this.at = 0
  }
}

export const CYCLER_METHODS = tableOf<Cycler, Value>([
  operation('next', '', 'Returns the current value and moves to the next.', (cycler: Cycler) =>
    cycler.next(),
  ),
  operation('reset', '', 'Back to the first value.', (cycler: Cycler) => {
    cycler.reset()
    return null
  }),
])

/** `joiner(', ')` returns an empty string on the first call, then the separator. */
export class Joiner extends Callable {
  readonly typeName = 'Joiner'
  private used = false
  private readonly separator: Value

  constructor(separator: Value) {
    super()
    this.separator = separator
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    if (positional.length > 0 || (keywords?.size ?? 0) > 0)
      throw argumentFault(say`a joiner takes no arguments`)
    if (this.used) return textOf(this.separator)
    this.used = true
    return ''
  }
}
