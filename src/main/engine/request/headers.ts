import type { HeaderLine } from '../ports.ts'

/** The value of a header, its lines joined with a comma and a space; null if it is absent. */
export function headerValue(headers: readonly HeaderLine[], name: string): string | null {
  const wanted = name.toLowerCase()
  let joined: string | null = null
  for (const [known, value] of headers) {
    // The length is compared first because it rules out nearly every header.
    if (known.length !== wanted.length || known.toLowerCase() !== wanted) continue
    joined = joined === null ? value : `${joined}, ${value}`
  }
  return joined
}

/** The headers without those with the given names, which are in lower case. */
export function withoutHeaders(headers: readonly HeaderLine[], names: ReadonlySet<string>): HeaderLine[] {
  return headers.filter(([name]) => !names.has(name.toLowerCase()))
}

/** Headers as they are shown: names in lower case, lines of the same name joined. */
export function headerRecord(headers: readonly HeaderLine[]): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (Object.hasOwn(joined, key)) joined[key] += `, ${value}`
    else if (key !== '__proto__') joined[key] = value
  }
  return joined
}

/** Decodes the bytes of a header: as UTF-8 if they are valid, or else with one character per byte. */
export function decodeHeader(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!NON_ASCII.test(latin1)) return latin1
  try {
    return STRICT_UTF8.decode(bytes)
  } catch {
    return latin1
  }
}

/** A string as HTTP/1.1 can carry it: each byte of its UTF-8 form as one character. */
export function encodeHeader(value: string): string {
  return NON_ASCII.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value
}

/** Whether a value is allowed in a header: line breaks and NUL could inject further headers. */
export function isHeaderValue(value: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are the characters to refuse
  return !/[\0-\x08\x0a-\x1f\x7f]/.test(value)
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
}

const NON_ASCII = /[^\0-\x7f]/
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
