import type { SyntaxFault } from '../syntax/token.ts'
import type { Expression, Statement, StatementOf } from '../base/tree.ts'
import { Builder, type CompileContext, type MemberRead, type NameRead } from './builder.ts'
import { compileExpression } from './expressions.ts'
import { type Evaluate, type Execute, Frame } from './frame.ts'
import { Origins } from './origins.ts'
import { Root } from './root.ts'
import { FunctionShape, scanExpression, scanStatements, Scope } from './scope.ts'
import { compileBody } from './statements.ts'
import { compileEntry } from './variables.ts'
import type { Span } from '../base/tree.ts'
import type { Value } from '../base/value.ts'

/** A template compiled to closures. */
export interface Program {
  readonly render: (context: object) => string
  /** Returns the value, if the template is a single expression and nothing else. */
  readonly evaluate: ((context: object) => Value) | null
  /** Positions in the source, by the index that an error carries. */
  readonly marks: readonly Span[]
  readonly reads: readonly NameRead[]
  readonly members: readonly MemberRead[]
  readonly warnings: readonly SyntaxFault[]
  readonly origins: Origins
  /** Whether the template might change a list or dictionary, or compare their identity. */
  readonly keepsIdentity: boolean
  /** The print statement, if the template consists of nothing else. */
  readonly whole: StatementOf<'print'> | null
}

const OUTERMOST = { soft: false, top: true, escaping: false, inLoop: false, folded: false } as const

export function compileTemplate(source: string, statements: readonly Statement[]): Program {
  const builder = new Builder(hasBlock(statements), new Origins(statements))
  const shape = new FunctionShape(null)
  const scope = new Scope(null, shape)
  scanStatements(scope, statements)
  scope.settle()
  const outermost: CompileContext = { ...OUTERMOST, builder, scope, shape }
  const enter = compileEntry(outermost, scope)
  const body = compileBody(outermost, statements)
  const [only] = statements
  const whole = statements.length === 1 && only?.type === 'print' ? only : null
  let value: Evaluate | undefined
  return {
    ...programParts(builder, source),
    whole,
    render: (context) => run(newFrame(builder, shape, context), enter, body),
    evaluate:
      whole === null
        ? null
        : (context) => {
            value ??= compileExpression(outermost, whole.value)
            return evaluate(newFrame(builder, shape, context), enter, value)
          },
  }
}

export function compileBare(source: string, expression: Expression): Program {
  const builder = new Builder(false, new Origins([]))
  const shape = new FunctionShape(null)
  const scope = new Scope(null, shape)
  scanExpression(scope, expression)
  scope.settle()
  const outermost: CompileContext = { ...OUTERMOST, builder, scope, shape }
  const value = compileExpression(outermost, expression)
  return {
    ...programParts(builder, source),
    whole: null,
    render: () => '',
    evaluate: (context) => value(newFrame(builder, shape, context)),
  }
}

function programParts(builder: Builder, source: string) {
  const { marks, reads, members, warnings, origins } = builder
  const reachesUnnamed = builder.callsUnknown && (builder.readsUnknown || source.includes('\\'))
  return {
    marks,
    reads,
    members,
    warnings,
    origins,
    keepsIdentity: reachesUnnamed || TELLS_IDENTITY.test(source),
  }
}

/**
 * Matches the names of methods that change a list or dictionary in place, of the test `sameas`, and of filters that
 * read an attribute by name.
 */
const TELLS_IDENTITY =
  /\b(append|extend|insert|pop|remove|reverse|sort|clear|update|setdefault|popitem|sameas|attr)\b/

function newFrame(builder: Builder, shape: FunctionShape, context: object): Frame {
  const assigned = builder.hasBlocks ? new Map<string, Value>() : null
  return new Frame(shape.slots, null, new Root(context, builder.blocks, assigned), true)
}

function run(frame: Frame, enter: ((frame: Frame) => void) | null, body: Execute): string {
  enter?.(frame)
  body(frame)
  return frame.out
}

function evaluate(frame: Frame, enter: ((frame: Frame) => void) | null, value: Evaluate): Value {
  enter?.(frame)
  return value(frame)
}

function hasBlock(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    if (statement.type === 'block') return true
    if (statement.type === 'if') {
      return statement.branches.some(({ body }) => hasBlock(body)) || hasBlock(statement.otherwise)
    }
    if (statement.type === 'for') return hasBlock(statement.body) || hasBlock(statement.otherwise)
    return 'body' in statement && hasBlock(statement.body)
  })
}
