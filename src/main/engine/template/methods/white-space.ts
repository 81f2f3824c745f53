/** White space as Python's `str` has it, for the inside of a character class: JavaScript's, and five controls. */
export const SPACES = `\\s${unit(0x1c)}-${unit(0x1f)}${unit(0x85)}`

/** What ends a line in Python, for the inside of a character class. */
export const LINE_ENDS = `\\n\\r\\v\\f${unit(0x1c)}-${unit(0x1e)}${unit(0x85)}\\u2028\\u2029`

const SPACE = new RegExp(`^[${SPACES}]$`)
const SPACE_RUN = new RegExp(`[${SPACES}]+`)

export function isSpace(character: string): boolean {
  return SPACE.test(character) && character !== '\ufeff'
}

/** Words between white space. */
export function wordsOf(text: string): string[] {
  return text.split(SPACE_RUN).filter((word) => word !== '')
}

function unit(code: number): string {
  return String.fromCharCode(code)
}
