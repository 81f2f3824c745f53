/** Writes log lines to stderr, even if it is a file on a full disk, an unread pipe or a closed one. */
import { fstatSync, writeSync } from 'node:fs'

export type LogWriter = ReturnType<typeof createLogWriter>

/** The part of a stream that a log needs. */
export interface LogOutput {
  readonly writableLength: number
  write(text: string, done: (error?: Error | null) => void): unknown
}

/**
 * Buffers what a slow reader hasn't read. Lines are dropped above the limit and if writing fails. Once writing works
 * again, their number is written first.
 *
 * @param now Unix time in milliseconds
 */
export function createLogWriter(output: LogOutput, now: () => number) {
  let dropped = 0
  let hasFailed = false

  function send(text: string, lines: number): void {
    output.write(text, (error) => {
      if (error) {
        dropped += lines
        hasFailed = true
      } else if (dropped > 0 && hasRoom()) tellDropped()
    })
  }

  function tellDropped(): void {
    const count = dropped
    dropped = 0
    const time = new Date(now()).toISOString()
    const msg = `${count} ${count === 1 ? 'line' : 'lines'} dropped: the log could not be written`
    // The failed write may have left a partial line.
    const start = hasFailed ? '\n' : ''
    hasFailed = false
    send(`${start}${JSON.stringify({ level: WARN, time, dropped: count, msg })}\n`, count)
  }

  const hasRoom = () => output.writableLength < MOST_BUFFERED

  return {
    /** Returns immediately, and never throws. */
    write(line: string): void {
      if (hasRoom() && dropped > 0) tellDropped()
      if (hasRoom()) send(line, 1)
      else dropped++
    },
  }
}

/** pino's number for the level `warn`. */
const WARN = 40
const MOST_BUFFERED = 1_000_000

/** The process's stderr without blocking writes. */
export function stderrOutput(): LogOutput {
  const { stderr } = process
  // Without a listener, a log that can't be written would end the program.
  stderr.on('error', () => {})
  if (isFile(stderr.fd)) return fileOutput(stderr.fd)
  // By default, writing to a terminal blocks, so Ctrl+S would stop the whole program.
  const { _handle: handle } = stderr as { _handle?: { setBlocking?: (isBlocking: boolean) => unknown } }
  if (stderr.isTTY) handle?.setBlocking?.(false)
  return stderr
}

/** False if there is no stderr, as in a window on Windows. */
function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** Node's own file stream reports success even if the disk only took part of the data. */
function fileOutput(fd: number): LogOutput {
  return {
    writableLength: 0,
    write(text, done) {
      const bytes = Buffer.from(text)
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
  }
}
