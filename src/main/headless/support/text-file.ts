/** Files that commands read and write; `-` is stdin. */
import { readFileSync, writeFileSync } from 'node:fs'
import { EXIT, HostError } from '../../exit-codes.ts'

const STDIN = 0

/** @throws HostError */
export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? STDIN : path, 'utf8')
  } catch (error) {
    throw fileError(path, 'read', error)
  }
}

/**
 * @param mode of a newly created file
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
  EACCES: 'this user may not',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'nothing can be written there',
}
