/** Collects records in a file next to their target until all of them have arrived. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { isUtf8 } from 'node:buffer'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Dictionary, getKey, keysOf, sameness, writeJson } from '@millrace/jinja/data'
import type { SinkNote } from '../../../engine/flow/model/ports.ts'
import { type Column, ColumnSet, type ColumnTypes } from '../../../engine/sql/columns.ts'
import { removeFile } from '../../../store/index.ts'
import { isAnotherProcess } from './is-another-process.ts'
import type { RejectedRecords } from './rejected-records.ts'
import { createStorable } from './storable.ts'

export interface StagedRecords {
  readonly path: string
  readonly count: number
  /** The line of the last record with each key; empty without a key. */
  readonly lastLines: ReadonlyMap<string, number>
  write(records: readonly Dictionary[]): Promise<void>
  readonly columns: readonly Column[]
  /** Warnings for the run, besides those about changed columns. */
  notes(columns: readonly Said[]): readonly SinkNote[]
  /** Everything is on disk when it resolves. */
  end(): Promise<void>
  remove(): Promise<void>
}

/**
 * Stages records as JSON lines in a separate file, so that several writes to one target, or to tables in one file,
 * share none.
 */
export async function stageRecords(
  target: string,
  { key, types }: { readonly key: readonly string[]; readonly types: ColumnTypes },
  rejected: RejectedRecords,
  mostColumns = Infinity,
): Promise<StagedRecords> {
  await clearLeftovers(target)
  const path = `${target}.${process.pid}-${++writes}.part`
  inUse.add(path)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const opened = await open(path, flags, 0o600).catch((error: unknown) => {
    inUse.delete(path)
    throw fileError(path, error)
  })
  let file: FileHandle | null = opened
  let count = 0
  const lastLines = new Map<string, number>()
  const columns = new ColumnSet(types)
  const storable = createStorable()

  async function close(): Promise<void> {
    const closing = file
    file = null
    await closing?.close()
  }

  return {
    path,
    lastLines,
    notes: (changes) => storable.notes(changes),
    get columns() {
      return columns.list
    },
    get count() {
      return count
    },
    async write(records) {
      let text = ''
      for (const given of records) {
        const { record, json } = storable.of(given)
        if (!columns.add(record, mostColumns)) {
          rejected.add(given, tooManyColumns(record, mostColumns))
          continue
        }
        text += `${json}\n`
        if (key.length > 0) lastLines.set(keyOf(record, key), count)
        count++
      }
      await file?.appendFile(text).catch((error: unknown) => {
        throw fileError(path, error)
      })
    },
    async end() {
      await file?.sync()
      await close()
    },
    async remove() {
      await close()
      await removeFile(path)
      inUse.delete(path)
    },
  }
}

export const tooManyColumns = (record: Dictionary, most: number): Said =>
  say('the record has {{count}} fields, which would give the table more than {{most}} columns', {
    count: keysOf(record).length,
    most,
  })

const inUse = new Set<string>()
let writes = 0

/** Deletes the files that killed processes left next to this target. */
async function clearLeftovers(target: string): Promise<void> {
  const folder = dirname(target)
  const prefix = `${basename(target)}.`
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    const [, pid] = /^(\d+)-\d+\.part$/.exec(name.slice(prefix.length)) ?? []
    const path = join(folder, name)
    if (pid !== undefined && !inUse.has(path) && !isAnotherProcess(Number(pid))) await removeFile(path)
  }
}

/** The lines of a file, without their ends. Only line feeds end one: text in JSON can contain U+2028 and U+2029. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const piece of createReadStream(path, { highWaterMark: 262_144 })) {
    const bytes = piece as Buffer
    let from = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      rest.push(bytes.subarray(from, end))
      yield textOf(rest, path)
      rest = []
      from = end + 1
    }
    if (from < bytes.length) rest.push(bytes.subarray(from))
  }
  if (rest.length > 0) yield textOf(rest, path)
}

/** Text in another encoding would be garbled when it is written again. */
export const notUtf8 = (name: string, cause?: unknown) =>
  new AppError(
    'validation',
    say(
      '"{{path}}" isn\'t in UTF-8, so records can\'t be added; save it as UTF-8, or write to another file',
      { path: name },
    ),
    { cause },
  )

function textOf(pieces: readonly Buffer[], path: string): string {
  const [only] = pieces
  const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
  if (!isUtf8(bytes)) throw notUtf8(path)
  return bytes.toString('utf8')
}

export function keyOf(record: Dictionary, key: readonly string[]): string {
  return writeJson(key.map((name) => sameness(getKey(record, name) ?? null)))
}

export function fileError(path: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  const reason =
    code === 'ENOSPC'
      ? say('the disk is full')
      : code === 'EISDIR'
        ? say('it is a folder')
        : say('the system refuses it ({{code}})', { code })
  return new AppError('unavailable', say('"{{path}}" cannot be written: {{reason}}', { path, reason }), {
    cause: error,
  })
}
