import { statSync } from 'node:fs'
import { join } from 'node:path'

export interface EncodedFile {
  /** URL path, `/assets/index-4f3a.js.br`. */
  readonly path: string
  readonly encoding: 'br' | 'gzip'
}

/** In order of preference: the first is smaller. */
const ENCODINGS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const

/** Files compressed by the build; no other path may reach the disk from here. */
const COMPRESSED = /^\/assets\/[\w~-][\w.~-]*\.(?:js|css)$/

export function isCompressed(path: string): boolean {
  return COMPRESSED.test(path)
}

/** The compressed version of a file that the client accepts; null: the file itself. */
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

/** `gzip, br;q=0` accepts only gzip. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const parts = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  )
  return new Set(parts.flatMap(([name = '', weight]) => (Number(weight ?? 1) > 0 ? [name] : [])))
}
