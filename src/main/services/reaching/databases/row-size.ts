/** Limits the size of a row of a statement, because receivers hold a whole row in memory, several times over. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'

/** In bytes as the database sends the row, or in characters for SQLite. A MySQL packet can't be larger. */
export const LARGEST_ROW = 16 * 1_048_576 - 1

export function sizeOf(row: readonly unknown[]): number {
  let size = 0
  for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
  return size
}

export function rowTooLarge(): AppError {
  return new AppError(
    'too_large',
    say(
      'the statement returns a row that exceeds the limit of 16 MiB; select fewer columns, or parts of long values with substr()',
    ),
  )
}

interface Framing {
  readonly headerBytes: number
  /** Number of bytes after the header. */
  readonly lengthIn: (header: Buffer) => number
}

/** The header is a letter and the length, which includes its own four bytes. */
export const POSTGRES_FRAMING: Framing = {
  headerBytes: 5,
  lengthIn: (header) => Math.max(0, header.readInt32BE(1) - 4),
}

/** The header is three bytes of length and a sequence number. */
export const MYSQL_FRAMING: Framing = {
  headerBytes: 4,
  lengthIn: (header) => header.readUIntLE(0, 3),
}

/** Reads the length of each message from a server before a library collects it. */
export function createLengthCheck({ headerBytes, lengthIn }: Framing): (chunk: Buffer) => boolean {
  let left = 0
  let header = Buffer.alloc(0)
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      const skipped = Math.min(left, chunk.length - at)
      left -= skipped
      at += skipped
      if (left > 0 || at === chunk.length) break
      const part = chunk.subarray(at, at + headerBytes - header.length)
      header = Buffer.concat([header, part])
      at += part.length
      if (header.length < headerBytes) break
      left = lengthIn(header)
      header = Buffer.alloc(0)
      if (left >= LARGEST_ROW) return false
    }
    return true
  }
}
