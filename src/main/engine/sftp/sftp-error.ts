import { SpokenError } from '../../../shared/contract/base/errors.ts'
import type { Said } from '../../../shared/contract/base/message.ts'

/** Thrown if a call to an SFTP server fails. The message says what to do and contains no secret. */
export class SftpError extends SpokenError {
  override readonly name = 'SftpError'
  readonly code: 'sftp_error' | 'host_key_changed' | 'timeout' | 'too_large' | 'cancelled'

  constructor(
    sentence: Said,
    { code = 'sftp_error', cause }: { code?: SftpError['code']; cause?: unknown } = {},
  ) {
    super(sentence, cause)
    this.code = code
  }
}
