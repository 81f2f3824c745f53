/** What a command prints: for people, or with `--json` for programs. Answers go to stdout, everything else to stderr. */
import { writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'

export interface Output {
  readonly json: boolean
  /** The answer: the value where JSON was asked for, else the text. */
  answer(value: unknown, text: string): void
  /** One of many answers, as it comes: a line each. */
  line(value: unknown, text: string): void
  /** An answer that reads the same either way. */
  text(text: string): void
  /** A word beside the answer, for people alone. */
  note(text: string): void
  /** How far it is, on a terminal alone: the last line, which the next replaces and everything else clears. */
  progress(state: Progress): void
  failure(code: string, message: string, data?: unknown): void
}

export interface Progress {
  readonly text: string
  /** How much of how much; absent if nobody knows how much it will be. */
  readonly share?: { readonly done: number; readonly total: number }
}

const CLEAR_LINE = '\r\u001b[K'
const BAR_WIDTH = 20

export function createOutput(json: boolean): Output {
  const showsProgress = !json && process.stderr.isTTY
  let hasProgress = false
  const line = (stream: NodeJS.WriteStream, text: string) => {
    if (hasProgress) process.stderr.write(CLEAR_LINE)
    hasProgress = false
    stream.write(`${text}\n`)
  }
  return {
    json,
    answer: (value, text) => line(process.stdout, json ? writeJson(value as Data) : text),
    line: (value, text) => line(process.stdout, json ? writeJson(value as Data) : text),
    text: (text) => line(process.stdout, text),
    note: (text) => {
      if (!json) line(process.stderr, text)
    },
    progress: (state) => {
      if (!showsProgress) return
      const text = writeProgress(state).slice(0, (process.stderr.columns || 80) - 1)
      process.stderr.write(`${CLEAR_LINE}${text}`)
      hasProgress = true
    },
    failure: (error, message, data = null) =>
      line(process.stderr, json ? JSON.stringify({ error, message, data }) : `millrace: ${message}`),
  }
}

function writeProgress({ text, share }: Progress): string {
  if (share === undefined) return text
  const filled = Math.round((BAR_WIDTH * share.done) / Math.max(1, share.total))
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${share.done}/${share.total} ${text}`
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
