import { formatJson } from '../../../lib/json.ts'

/**
 * A list as indented JSON whose lines are created on demand, so that of 100,000 records, only the visible lines cost
 * anything.
 */
export class JsonLines {
  readonly count: number
  readonly #records: readonly unknown[]
  /** Number of the line that each record begins on; one more for the end. */
  readonly #starts: Uint32Array
  #last: { readonly index: number; readonly lines: readonly string[] } | null = null

  constructor(records: readonly unknown[]) {
    this.#records = records
    this.#starts = new Uint32Array(records.length + 1)
    let line = 1
    for (const [index, record] of records.entries()) {
      this.#starts[index] = line
      line += linesOf(record)
    }
    this.#starts[records.length] = line
    this.count = records.length === 0 ? 1 : line + 1
  }

  line(number: number): string {
    const { length } = this.#records
    if (length === 0) return '[]'
    if (number === 0) return '['
    if (number >= this.count - 1) return ']'
    const index = this.#recordAt(number)
    if (this.#last?.index !== index)
      this.#last = { index, lines: formatJson(this.#records[index]).split('\n') }
    const { lines } = this.#last
    const at = number - (this.#starts[index] ?? 0)
    const comma = at === lines.length - 1 && index < length - 1 ? ',' : ''
    return `  ${lines[at] ?? ''}${comma}`
  }

  /** The last record that begins on this line or before. */
  #recordAt(line: number): number {
    let [low, high] = [0, this.#records.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= line) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The number of lines that JSON.stringify writes with an indent. */
function linesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const members = Array.isArray(value) ? value : Object.values(value)
  return members.length === 0 ? 1 : members.reduce<number>((sum, member) => sum + linesOf(member), 2)
}
