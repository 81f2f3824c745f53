import type { Data } from '../data/value.ts'

/** A sequence of segments, applied to the root one after the other. */
export type Path = readonly Segment[]

export interface Segment {
  /** `child` selects from the members of a value, `descendants` also from those of all nested values. */
  readonly of: 'child' | 'descendants'
  readonly selectors: readonly Selector[]
}

export type Selector =
  | { readonly type: 'name'; readonly name: string; readonly loose: boolean }
  | { readonly type: 'wildcard' }
  | { readonly type: 'index'; readonly index: number }
  | {
      readonly type: 'slice'
      readonly start: number | null
      readonly end: number | null
      readonly step: number
    }
  | { readonly type: 'filter'; readonly test: Expression }
  | { readonly type: 'computed'; readonly key: Expression }
  /** A whole path that jsonpath-plus evaluates; the only selector of its path. */
  | { readonly type: 'plus'; readonly path: string; readonly construct: string }

export type Expression =
  | { readonly type: 'literal'; readonly value: Data | undefined }
  | PathExpression
  | { readonly type: 'property' }
  | { readonly type: 'not' | 'negate'; readonly operand: Expression }
  | {
      readonly type: 'binary'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }
  | FunctionCall

export interface PathExpression {
  readonly type: 'path'
  readonly from: '@' | '$'
  readonly path: Path
  /** Whether it can select at most one value. */
  readonly singular: boolean
}

/** A call of one of the five functions of RFC 9535 (2.4). */
export type FunctionCall =
  | { readonly type: 'length'; readonly operand: Expression }
  | { readonly type: 'count' | 'value'; readonly operand: PathExpression }
  | { readonly type: 'match' | 'search'; readonly text: Expression; readonly pattern: Expression }

export type FunctionName = FunctionCall['type']

/** Operators from the loosest binding to the tightest, as in JavaScript. A longer operator comes before its prefix. */
export const OPERATOR_LEVELS = [
  ['||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
] as const

export type Operator = (typeof OPERATOR_LEVELS)[number][number]
