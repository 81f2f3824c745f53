import type { Arguments, Expression, Statement, Target } from '../base/tree.ts'

/**
 * Resolves each name to a variable before anything runs. It follows Jinja's own rules step by step, including their
 * surprises: a name that is assigned anywhere in a block is that block's variable from its start.
 */
export class Scope {
  readonly parent: Scope | null
  readonly owner: FunctionShape
  private variables: Map<string, Variable>
  private readonly all: Map<string, Variable>
  private starts: Map<Variable, Start>
  private stored: Set<string>

  constructor(parent: Scope | null, owner: FunctionShape, branchOf?: Scope) {
    this.parent = parent
    this.owner = owner
    this.all = branchOf?.all ?? new Map()
    this.variables = new Map(branchOf?.variables)
    this.starts = new Map(branchOf?.starts)
    this.stored = new Set(branchOf?.stored)
  }

  /** The variable that a name refers to here. */
  find(name: string): Variable | undefined {
    return this.variables.get(name) ?? this.parent?.find(name)
  }

  /** The initial value of each variable when the scope is entered. */
  entries(): readonly (readonly [Variable, Start])[] {
    return [...this.starts]
  }

  get assigned(): ReadonlySet<string> {
    return this.stored
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { from: 'context', name })
  }

  store(name: string): void {
    this.stored.add(name)
    if (this.variables.has(name)) return
    const outer = this.parent?.find(name)
    this.define(name, outer === undefined ? { from: 'nothing' } : { from: 'variable', variable: outer })
  }

  declareParameter(name: string): Variable {
    this.stored.add(name)
    return this.define(name, { from: 'parameter' })
  }

  /**
   * Merges what the branches of an `if` load and assign; a name that a branch doesn't assign keeps its old value there.
   */
  merge(branches: readonly Scope[]): void {
    const counts = new Map<string, number>()
    for (const branch of branches) {
      for (const name of branch.stored)
        if (!this.stored.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const branch of branches) {
      for (const [name, variable] of branch.variables) this.variables.set(name, variable)
      for (const [variable, start] of branch.starts) this.starts.set(variable, start)
      for (const name of branch.stored) this.stored.add(name)
    }
    for (const [name, count] of counts) {
      const variable = this.find(name)
      if (count === branches.length || variable === undefined) continue
      const outer = this.parent?.find(name)
      this.starts.set(
        variable,
        outer === undefined ? { from: 'context', name } : { from: 'variable', variable: outer },
      )
    }
  }

  branch(): Scope {
    return new Scope(this.parent, this.owner, this)
  }

  /** Variables that are only ever read from the context need no slot. */
  settle(): void {
    for (const [variable, start] of this.starts) {
      variable.isContextName = start.from === 'context' && !this.stored.has(variable.name)
    }
  }

  /** All names assigned here and in the surrounding scopes, with their variables, as a scoped block sees them. */
  visibleVariables(): Map<string, Variable> {
    const visible = this.parent?.visibleVariables() ?? new Map<string, Variable>()
    for (const name of this.stored) {
      const variable = this.find(name)
      if (variable !== undefined) visible.set(name, variable)
    }
    return visible
  }

  private define(name: string, start: Start): Variable {
    const variable = this.all.get(name) ?? new Variable(name, this.owner)
    this.all.set(name, variable)
    this.variables.set(name, variable)
    this.starts.set(variable, start)
    return variable
  }
}

/** A slot that holds a value while a function of the template runs. */
export class Variable {
  readonly name: string
  readonly owner: FunctionShape
  readonly slot: number
  /** Whether the variable is only ever read from the context. */
  isContextName = false

  constructor(name: string, owner: FunctionShape) {
    this.name = name
    this.owner = owner
    this.slot = owner.slots++
  }
}

/** The template itself, a macro, a block or a recursive loop, which all have new variables each time they run. */
export class FunctionShape {
  readonly parent: FunctionShape | null
  slots = 0

  constructor(parent: FunctionShape | null) {
    this.parent = parent
  }

  /** The number of functions between this one and the one that owns a variable. */
  hopsTo(owner: FunctionShape): number {
    if (owner === this || this.parent === null) return 0
    return 1 + this.parent.hopsTo(owner)
  }
}

export type Start =
  | { readonly from: 'parameter' | 'nothing' }
  | { readonly from: 'context'; readonly name: string }
  | { readonly from: 'variable'; readonly variable: Variable }

/** Adds the names that statements load and assign to their scope. */
export function scanStatements(scope: Scope, statements: readonly Statement[]): void {
  for (const statement of statements) scanStatement(scope, statement)
}

/** Adds the names that an expression reads. */
export function scanExpression(scope: Scope, expression: Expression | null): void {
  if (expression !== null) forEachName(expression, (name) => scope.load(name))
}

export function scanTarget(scope: Scope, target: Target, asParameter = false): void {
  if (target.type === 'tuple') for (const item of target.items) scanTarget(scope, item, asParameter)
  else if (target.type === 'member') scope.load(target.owner)
  else if (asParameter) scope.declareParameter(target.name)
  else scope.store(target.name)
}

function scanStatement(scope: Scope, statement: Statement): void {
  switch (statement.type) {
    case 'print':
    case 'do':
      return scanExpression(scope, statement.value)
    case 'set':
      scanExpression(scope, statement.value)
      return scanTarget(scope, statement.target)
    case 'set block':
      return scanTarget(scope, statement.target)
    case 'if':
      return scanIf(scope, statement)
    case 'for':
      return scanExpression(scope, statement.over)
    case 'with':
      for (const value of statement.values) scanExpression(scope, value)
      return
    case 'macro':
      return scope.store(statement.name)
    case 'call block':
      return scanExpression(scope, statement.call)
    case 'filter block':
      return scanExpression(scope, statement.filter)
    case 'unsupported':
      for (const input of statement.inputs) scanExpression(scope, input)
      for (const name of statement.names) scope.store(name)
      return
    default:
  }
}

/** Jinja treats an `if` as three branches: the first body, all `elif` together, and `else`. */
function scanIf(scope: Scope, { branches, otherwise }: Extract<Statement, { type: 'if' }>): void {
  const [first, ...others] = branches
  scanExpression(scope, first?.test ?? null)
  const then = scope.branch()
  scanStatements(then, first?.body ?? [])
  const elif = scope.branch()
  for (const branch of others)
    scanIf(elif, { type: 'if', branches: [branch], otherwise: [], start: 0, end: 0 })
  const last = scope.branch()
  scanStatements(last, otherwise)
  scope.merge([then, elif, last])
}

/** Calls back for every name that an expression reads, in order. */
export function forEachName(expression: Expression, found: (name: string, at: Expression) => void): void {
  forEachExpression(expression, (part) => {
    if (part.type === 'name') found(part.name, part)
    else if (part.type === 'path' && part.root !== null) found(part.root, part)
  })
}

/** Calls back for an expression and everything in it. */
export function forEachExpression(expression: Expression, found: (part: Expression) => void): void {
  found(expression)
  for (const part of partsOf(expression)) forEachExpression(part, found)
}

/** The direct children of an expression. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'tuple':
    case 'list':
    case 'concat':
      return expression.items
    case 'dict':
      return expression.pairs.flatMap(({ key, value }) => [key, value])
    case 'binary':
    case 'and':
    case 'or':
      return [expression.left, expression.right]
    case 'not':
    case 'negate':
    case 'plus':
      return [expression.operand]
    case 'compare':
      return [expression.first, ...expression.rest.map(({ operand }) => operand)]
    case 'conditional':
      return present([expression.test, expression.then, expression.otherwise])
    case 'attribute':
      return [expression.owner]
    case 'item':
      return [expression.owner, expression.key]
    case 'slice':
      return present([expression.owner, expression.from, expression.to, expression.step])
    case 'call':
      return [expression.callee, ...argumentParts(expression.args)]
    case 'filter':
    case 'test':
      return present([expression.subject, ...argumentParts(expression.args)])
    default:
      return []
  }
}

function argumentParts({ positional, keywords, rest, names }: Arguments): Expression[] {
  return present([...positional, ...keywords.map(({ value }) => value), rest, names])
}

const present = (parts: readonly (Expression | null)[]) => parts.filter((part) => part !== null)
