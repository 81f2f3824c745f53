import { Tuple, type Value } from '../base/value.ts'
import type { List } from '../values/containers.ts'

/** A group of `groupby`: a pair that also has names. */
export class GroupTuple extends Tuple {
  constructor(grouper: Value, list: List) {
    super([grouper, list])
  }

  override attribute(name: string): Value | undefined {
    if (name === 'grouper') return this.items[0]
    return name === 'list' ? this.items[1] : undefined
  }
}
