import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { spend, spendText } from '../base/limits.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Callable, type Keywords, type Value } from '../base/value.ts'
import type { Operation } from '../base/operation.ts'
import { bind } from './signature.ts'

export function callValue(value: Value, positional: readonly Value[], keywords: Keywords): Value {
  spend(1)
  if (value instanceof Callable) return value.call(positional, keywords)
  if (value instanceof Undefined) throw value.fault()
  throw typeFault(say`'${typeName(value)}' object is not callable`)
}

/** Applies an operation to its subject, with the arguments in the order of the parameters. */
export function applyOperation<Subject, Result>(
  operation: Operation<Subject, Result>,
  subject: Subject,
  positional: readonly Value[],
  keywords: Keywords,
): Result {
  if (typeof subject === 'string') spendText(subject.length)
  const { args, extra } = bind(operation.name, operation.signature, positional, keywords)
  return operation.run(subject, args, extra)
}

/** A method together with the value it was read from: `'abc'.upper`. */
export class BoundMethod<Subject extends Value> extends Callable {
  readonly typeName = 'builtin_function_or_method'
  private readonly subject: Subject
  private readonly method: Operation<Subject>

  constructor(subject: Subject, method: Operation<Subject>) {
    super()
    this.subject = subject
    this.method = method
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    return applyOperation(this.method, this.subject, positional, keywords)
  }

  override repr(): string {
    return `<built-in method ${this.method.name} of ${typeName(this.subject)} object>`
  }
}

/** A global function such as `range`. */
export class GlobalFunction extends Callable {
  readonly typeName: string
  readonly operation: Operation<null>

  constructor(operation: Operation<null>, typeName = 'function') {
    super()
    this.operation = operation
    this.typeName = typeName
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    return applyOperation(this.operation, null, positional, keywords)
  }

  override repr(): string {
    return this.typeName === 'type' ? `<class '${this.operation.name}'>` : `<function ${this.operation.name}>`
  }
}
