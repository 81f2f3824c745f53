import type { Data } from '../../data/value.ts'

/** The value that one `{{ … }}` inserted into the output. */
export interface TracedValue {
  /** The context names it comes from: those the expression reads, and those that its variables were computed from. */
  readonly names: ReadonlySet<string>
  /** Undefined if it is missing. */
  readonly value: Data | undefined
  /** The expression as written. */
  readonly source: string
  readonly line: number
  readonly column: number
  /** A plain path (`previous_request.next`) is the server's own value; anything else is computed by the author. */
  readonly path: 'plain' | 'computed'
}
