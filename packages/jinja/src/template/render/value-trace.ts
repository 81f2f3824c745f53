import type { Data } from '../../data/value.ts'
import type { TracedValue } from '../base/traced-value.ts'
import type { Program } from '../compile/compile.ts'
import type { PrintObserver } from '../base/limits.ts'
import { positionOf } from '../base/source-position.ts'
import type { Expression, StatementOf } from '../base/tree.ts'
import { toData } from '../values/to-data.ts'
import { Undefined } from '../base/undefined.ts'
import { Callable, Iter, type Value } from '../base/value.ts'

export class ValueTrace implements PrintObserver {
  readonly all: TracedValue[] = []
  private readonly source: string
  private readonly program: Program

  constructor(source: string, program: Program) {
    this.source = source
    this.program = program
  }

  /** @param meaning what the printed string means, if that isn't the value itself */
  note(value: Value, statement: StatementOf<'print'>, meaning: Data | undefined = dataOf(value)): void {
    this.all.push({ ...this.describe(statement), value: meaning })
  }

  print(
    value: Value,
    statement: StatementOf<'print'>,
    _before: string | null,
    write: (value: Value) => string,
  ): string {
    this.note(value, statement)
    return write(value)
  }

  private describe(statement: StatementOf<'print'>): Description {
    const known = descriptions.get(statement)
    if (known !== undefined) return known
    const { start, end, value } = statement
    const { line, column } = positionOf(this.source, start, end)
    const description: Description = {
      names: this.program.origins.of(value),
      source: expressionText(this.source.slice(start, end)),
      line,
      column,
      path: isPlainPath(value) ? 'plain' : 'computed',
    }
    descriptions.set(statement, description)
    return description
  }
}

/** The part that is the same each time a statement prints. */
type Description = Omit<TracedValue, 'value'>

const descriptions = new WeakMap<StatementOf<'print'>, Description>()

/** Whether an expression is only the path of a value. */
export function isPlainPath(expression: Expression): boolean {
  if (expression.type === 'name' || expression.type === 'path') return true
  if (expression.type === 'attribute') return isPlainPath(expression.owner)
  return expression.type === 'item' && isPlainPath(expression.owner) && isPlainKey(expression.key)
}

function isPlainKey(key: Expression): boolean {
  return key.type === 'constant' || (key.type === 'negate' && key.operand.type === 'constant')
}

/** Consuming a one-shot iterator would change it, so it isn't recorded, nor is anything that isn't data. */
function dataOf(value: Value): Data | undefined {
  if (value instanceof Undefined) return undefined
  return value instanceof Iter || value instanceof Callable ? null : toData(value)
}

function expressionText(statement: string): string {
  return statement
    .trim()
    .replace(/^\{\{[-+]?/, '')
    .replace(/-?\}\}$/, '')
    .trim()
}
