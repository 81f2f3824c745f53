/** What the program and the thread on which imports are read say to each other. */
import type { ErrorCode } from '../../../shared/contract/base/errors.ts'

export interface ImportRequest {
  readonly kind: 'flow' | 'connector'
  readonly from: ImportSource
}

/** A text, or the path of a file with one. */
export type ImportSource = { readonly text: string } | { readonly path: string }

export type ImportReply =
  /** JSON: it keeps what a copy between threads would lose. */
  | { readonly json: string }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly data: unknown } }
