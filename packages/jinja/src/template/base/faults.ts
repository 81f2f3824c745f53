import { englishOf, type Said, SaidError } from '../../data/said.ts'
import type { SourcePosition } from './source-position.ts'
import type { TracedValue } from './traced-value.ts'

/** The category of an error, so that the caller knows what to change in the template or the data. */
export type FaultKind = 'syntax' | 'undefined' | 'filter' | 'unavailable' | 'argument' | 'runtime' | 'limit'

/** An error inside the evaluator, before its position in the source is known. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly said: Said
  readonly hint: Said | null

  constructor(kind: FaultKind, said: Said, hint: Said | null = null) {
    super()
    this.kind = kind
    this.said = said
    this.hint = hint
  }

  override get message(): string {
    return englishOf(this.said)
  }
}

/** Thrown for a template that can't be compiled or evaluated. `line` and `column` count from 1. */
export class TemplateError extends SaidError {
  readonly code = 'template_error'
  readonly kind: FaultKind
  readonly line: number
  readonly column: number
  /** The part of the source at fault, as written; empty at the end of the template. */
  readonly token: string
  readonly hint: string | null
  /** Key and values of the hint. */
  readonly advice: Said | null

  constructor(kind: FaultKind, said: Said, position: SourcePosition, hint: Said | null = null) {
    super(shortened(said))
    this.name = 'TemplateError'
    this.kind = kind
    this.line = position.line
    this.column = position.column
    this.token = shorten(position.token, 80)
    this.advice = hint === null ? null : shortened(hint)
    this.hint = this.advice === null ? null : englishOf(this.advice)
  }
}

/** Thrown if the rendered `query`, `body` or `header` isn't a dictionary. */
export class NotADictionaryError extends SaidError {
  readonly code = 'not_a_dictionary'
  /** The rendered output, shortened for a message. */
  readonly text: string
  /** The values that each `{{ … }}` inserted, for callers that check whether a cursor has ended. */
  readonly traced: readonly TracedValue[]

  constructor(text: string, reason: Said, traced: readonly TracedValue[] = []) {
    super(reason)
    this.name = 'NotADictionaryError'
    this.text = shorten(text, 200)
    this.traced = traced
  }
}

export const typeFault = (said: Said, hint: Said | null = null) => new Fault('runtime', said, hint)

export const argumentFault = (said: Said, hint: Said | null = null) => new Fault('argument', said, hint)

function shortened({ key, params }: Said): Said {
  const values = Object.entries(params).map(([at, value]) => [
    at,
    typeof value === 'string' ? shorten(value, 300) : typeof value === 'object' ? shortened(value) : value,
  ])
  return { key, params: Object.fromEntries(values) as Said['params'] }
}

/** Shortens data in messages, which can be long, so that errors stay short and readable. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
