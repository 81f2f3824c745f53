import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/** Reads a text file of the repository, with LF even if git checked it out with CRLF. */
export function readText(path: string): string {
  return withLf(readFileSync(join(ROOT, path), 'utf8'))
}

export const withLf = (text: string) => text.replaceAll('\r\n', '\n')
