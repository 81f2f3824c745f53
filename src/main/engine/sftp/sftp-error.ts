/** A call to an SFTP server that failed; the message says what to do and contains no secret. */
export class SftpError extends Error {
  override readonly name = 'SftpError'
  readonly code: 'sftp_error' | 'host_key_changed' | 'timeout' | 'too_large' | 'cancelled'

  constructor(
    message: string,
    { code = 'sftp_error', cause }: { code?: SftpError['code']; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
