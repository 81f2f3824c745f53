import type { PathNode } from './evaluate.ts'

/** Writes a location as a normalized path of RFC 9535 (2.7): `$['items'][0]['name']`. */
export function normalizedPath(place: PathNode): string {
  const parts: string[] = []
  for (let at = place; at !== null; at = at.parent) {
    parts.push(typeof at.key === 'number' ? `[${at.key}]` : `['${escapeName(at.key)}']`)
  }
  return `$${parts.reverse().join('')}`
}

function escapeName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters must be escaped
  return name.replaceAll(/['\\\u0000-\u001f]/g, (char) => {
    return SHORT.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["'", "\\'"],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])
