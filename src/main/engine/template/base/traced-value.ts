import type { Data } from '../../data/value.ts'

/** What one `{{ … }}` put into the output. */
export interface TracedValue {
  /** Names of the context it comes from: those it reads, and what went into the variables it reads. */
  readonly names: ReadonlySet<string>
  /** Undefined where it is missing. */
  readonly value: Data | undefined
  /** The expression as written. */
  readonly source: string
  readonly line: number
  readonly column: number
  /** A plain path (`previous_request.next`) is the server's own value; anything else is computed by the author. */
  readonly path: 'plain' | 'computed'
}
