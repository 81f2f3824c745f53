import { statSync } from 'node:fs'
import { join } from 'node:path'

export interface EncodedFile {
  /** Path in the address, `/assets/index-4f3a.js.br`. */
  readonly path: string
  readonly encoding: 'br' | 'gzip'
}

/** In the order in which they are preferred: the first is the smaller. */
const ENCODINGS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const

/** Those that the build has compressed beforehand; nothing else of a path may reach the disk from here. */
const COMPRESSED = /^\/assets\/[\w~-][\w.~-]*\.(?:js|css)$/

export function isCompressed(path: string): boolean {
  return COMPRESSED.test(path)
}

/** What the build compressed of a file, as far as the client reads it; null: the file as it is. */
export function encodedFile(
  folder: string,
  path: string,
  acceptEncoding: string | undefined,
): EncodedFile | null {
  if (acceptEncoding === undefined || !isCompressed(path)) return null
  const accepted = acceptedEncodings(acceptEncoding)
  for (const { encoding, suffix } of ENCODINGS) {
    const isThere = accepted.has(encoding) && statSync(join(folder, path + suffix), { throwIfNoEntry: false })
    if (isThere) return { path: path + suffix, encoding }
  }
  return null
}

/** `gzip, br;q=0` accepts gzip alone. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const parts = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  )
  return new Set(parts.flatMap(([name = '', weight]) => (Number(weight ?? 1) > 0 ? [name] : [])))
}
