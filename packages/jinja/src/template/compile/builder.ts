import type { FaultKind } from '../base/faults.ts'
import type { Said } from '../../data/said.ts'
import { SyntaxFault } from '../syntax/token.ts'
import type { Expression, Span } from '../base/tree.ts'
import type { Evaluate } from './frame.ts'
import type { Origins } from './origins.ts'
import type { FunctionShape, Scope } from './scope.ts'
import type { Root } from './root.ts'
import type { Value } from '../base/value.ts'

/** Collects information while a template is compiled to closures. */
export class Builder {
  /** Positions in the source that an error can refer to. */
  readonly marks: Span[] = []
  /** Names read from the context, each with its index in the root. */
  readonly names = new Map<string, number>()
  readonly blocks = new Map<string, (root: Root) => Value>()
  readonly hasBlocks: boolean
  /** Names that only the context can define. */
  readonly reads: NameRead[] = []
  /** Keys read from such names. */
  readonly members: MemberRead[] = []
  /**
   * Faults that only occur when they are reached: an unknown filter inside an `if`, a tag that needs other templates.
   */
  readonly warnings: SyntaxFault[] = []
  readonly origins: Origins
  /** Whether the template calls something that can't be identified by a name in it. */
  callsUnknown = false
  /**
   * Whether there are filters, or items with a computed key, through which a method could be reached without its name.
   */
  readsUnknown = false
  /** The number of expressions and statements so far, which is the cost of one pass over them. */
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

  fail(said: Said, span: Span, hint: Said | null = null, kind: FaultKind = 'syntax'): SyntaxFault {
    return new SyntaxFault(said, span.start, span.end, hint, kind)
  }
}

export interface NameRead extends Span {
  readonly name: string
  /** Whether the template checks that it exists. */
  readonly mayBeMissing: boolean
}

/** A read of `a.id` or `a['id']` for a name that is read from the context. */
export interface MemberRead extends Span {
  readonly owner: string
  readonly key: string
  /** Whether the template checks that it exists, or provides a default. */
  readonly isAsked: boolean
}

/** The position of the compiler in the template, as far as it affects the generated closures. */
export interface CompileContext {
  readonly builder: Builder
  readonly scope: Scope
  readonly shape: FunctionShape
  /** Whether this is inside an `if`, where an unknown filter is only an error when it is reached. */
  readonly soft: boolean
  /** Whether this is the top level of the template, whose assignments are visible in its blocks. */
  readonly top: boolean
  /** Whether output is escaped, if that is known; otherwise a value decides at run time. */
  readonly escaping: boolean | 'decided at run time'
  readonly inLoop: boolean
  /** Whether this is inside a constant printed expression, which reads no name and calls nothing. */
  readonly folded: boolean
}

/**
 * Compiles an expression. It is passed to the compilers of the individual kinds, whose parts are expressions
 * again. `mayBeMissing` means that the template asks whether it is defined, so a missing path is a valid
 * result.
 */
export type CompileExpression = (
  context: CompileContext,
  expression: Expression,
  mayBeMissing?: boolean,
) => Evaluate

/** The end of a `switch` over all types; TypeScript proves that it isn't reached. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected ${JSON.stringify(value)}`)
}
