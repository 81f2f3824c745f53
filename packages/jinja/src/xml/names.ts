/** The end of the name that begins at `start`; `start` itself if there is none. */
export function nameEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.codePointAt(at)
    if (code === undefined || !(at === start ? isNameStart(code) : isNameCharacter(code))) return at
    at += code > 0xffff ? 2 : 1
  }
}

function isNameStart(code: number): boolean {
  if (code < 0x80) return isLetter(code) || code === UNDERSCORE || code === COLON
  return isWithin(STARTS, code)
}

function isNameCharacter(code: number): boolean {
  if (code < 0x80) return isNameStart(code) || isDigit(code) || code === HYPHEN || code === POINT
  return isWithin(STARTS, code) || isWithin(RESTS, code)
}

function isWithin(ranges: readonly (readonly [number, number])[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last)
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const UNDERSCORE = 0x5f
const COLON = 0x3a
const HYPHEN = 0x2d
const POINT = 0x2e

/** Non-ASCII characters that a name can begin with, as listed in XML 1.0 (fifth edition, 2.3). */
const STARTS = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
] as const

/** Further characters that a name can contain after the first. */
const RESTS = [
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
] as const
