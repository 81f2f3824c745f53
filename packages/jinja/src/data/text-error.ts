import { type Said, SaidError, say } from './said.ts'

/**
 * A problem in a string, with its position. `line` and `column` count from 1, `offset` from 0, both in UTF-16 units.
 */
export class TextError extends SaidError {
  readonly line: number
  readonly column: number
  readonly offset: number
  /** The sentence without the position. */
  readonly problem: Said

  constructor(text: string, offset: number, problem: Said) {
    const before = text.slice(0, offset)
    const line = before.split('\n').length
    const column = offset - before.lastIndexOf('\n')
    super(say`Line ${line}, column ${column}: ${problem}`)
    this.line = line
    this.column = column
    this.offset = offset
    this.problem = problem
  }
}
