/** Files that commands read and write; `-` is stdin. */
import { isUtf8 } from 'node:buffer'
import { readFileSync, writeFileSync } from 'node:fs'
import { charsetByMark, decodeFile } from '@millrace/jinja/data'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

const STDIN = 0

/**
 * Reads UTF-8, or UTF-16 with a byte-order mark, as PowerShell writes it.
 *
 * @throws HostError
 */
export function readText(path: string): string {
  const bytes = readBytes(path)
  return new TextDecoder(charsetByMark(bytes) ?? 'utf-8').decode(bytes)
}

/**
 * Reads the value of an option that takes a string, `@` and a file name, or `-` for stdin. Files that aren't text are
 * sent as they are.
 *
 * @throws HostError
 */
export function readGiven(value: string): string | Buffer {
  if (value !== '-' && !value.startsWith('@')) return value
  const path = value === '-' ? value : value.slice(1)
  const bytes = readBytes(path)
  return charsetByMark(bytes) === null && !isUtf8(bytes) ? bytes : decodeFile(bytes)
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? STDIN : path)
  } catch (error) {
    throw fileError(path, 'read', error)
  }
}

/**
 * @param mode the mode of a newly created file
 * @throws HostError
 */
export function writeText(path: string, text: string, mode = 0o644): void {
  try {
    writeFileSync(path, text, { mode })
  } catch (error) {
    throw fileError(path, 'written', error)
  }
}

function fileError(path: string, done: 'read' | 'written', cause: unknown): HostError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
  const why = WHY[code] ?? code
  return new HostError(EXIT.failed, `${path} cannot be ${done} (${why})`, { cause })
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}
