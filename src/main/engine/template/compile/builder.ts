import { SyntaxFault } from '../syntax/token.ts'
import type { Expression, Span } from '../base/tree.ts'
import type { Evaluate } from './frame.ts'
import type { Origins } from './origins.ts'
import type { FunctionShape, Scope } from './scope.ts'
import type { Root } from './root.ts'
import type { Value } from '../base/value.ts'

/** What is collected while a template is turned into closures. */
export class Builder {
  /** Places in the source that an error can be about. */
  readonly marks: Span[] = []
  /** Names read from the context, each with its place in the root. */
  readonly names = new Map<string, number>()
  readonly blocks = new Map<string, (root: Root) => Value>()
  readonly hasBlocks: boolean
  /** Names read where only the context can give them a meaning. */
  readonly reads: NameRead[] = []
  /** Members read of such names. */
  readonly members: MemberRead[] = []
  /** What is wrong only once it is reached: an unknown filter inside an `if`, a tag that needs other templates. */
  readonly warnings: SyntaxFault[] = []
  readonly origins: Origins
  /** Whether something is called that no name in the template says what it is. */
  callsUnknown = false
  /** Whether there are filters, or items by a computed key: what a method could be reached by unnamed. */
  readsUnknown = false
  /** Expressions and statements so far: what one pass over them costs. */
  weight = 0

  constructor(hasBlocks: boolean, origins: Origins) {
    this.hasBlocks = hasBlocks
    this.origins = origins
  }

  mark({ start, end }: Span): number {
    return this.marks.push({ start, end }) - 1
  }

  nameIndex(name: string): number {
    const known = this.names.get(name)
    if (known !== undefined) return known
    this.names.set(name, this.names.size)
    return this.names.size - 1
  }

  fail(
    message: string,
    span: Span,
    hint: string | null = null,
    kind: 'syntax' | 'filter' = 'syntax',
  ): SyntaxFault {
    return new SyntaxFault(message, span.start, span.end, hint, kind)
  }
}

export interface NameRead extends Span {
  readonly name: string
  /** Whether the template asks if it is there at all. */
  readonly mayBeMissing: boolean
}

/** `a.id`, `a['id']` of a name that is read from the context. */
export interface MemberRead extends Span {
  readonly owner: string
  readonly key: string
  /** Whether the template asks if it is there at all, or what it says if it is not. */
  readonly isAsked: boolean
}

/** Where in the template the compiler is, and what that means for what it compiles. */
export interface CompileContext {
  readonly builder: Builder
  readonly scope: Scope
  readonly shape: FunctionShape
  /** Inside an `if`: an unknown filter is an error only when it is reached. */
  readonly soft: boolean
  /** At the top of the template, where assignments are seen by its blocks. */
  readonly top: boolean
  /** Whether text is escaped: known, or decided by a value when it runs. */
  readonly escaping: boolean | 'decided at run time'
  readonly inLoop: boolean
  /** Inside a printed expression that is known beforehand, because it reads no name and calls nothing. */
  readonly folded: boolean
}

/**
 * Turns an expression into a closure; handed to those that turn one kind of it, whose parts are expressions again.
 * `mayBeMissing`: it is asked whether it is defined, so a missing path is an answer.
 */
export type CompileExpression = (
  context: CompileContext,
  expression: Expression,
  mayBeMissing?: boolean,
) => Evaluate

/** The end of a `switch` over all types; the compiler proves that nothing gets here. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected ${JSON.stringify(value)}`)
}
