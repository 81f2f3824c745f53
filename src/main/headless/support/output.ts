/**
 * A command's output: for people, or as JSON for programs with `--json`. Results go to stdout, everything else to
 * stderr.
 */
import { type Data, writeJson } from '@millrace/jinja/data'

export type Output = ReturnType<typeof createOutput>

export interface Progress {
  readonly text: string
  /** The share that is done; absent if the total is unknown. */
  readonly share?: { readonly done: number; readonly total: number }
}

const CLEAR_LINE = '\r\u001b[K'
const BAR_WIDTH = 20

export function createOutput(json: boolean) {
  const showsProgress = !json && process.stderr.isTTY
  let hasProgress = false
  const line = (stream: NodeJS.WriteStream, text: string) => {
    if (hasProgress) process.stderr.write(CLEAR_LINE)
    hasProgress = false
    stream.write(`${text}\n`)
  }
  return {
    json,
    /** Prints the result: the value with `--json`, otherwise the text. */
    answer: (value: unknown, text: string) => line(process.stdout, json ? shownJson(value) : shown(text)),
    /** Prints one of several results immediately, each on its own line. */
    line: (value: unknown, text: string) => line(process.stdout, json ? shownJson(value) : shownInLine(text)),
    /** Prints a result that is the same in both modes. */
    text: (text: string) => line(process.stdout, text),
    /** Prints a remark next to the result, only for people. */
    note: (text: string): void => {
      if (!json) line(process.stderr, shown(text))
    },
    /** Prints a remark that programs have to see too. */
    warning: (value: unknown, text: string) => line(process.stderr, json ? shownJson(value) : shown(text)),
    /**
     * Shows the progress in a terminal's last line, until the next progress replaces it or other output clears it. Does
     * nothing without a terminal.
     */
    progress: (state: Progress): void => {
      if (!showsProgress) return
      const text = shownInLine(writeProgress(state)).slice(0, (process.stderr.columns || 80) - 1)
      process.stderr.write(`${CLEAR_LINE}${text}`)
      hasProgress = true
    },
    failure: (error: string, message: string, data: unknown = null) =>
      line(process.stderr, json ? shownJson({ error, message, data }) : `millrace: ${shown(message)}`),
  }
}

function writeProgress({ text, share }: Progress): string {
  if (share === undefined) return text
  const filled = Math.round((BAR_WIDTH * share.done) / Math.max(1, share.total))
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${share.done}/${share.total} ${text}`
}

// oxlint-disable-next-line no-control-regex -- these are what a terminal obeys
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Text may come from anyone who can reach a webhook, so characters that a terminal would obey, or show in another
 * order, are escaped. Line breaks and tabs stay.
 */
function shown(text: string): string {
  return escaped(text.replaceAll('\r\n', '\n'))
}

/** The value stays the same, because these escapes are valid in JSON, and JSON has such characters only in strings. */
const shownJson = (value: unknown) => escaped(writeJson(value as Data))

const escaped = (text: string) =>
  text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Puts text on a single line, so that no part of it looks like another line. */
export const shownInLine = (text: string) => shown(text).replaceAll('\n', String.raw`\n`)

/** Pads columns to their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [header, ...rows.map((row) => row.map(shownInLine))]
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
