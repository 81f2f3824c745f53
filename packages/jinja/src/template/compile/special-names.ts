import type { Expression, MacroParameter, Statement, Target } from '../base/tree.ts'
import { forEachName } from './scope.ts'

/**
 * The special names (`loop`, `caller`, `varargs`, `kwargs`) that statements read before they assign them. Blocks are
 * separate functions and are skipped.
 */
export function specialNamesIn(
  statements: readonly Statement[],
  names: readonly string[],
): ReadonlySet<string> {
  const walk = new Walk(names)
  walk.statements(statements)
  return walk.found
}

/** Whether statements assign `loop`, which isn't allowed anywhere in a loop. */
export function assignsLoop(statement: Extract<Statement, { type: 'for' }>): boolean {
  const walk = new Walk([])
  walk.statement(statement)
  return walk.assigned.has('loop')
}

class Walk {
  readonly found = new Set<string>()
  readonly assigned = new Set<string>()
  private readonly wanted: Set<string>

  constructor(names: readonly string[]) {
    this.wanted = new Set(names)
  }

  statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.statement(statement)
  }

  statement(statement: Statement): void {
    switch (statement.type) {
      case 'print':
      case 'do':
        return this.read(statement.value)
      case 'set':
        this.target(statement.target)
        return this.read(statement.value)
      case 'set block':
        this.target(statement.target)
        this.read(statement.filter)
        return this.statements(statement.body)
      case 'if':
        for (const { test, body } of statement.branches) {
          this.read(test)
          this.statements(body)
        }
        return this.statements(statement.otherwise)
      case 'for':
        this.target(statement.target)
        this.read(statement.over)
        this.statements(statement.body)
        this.statements(statement.otherwise)
        return this.read(statement.test)
      case 'with':
        for (const target of statement.targets) this.target(target)
        for (const value of statement.values) this.read(value)
        return this.statements(statement.body)
      case 'macro':
        return this.macro(statement.parameters, statement.body)
      case 'call block':
        this.read(statement.call)
        return this.macro(statement.parameters, statement.body)
      case 'filter block':
        this.statements(statement.body)
        return this.read(statement.filter)
      case 'autoescape':
        this.read(statement.value)
        return this.statements(statement.body)
      case 'unsupported':
        for (const input of statement.inputs) this.read(input)
        return
      default:
    }
  }

  private macro(parameters: readonly MacroParameter[], body: readonly Statement[]): void {
    for (const { name } of parameters) this.assign(name)
    for (const { fallback } of parameters) this.read(fallback)
    this.statements(body)
  }

  private read(expression: Expression | null): void {
    if (expression === null) return
    forEachName(expression, (name) => {
      if (this.wanted.has(name)) this.found.add(name)
    })
  }

  private target(target: Target): void {
    if (target.type === 'tuple') for (const item of target.items) this.target(item)
    else if (target.type === 'name') this.assign(target.name)
  }

  private assign(name: string): void {
    this.assigned.add(name)
    this.wanted.delete(name)
  }
}
