import { MIMEType } from 'node:util'

/** The declared type of a body. */
export interface MediaType {
  readonly family: 'json' | 'xml' | 'form' | 'multipart' | 'other'
  /** The charset as sent, without quotes; null if the header names none. */
  readonly charset: string | null
  readonly essence: string
}

/** Parses a Content-Type header; a missing or malformed one is `other`. */
export function parseMediaType(header: string | undefined): MediaType {
  if (header === undefined) return OTHER
  const seen = known.get(header)
  if (seen !== undefined) return seen
  const type = readMediaType(header)
  if (header.length <= LONGEST_KNOWN && known.size < MOST_KNOWN) known.set(header, type)
  return type
}

/** Callers send the same few headers repeatedly, except for the boundaries of forms. */
const known = new Map<string, MediaType>()
const MOST_KNOWN = 100
const LONGEST_KNOWN = 60

const OTHER: MediaType = { family: 'other', charset: null, essence: '' }

function readMediaType(header: string): MediaType {
  const type = parseMime(header)
  if (type === null) return OTHER
  return { family: familyOf(type), charset: type.params.get('charset'), essence: type.essence }
}

function familyOf({ type, subtype, essence }: MIMEType): MediaType['family'] {
  if (type === 'multipart') return 'multipart'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  if (subtype === 'xml' || subtype.endsWith('+xml')) return 'xml'
  if (subtype === 'json' || subtype.endsWith('+json')) return 'json'
  return 'other'
}

function parseMime(header: string): MIMEType | null {
  try {
    return new MIMEType(header)
  } catch {
    return null
  }
}
