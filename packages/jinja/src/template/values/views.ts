import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import type { Dict } from './containers.ts'
import { repr } from './repr.ts'
import { Thing, Tuple, type Value } from '../base/value.ts'

/** `range(start, stop, step)`, whose numbers are computed on demand. */
export class Range extends Thing {
  readonly typeName = 'range'
  readonly start: number
  readonly stop: number
  readonly step: number
  readonly length: number

  constructor(start: number, stop: number, step: number) {
    super()
    if (step === 0) throw typeFault(say`range() arg 3 must not be zero`)
    this.start = start
    this.stop = stop
    this.step = step
    this.length = Math.max(0, Math.ceil((stop - start) / step))
  }

  at(index: number): number {
    return this.start + index * this.step
  }

  override attribute(name: string): Value | undefined {
    return name === 'start' || name === 'stop' || name === 'step' ? this[name] : undefined
  }

  override repr(): string {
    const step = this.step === 1 ? '' : `, ${this.step}`
    return `range(${this.start}, ${this.stop}${step})`
  }
}

/** `keys()`, `values()` or `items()` of a dictionary. It reflects the dictionary's changes. */
export class View extends Thing {
  readonly typeName: 'dict_keys' | 'dict_values' | 'dict_items'
  readonly dict: Dict

  constructor(dict: Dict, typeName: View['typeName']) {
    super()
    this.dict = dict
    this.typeName = typeName
  }

  items(): Value[] {
    if (this.typeName === 'dict_keys') return this.dict.keys()
    if (this.typeName === 'dict_values') return this.dict.values()
    return this.dict.pairs().map((pair) => new Tuple(pair))
  }

  override repr(): string {
    return `${this.typeName}([${this.items().map(repr).join(', ')}])`
  }
}
