/** Files that commands read and write; `-` is stdin. */
import { readFileSync, writeFileSync } from 'node:fs'
import { EXIT, HostError } from '../exit-codes.ts'

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
 * @param mode of a file that is made
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
  const why = (cause as NodeJS.ErrnoException).code ?? String(cause)
  return new HostError(EXIT.failed, `${path} cannot be ${done} (${why})`, { cause })
}
