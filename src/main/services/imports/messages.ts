/** What the program and the thread on which imports are read say to each other. */
import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import type { ImportSource } from '../files/import-source.ts'

export interface ImportRequest {
  readonly kind: 'flow' | 'connector'
  readonly from: ImportSource
}

export type ImportReply =
  /** JSON: it keeps what a copy between threads would lose. */
  | { readonly json: string }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly data: unknown } }
