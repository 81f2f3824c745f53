import type { SourcePosition } from './source-position.ts'
import type { TracedValue } from './traced-value.ts'

/** The category of an error, so that the caller knows what to change in the template or the data. */
export type FaultKind = 'syntax' | 'undefined' | 'filter' | 'unavailable' | 'argument' | 'runtime' | 'limit'

/** An error inside the evaluator, before its position in the source is known. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly hint: string | null

  constructor(kind: FaultKind, message: string, hint: string | null = null) {
    super(message)
    this.kind = kind
    this.hint = hint
  }
}

/** A template that cannot be compiled or evaluated. `line` and `column` count from 1. */
export class TemplateError extends Error {
  readonly code = 'template_error'
  readonly kind: FaultKind
  readonly line: number
  readonly column: number
  /** The part of the source at fault, as written; empty at the end of the template. */
  readonly token: string
  readonly hint: string | null

  constructor(kind: FaultKind, message: string, position: SourcePosition, hint: string | null = null) {
    super(shorten(message, 600))
    this.name = 'TemplateError'
    this.kind = kind
    this.line = position.line
    this.column = position.column
    this.token = shorten(position.token, 80)
    this.hint = hint === null ? null : shorten(hint, 300)
  }
}

/** The rendered `query`, `body` or `header` isn't a dictionary. */
export class NotADictionaryError extends Error {
  readonly code = 'not_a_dictionary'
  /** The rendered output, shortened for a message. */
  readonly text: string
  /** What each `{{ … }}` inserted, for callers that check whether a cursor has ended. */
  readonly traced: readonly TracedValue[]

  constructor(text: string, reason: string, traced: readonly TracedValue[] = []) {
    super(reason)
    this.name = 'NotADictionaryError'
    this.text = shorten(text, 200)
    this.traced = traced
  }
}

export const typeFault = (message: string, hint: string | null = null) => new Fault('runtime', message, hint)

export const argumentFault = (message: string, hint: string | null = null) =>
  new Fault('argument', message, hint)

/** Messages quote data, which can be long: errors have to stay short and readable. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
