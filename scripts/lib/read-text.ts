import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/** A text of the repository, by its path there. With LF, even where git was told to check it out with CRLF. */
export function readText(path: string): string {
  return withLf(readFileSync(join(ROOT, path), 'utf8'))
}

export const withLf = (text: string) => text.replaceAll('\r\n', '\n')
