/**
 * Appends to numbered files in one folder. A full file is followed by one with the next number, and the oldest are
 * deleted.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { removeFileSync } from '../../../store/index.ts'

export interface RotatingFileOptions {
  readonly folder: string
  /** The prefix of the file names: `millrace` or `calls`. */
  readonly name: LogName
  /** When a file would grow beyond this, the next one is begun. */
  readonly maxBytes?: number
  readonly maxFiles?: number
}

/** Files are never renamed, so a kill at any moment leaves each of them complete under its name. */
export function createRotatingFile({
  folder,
  name,
  maxBytes = MAX_BYTES,
  maxFiles = MAX_FILES,
}: RotatingFileOptions) {
  let current: { readonly fd: number; readonly number: number; size: number } | null = null

  function openNumber(number: number): NonNullable<typeof current> {
    const fd = openSync(join(folder, fileName(name, number)), 'a+', 0o600)
    const { size } = fstatSync(fd)
    return { fd, number, size: size + endLine(fd, size) }
  }

  function openNext(): NonNullable<typeof current> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const [newest = 0] = fileNumbers(folder, name)
    const opened = openNumber(current === null ? Math.max(1, newest) : Math.max(newest, current.number) + 1)
    for (const old of fileNumbers(folder, name).slice(maxFiles))
      removeFileSync(join(folder, fileName(name, old)))
    return opened
  }

  function append(bytes: Buffer): void {
    current ??= openNext()
    if (current.size > 0 && current.size + bytes.length > maxBytes) {
      const next = openNext()
      closeSync(current.fd)
      current = next
    }
    for (let at = 0; at < bytes.length;) {
      const written = writeSync(current.fd, bytes, at)
      at += written
      current.size += written
    }
  }

  return {
    /** Nothing is buffered, so everything written before a kill is in the file. */
    writableLength: 0,
    /** Never throws; the error is passed on. */
    write(text: string, done: (error?: Error | null) => void): void {
      try {
        append(Buffer.from(text))
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
    close(): void {
      if (current !== null) closeSync(current.fd)
      current = null
    },
  }
}

/** Numbers of the files in the folder, newest first; none if there is no folder. */
export function fileNumbers(folder: string, name: LogName): readonly number[] {
  // linear: a name of its own and at most 12 digits
  const pattern = new RegExp(`^${name}\\.(\\d{1,12})\\.log$`)
  try {
    return readdirSync(folder)
      .flatMap((file) => {
        const number = pattern.exec(file)?.[1]
        return number === undefined ? [] : [Number(number)]
      })
      .toSorted((a, b) => b - a)
  } catch {
    return []
  }
}

export const fileName = (name: LogName, number: number) => `${name}.${String(number).padStart(6, '0')}.log`

export type LogName = 'millrace' | 'calls'

/** A kill or a full disk can leave half a line. Returns the number of bytes written. */
function endLine(fd: number, size: number): number {
  if (size === 0) return 0
  const last = Buffer.alloc(1)
  readSync(fd, last, 0, 1, size - 1)
  return last[0] === LINE_FEED ? 0 : writeSync(fd, '\n')
}

const LINE_FEED = 10
const MAX_BYTES = 5_000_000
const MAX_FILES = 5
