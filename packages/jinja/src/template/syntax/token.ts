import { type Said, say } from '../../data/said.ts'
import { Fault, type FaultKind } from '../base/faults.ts'
import type { Value } from '../base/value.ts'

/** Kinds of tokens; an operator is its own kind. */
export type TokenKind =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'path'
  | 'end'
  | Operator

export type Operator =
  | '+' | '-' | '/' | '//' | '*' | '%' | '**' | '~' | '[' | ']' | '(' | ')' | '{' | '}' | '==' | '!=' | '>' | '>='
  | '<' | '<=' | '=' | '.' | ':' | '|' | ',' | ';' // prettier-ignore

export interface Token {
  readonly kind: TokenKind
  /** The source of a name or template text, or the value of a literal. */
  readonly text: string
  readonly value: Value
  readonly start: number
  readonly end: number
}

/** An error with its position in the source. */
export class SyntaxFault extends Fault {
  readonly start: number
  readonly end: number

  constructor(said: Said, start: number, end: number, hint: Said | null = null, kind: FaultKind = 'syntax') {
    super(kind, said, hint)
    this.start = start
    this.end = end
  }
}

const DESCRIPTIONS: Readonly<Partial<Record<TokenKind, Said>>> = {
  data: say`template data / text`,
  variable_begin: say`begin of print statement`,
  variable_end: say`end of print statement`,
  block_begin: say`begin of statement block`,
  block_end: say`end of statement block`,
  end: say`end of template`,
}

/** The name of a token kind in messages. */
export function describeKind(kind: TokenKind): Said | string {
  return DESCRIPTIONS[kind] ?? kind
}

export function describeToken(token: Token): Said | string {
  return token.kind === 'name' ? token.text : describeKind(token.kind)
}
