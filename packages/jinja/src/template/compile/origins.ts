import type { Expression, Statement, Target } from '../base/tree.ts'
import { forEachName } from './scope.ts'

/**
 * The names in the context that a value comes from: those that its expression reads and, for a variable set in the
 * template, those it was computed from. Order is ignored, so a name that is assigned twice comes from both.
 */
export class Origins {
  private readonly sources = new Map<string, Set<string>>()
  private readonly known = new WeakMap<Expression, ReadonlySet<string>>()

  constructor(statements: readonly Statement[]) {
    this.scan(statements)
  }

  of(expression: Expression): ReadonlySet<string> {
    const known = this.known.get(expression)
    if (known !== undefined) return known
    const names = new Set<string>()
    forEachName(expression, (name) => this.add(name, names))
    this.known.set(expression, names)
    return names
  }

  private add(name: string, names: Set<string>): void {
    if (names.has(name)) return
    names.add(name)
    for (const source of this.sources.get(name) ?? []) this.add(source, names)
  }

  private scan(statements: readonly Statement[]): void {
    for (const statement of statements) this.scanStatement(statement)
  }

  private scanStatement(statement: Statement): void {
    switch (statement.type) {
      case 'set':
        return this.connect(statement.target, statement.value)
      case 'for':
        this.connect(statement.target, statement.over)
        this.scan(statement.otherwise)
        return this.scan(statement.body)
      case 'with':
        statement.targets.forEach((target, index) => this.connect(target, statement.values[index]))
        return this.scan(statement.body)
      case 'if':
        for (const { body } of statement.branches) this.scan(body)
        return this.scan(statement.otherwise)
      case 'set block':
        for (const part of statement.body)
          if (part.type === 'print') this.connect(statement.target, part.value)
        return this.scan(statement.body)
      default:
        if ('body' in statement) this.scan(statement.body)
    }
  }

  private connect(target: Target, value: Expression | undefined): void {
    if (value === undefined) return
    if (target.type === 'tuple') {
      for (const item of target.items) this.connect(item, value)
      return
    }
    const name = target.type === 'member' ? target.owner : target.name
    const sources = this.sources.get(name) ?? new Set()
    this.sources.set(name, sources)
    forEachName(value, (source) => sources.add(source))
  }
}
