import { Subscriptable } from '../methods/attributes.ts'
import type { Dict } from '../values/containers.ts'
import { repr } from '../values/repr.ts'
import type { Value } from '../base/value.ts'

/** The value of `namespace(…)`, the only one whose members can be set from inside a loop. */
export class Namespace extends Subscriptable {
  readonly typeName = 'Namespace'
  private readonly members: Dict

  constructor(members: Dict) {
    super()
    this.members = members
  }

  set(name: string, value: Value): void {
    this.members.set(name, value)
  }

  override attribute(name: string): Value | undefined {
    return this.members.getText(name)
  }

  item(key: Value): Value | undefined {
    return typeof key === 'string' ? this.members.getText(key) : undefined
  }

  override repr(): string {
    return `<Namespace ${repr(this.members)}>`
  }
}
