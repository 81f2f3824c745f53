import { type Said, say } from '../../data/said.ts'
import { current } from '../base/limits.ts'
import { closest } from '../text/closest.ts'
import { fromData, propertyFromData } from '../values/containers.ts'
import { Undefined } from '../base/undefined.ts'
import { Callable, Thing, type Value } from '../base/value.ts'

/** Resolves the names of a template in one render: its own, the context's and the globals. */
export class Root {
  private readonly context: object
  /** Names assigned at the top of the template, for its blocks; null if there are none. */
  readonly assigned: Map<string, Value> | null
  private readonly found: (Value | undefined)[] = []
  private readonly blocks: Blocks

  constructor(context: object, blocks: Blocks, assigned: Map<string, Value> | null) {
    this.context = context
    this.blocks = blocks
    this.assigned = assigned
  }

  /** The value of a name, looked up once. */
  read(index: number, name: string): Value {
    const known = this.found[index]
    if (known !== undefined) return known
    const found = this.lookUp(name)
    if (found === undefined) return this.missing(name)
    this.found[index] = found
    return found
  }

  lookUp(name: string): Value | undefined {
    if (name === 'self') return new SelfReference(this, this.blocks)
    const assigned = this.assigned?.get(name)
    if (assigned !== undefined) return assigned
    const given = propertyFromData(this.context, name)
    if (given !== undefined) return given
    const global = current.environment.registry.globals.get(name)
    return global === undefined ? undefined : fromData(global)
  }

  /** All names in the context as one dictionary, for `$`. */
  everything(): Value {
    return fromData(this.context)
  }

  missing(name: string): Undefined {
    return new Undefined(
      () => say`'${name}' is undefined`,
      () => this.hintFor(name),
    )
  }

  /** The same names, overridden by others, as a block sees them. */
  derive(assigned: Map<string, Value>): Root {
    return new Root(this.context, this.blocks, assigned)
  }

  private hintFor(name: string): Said | null {
    const known = Object.keys(this.context)
    const near = closest(name, [...known, ...current.environment.registry.globals.keys()])
    if (near !== undefined) return say`Did you mean "${near}"?`
    return known.length > 0 ? say`Known here: ${known.slice(0, 12).join(', ')}` : null
  }
}

/** The blocks of a template by name. */
export type Blocks = ReadonlyMap<string, (root: Root) => Value>

/** The value of `self`, which has the blocks of the template as functions. */
class SelfReference extends Thing {
  readonly typeName = 'TemplateReference'
  private readonly root: Root
  private readonly blocks: Blocks

  constructor(root: Root, blocks: Blocks) {
    super()
    this.root = root
    this.blocks = blocks
  }

  override attribute(name: string): Value | undefined {
    const block = this.blocks.get(name)
    return block && new BlockReference(() => block(this.root))
  }
}

class BlockReference extends Callable {
  readonly typeName = 'BlockReference'
  private readonly render: () => Value

  constructor(render: () => Value) {
    super()
    this.render = render
  }

  call(): Value {
    return this.render()
  }
}
