import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Files compressed by the build; no other path may reach the disk from here. */
const COMPRESSED = /^\/assets\/[\w~-][\w.~-]*\.(?:js|css)$/

export function isCompressed(path: string): boolean {
  return COMPRESSED.test(path)
}

/** The URL path of a file's version in gzip, if there is one and the client accepts it; null: the file itself. */
export function compressedFile(
  folder: string,
  path: string,
  acceptEncoding: string | undefined,
): string | null {
  if (acceptEncoding === undefined || !isCompressed(path) || !accepts(acceptEncoding, 'gzip')) return null
  return statSync(join(folder, `${path}.gz`), { throwIfNoEntry: false }) ? `${path}.gz` : null
}

/** `gzip;q=0, br` accepts only br. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', weight] = part.toLowerCase().split(/;\s*q=/)
    return name.trim() === encoding && Number(weight ?? 1) > 0
  })
}
