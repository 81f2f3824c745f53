import { type Said, SaidError, say } from '../data/said.ts'

export interface CsvOptions {
  /** The character between fields. */
  readonly delimiter: string
  /** The limit across all rows. Input with more is rejected. */
  readonly maxFields: number
  /** Whether quotes are ordinary characters, as in text/tab-separated-values. */
  readonly isUnquoted: boolean
}

/** Input that isn't valid CSV. `line` counts from 1. */
export class CsvError extends SaidError {
  override readonly name = 'CsvError'
  readonly line: number
  private readonly problem: Said

  constructor(line: number, problem: Said) {
    super(say`Line ${line}: ${problem}`)
    this.line = line
    this.problem = problem
  }

  /** The same error in a larger text, in which this one begins after the given number of lines. */
  after(lines: number): CsvError {
    return new CsvError(this.line + lines, this.problem)
  }
}

/** The delimiter as one character; a tab can be written as `\\t` or `tab`. Null if it can't separate fields. */
export function delimiterNamed(chosen: string): string | null {
  if (chosen === '\\t' || chosen === 'tab') return '\t'
  return chosen.length === 1 && !/["\r\n]/.test(chosen) ? chosen : null
}

const DEFAULTS: CsvOptions = { delimiter: ',', maxFields: 500_000, isUnquoted: false }

/**
 * Reads CSV according to RFC 4180: quoted fields can contain delimiters, line ends and doubled quotes. Any line end is
 * accepted; a byte-order mark and empty lines are skipped; a line with only empty quotes is a row of one empty field.
 *
 * @throws CsvError for an unclosed quote or too many fields
 */
export function parseCsv(text: string, options: Partial<CsvOptions> = {}): string[][] {
  return new CsvReader(text.startsWith('\ufeff') ? text.slice(1) : text, { ...DEFAULTS, ...options }).read()
}

class CsvReader {
  private readonly text: string
  private readonly options: CsvOptions
  private at = 0
  private line = 1
  private fields = 0

  constructor(text: string, options: CsvOptions) {
    this.text = text
    this.options = options
  }

  read(): string[][] {
    const rows: string[][] = []
    while (this.at < this.text.length) {
      const isQuoted = this.isQuote()
      const row = this.readRow()
      if (row.length > 1 || row[0] !== '' || isQuoted) rows.push(row)
    }
    return rows
  }

  private readRow(): string[] {
    const row: string[] = []
    for (;;) {
      if (++this.fields > this.options.maxFields) {
        throw new CsvError(this.line, say`the text has more than ${this.options.maxFields} fields.`)
      }
      row.push(this.isQuote() ? this.readQuoted() : this.readPlain())
      if (this.text[this.at] !== this.options.delimiter) break
      this.at++
    }
    this.skipLineEnd()
    return row
  }

  private isQuote(): boolean {
    return this.text[this.at] === '"' && !this.options.isUnquoted
  }

  private readPlain(): string {
    const start = this.at
    while (this.at < this.text.length && !this.isFieldEnd()) this.at++
    return this.text.slice(start, this.at)
  }

  private readQuoted(): string {
    const startLine = this.line
    let field = ''
    for (let from = this.at + 1; ;) {
      const end = this.text.indexOf('"', from)
      if (end === -1) throw new CsvError(startLine, say`a quoted field is not closed.`)
      field += this.text.slice(from, end)
      if (this.text[end + 1] !== '"') {
        this.line += field.split('\n').length - 1
        this.at = end + 1
        // Characters after the closing quote belong to the field, because many programs write them.
        return field + this.readPlain()
      }
      field += '"'
      from = end + 2
    }
  }

  private isFieldEnd(): boolean {
    const unit = this.text[this.at]
    return unit === this.options.delimiter || unit === '\n' || unit === '\r'
  }

  private skipLineEnd(): void {
    if (this.text[this.at] === '\r') this.at++
    if (this.text[this.at] === '\n') this.at++
    this.line++
  }
}
