/** Messages between the program and the import thread. */
import type { Said } from '../../../../shared/contract/base/message.ts'
import type { ErrorCode, SaidFields } from '../../../../shared/contract/base/errors.ts'
import type { ImportSource } from '../../keeping/files/import-source.ts'

export interface ImportRequest {
  readonly kind: 'flow' | 'connector'
  readonly from: ImportSource
}

export type ImportReply =
  /** JSON, because it keeps information that structured cloning between threads would lose. */
  | { readonly json: string }
  | {
      readonly refusal: {
        readonly code: ErrorCode
        readonly sentence: Said
        readonly data: unknown
        readonly saidFields: SaidFields | undefined
      }
    }
