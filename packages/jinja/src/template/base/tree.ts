import type { Value } from './value.ts'

/** The position of a part of the template in its source. */
export interface Span {
  readonly start: number
  readonly end: number
}

export type BinarySign = '+' | '-' | '*' | '/' | '//' | '%' | '**'
export type CompareSign = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

export interface Arguments {
  readonly positional: readonly Expression[]
  readonly keywords: readonly { readonly name: string; readonly value: Expression }[]
  /** `*list`. */
  readonly rest: Expression | null
  /** `**dictionary`. */
  readonly names: Expression | null
}

export type Expression = Span &
  (
    | { readonly type: 'constant'; readonly value: Value }
    | { readonly type: 'name'; readonly name: string }
    | { readonly type: 'tuple' | 'list' | 'concat'; readonly items: readonly Expression[] }
    | {
        readonly type: 'dict'
        readonly pairs: readonly { readonly key: Expression; readonly value: Expression }[]
      }
    | {
        readonly type: 'binary'
        readonly sign: BinarySign
        readonly left: Expression
        readonly right: Expression
      }
    | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
    | { readonly type: 'not' | 'negate' | 'plus'; readonly operand: Expression }
    | {
        readonly type: 'compare'
        readonly first: Expression
        readonly rest: readonly {
          readonly sign: CompareSign
          readonly operand: Expression
          readonly span: Span
        }[]
      }
    | {
        readonly type: 'conditional'
        readonly test: Expression
        readonly then: Expression
        readonly otherwise: Expression | null
      }
    | { readonly type: 'attribute'; readonly owner: Expression; readonly name: string }
    | { readonly type: 'item'; readonly owner: Expression; readonly key: Expression }
    | {
        readonly type: 'slice'
        readonly owner: Expression
        readonly from: Expression | null
        readonly to: Expression | null
        readonly step: Expression | null
      }
    | { readonly type: 'call'; readonly callee: Expression; readonly args: Arguments }
    | {
        readonly type: 'filter'
        readonly subject: Expression | null
        readonly name: string
        readonly args: Arguments
      }
    | { readonly type: 'test'; readonly subject: Expression; readonly name: string; readonly args: Arguments }
    | { readonly type: 'path'; readonly path: string; readonly root: string | null }
  )

/** Expressions of the given types; a shape shared by several types counts for each. */
export type ExpressionOf<T extends Expression['type']> = Expression extends infer E
  ? E extends { readonly type: infer Type }
    ? T extends Type
      ? E
      : never
    : never
  : never

/** The targets of assignments by a loop, `set` or `with`. */
export type Target = Span &
  (
    | { readonly type: 'name'; readonly name: string }
    | { readonly type: 'member'; readonly owner: string; readonly name: string }
    | { readonly type: 'tuple'; readonly items: readonly Target[] }
  )

export interface MacroParameter extends Span {
  readonly name: string
  readonly fallback: Expression | null
}

export type Statement = Span &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'print'; readonly value: Expression }
    | {
        readonly type: 'if'
        readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[]
        readonly otherwise: readonly Statement[]
      }
    | {
        readonly type: 'for'
        readonly target: Target
        readonly over: Expression
        readonly test: Expression | null
        readonly recursive: boolean
        readonly body: readonly Statement[]
        readonly otherwise: readonly Statement[]
      }
    | { readonly type: 'set'; readonly target: Target; readonly value: Expression }
    | {
        readonly type: 'set block'
        readonly target: Target
        readonly filter: Expression | null
        readonly body: readonly Statement[]
      }
    | {
        readonly type: 'with'
        readonly targets: readonly Target[]
        readonly values: readonly Expression[]
        readonly body: readonly Statement[]
      }
    | {
        readonly type: 'macro'
        readonly name: string
        readonly parameters: readonly MacroParameter[]
        readonly body: readonly Statement[]
      }
    | {
        readonly type: 'call block'
        readonly parameters: readonly MacroParameter[]
        readonly call: ExpressionOf<'call'>
        readonly body: readonly Statement[]
      }
    | { readonly type: 'filter block'; readonly filter: Expression; readonly body: readonly Statement[] }
    | {
        readonly type: 'block'
        readonly name: string
        readonly scoped: boolean
        readonly required: boolean
        readonly body: readonly Statement[]
      }
    | { readonly type: 'autoescape'; readonly value: Expression; readonly body: readonly Statement[] }
    | { readonly type: 'do'; readonly value: Expression }
    | { readonly type: 'break' | 'continue' }
    /** `include`, `import` and `extends`, which can't work because there are no other templates to load. */
    | {
        readonly type: 'unsupported'
        readonly tag: string
        readonly names: readonly string[]
        readonly inputs: readonly Expression[]
      }
  )

export type StatementOf<T extends Statement['type']> = Statement extends infer S
  ? S extends { readonly type: infer Type }
    ? T extends Type
      ? S
      : never
    : never
  : never
