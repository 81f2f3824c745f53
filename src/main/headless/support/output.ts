/** What a command prints: for people, or with `--json` for programs. Answers go to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean
  /** The answer: the value where JSON was asked for, else the text. */
  answer(value: unknown, text: string): void
  /** A word beside the answer, for people alone. */
  note(text: string): void
  failure(code: string, message: string, data?: unknown): void
}

export function createOutput(json: boolean): Output {
  const line = (stream: NodeJS.WriteStream, text: string) => void stream.write(`${text}\n`)
  return {
    json,
    answer: (value, text) => line(process.stdout, json ? JSON.stringify(value) : text),
    note: (text) => {
      if (!json) line(process.stderr, text)
    },
    failure: (error, message, data = null) =>
      line(process.stderr, json ? JSON.stringify({ error, message, data }) : `millrace: ${message}`),
  }
}

/** Columns as wide as their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
