/**
 * Sets aside records that a target can't take, in a file of JSON lines. They are collected in a part next to the file,
 * which is added to it once the target has changed. After a crash, the last write that the target knows tells whether
 * the part counts. The SQLite process uses the same part, so files are written synchronously.
 */
import { say, englishOf, type Said } from '../../../../shared/contract/base/message.ts'
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, dictionaryOf, writeJson } from '@millrace/jinja/data'
// Imports only these files, because the SQLite process has no use for the whole store.
import { makeFolder, syncFolder } from '../../../store/folder/folder.ts'
import { moveFileSync, removeFileSync } from '../../../store/folder/move.ts'
import { isAnotherProcess } from './is-another-process.ts'

export interface RejectedFile {
  readonly path: string
  /** The name under which the user finds it. */
  readonly name: string
}

/** The state from which the SQLite process continues. */
export interface RejectedSoFar {
  readonly file: RejectedFile
  /** The ID of the write. */
  readonly id: string
  readonly part: string
  /** Whether a record that can't be written fails the write. */
  readonly isFatal: boolean
  readonly count: number
  readonly first: Said | null
}

export class RejectedRecords {
  readonly #given: Pick<RejectedSoFar, 'file' | 'id' | 'part' | 'isFatal'>
  #count: number
  #first: Said | null
  #lines: string[] = []
  #isKept = false

  constructor({ count, first, ...given }: RejectedSoFar) {
    this.#given = given
    this.#count = count
    this.#first = first
  }

  static begin(file: RejectedFile, id: string, isFatal: boolean): RejectedRecords {
    const part = `${file.path}.${markOf(id)}.${process.pid}-${++writes}.part`
    inUse.add(part)
    return new RejectedRecords({ file, id, part, isFatal, count: 0, first: null })
  }

  get count(): number {
    return this.#count
  }

  get soFar(): RejectedSoFar {
    this.#flush()
    return { ...this.#given, count: this.#count, first: this.#first }
  }

  /** @throws AppError if the write fails because of it */
  add(record: Data, reason: Said): void {
    if (this.#given.isFatal) throw new AppError('validation', reason)
    this.#first ??= reason
    if (++this.#count > MOST_REJECTED)
      throw new AppError(
        'validation',
        say("more than {{limit}} records can't be written, so none were. The first: {{first}}", {
          limit: MOST_REJECTED,
          first: this.#first,
        }),
      )
    const [run = ''] = this.#given.id.split('/')
    const line = dictionaryOf([
      ['run', run],
      ['reason', englishOf(reason)],
      ['record', record],
    ])
    this.#lines.push(`${writeJson(line)}\n`)
    if (this.#lines.length >= LINES_A_WRITE) this.#flush()
  }

  /** Takes over the records added by the process that continued with `soFar`. */
  take({ count, first }: Pick<RejectedSoFar, 'count' | 'first'>): void {
    this.#count = count
    this.#first = first
  }

  /** The result of the step. Writes all rejected records to disk, so call it before the target changes. */
  resultOf(written: number, cursor: Data): Data {
    if (written === 0 && this.#first !== null)
      throw new AppError(
        'validation',
        this.#count === 1
          ? this.#first
          : say('none of the {{count}} records can be written. The first: {{first}}', {
              count: this.#count,
              first: this.#first,
            }),
      )
    this.#flush()
    if (this.#count > 0) {
      syncFile(this.#given.part)
      syncFolder(dirname(this.#given.part))
    }
    return dictionaryOf([
      ['records', written],
      ['rejected', this.#count],
      ...(this.#count === 0 ? [] : [['rejected_file', this.#given.file.name] as const]),
      ['cursor', cursor],
    ])
  }

  /** Warnings for the run. */
  notes(): readonly { readonly code: 'records_rejected'; readonly said: Said }[] {
    return this.#first === null
      ? []
      : [
          {
            code: 'records_rejected',
            said: rejectedSentence(this.#count, this.#given.file.name, this.#first),
          },
        ]
  }

  /**
   * Settles the parts that killed processes left; call it while nobody else can change the target. Parts of the
   * target's last write are added to the file; the others belong to writes that never happened.
   */
  settle(lastId: string | null): void {
    const { file, part, id } = this.#given
    publishLeft(file.path, lastId, part)
    for (const left of partsOf(file.path)) {
      const isOwn = left.path === part
      const isLive = inUse.has(left.path) || isAnotherProcess(left.pid)
      if (!isOwn && (!isLive || left.mark === markOf(id))) removeFileSync(left.path)
    }
  }

  /** Adds the rejected records to the file; call it once the target has changed. */
  publish(): void {
    const { file, part } = this.#given
    if (this.#count > 0) publishPart(file.path, part)
    inUse.delete(part)
  }

  /** Call it if the same write was already committed, with the same records set aside. */
  forget(): void {
    this.take({ count: 0, first: null })
    this.#lines = []
    removeFileSync(this.#given.part)
  }

  /**
   * Call it before the commit. From then on, only the target knows whether the records were written, and the next write
   * finds out.
   */
  keep(): void {
    this.#isKept = true
  }

  /** Forgets the records of a write that certainly wasn't committed. */
  drop(): void {
    inUse.delete(this.#given.part)
    if (!this.#isKept) removeFileSync(this.#given.part)
  }

  #flush(): void {
    if (this.#lines.length === 0) return
    makeFolder(dirname(this.#given.part))
    const to = openSync(this.#given.part, APPENDING, 0o600)
    try {
      writeAll(to, Buffer.from(this.#lines.join('')))
    } finally {
      closeSync(to)
    }
    this.#lines = []
  }
}

/** Adds the part that a target's last write left when its process was killed. */
export function publishLeft(file: string, lastId: string | null, own?: string): void {
  if (lastId === null) return
  for (const { path, mark, isPublishing } of partsOf(file))
    if (path !== own && (isPublishing || mark === markOf(lastId))) publishPart(file, path)
}

const rejectedSentence = (count: number, file: string, first: Said): Said =>
  say('{{count}} record(s) can\'t be written and were set aside in "{{file}}". The first: {{first}}', {
    count,
    file,
    first,
  })

/** The suffix that makes this file's name from the target's. */
export const REJECTED = '.rejected.jsonl'

/** A table's name in a form that can be part of a file name. */
export const fileNameOf = (table: string): string => encodeURIComponent(table).replaceAll('*', '%2A')

interface Part {
  readonly path: string
  readonly mark: string
  readonly pid: number
  /** Whether some of the part may already be in the file. */
  readonly isPublishing: boolean
}

export const hasParts = (file: string): boolean => partsOf(file).length > 0

function partsOf(file: string): Part[] {
  const folder = dirname(file)
  const prefix = `${basename(file)}.`
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    const found = name.startsWith(prefix) ? PART.exec(name.slice(prefix.length)) : null
    const [, mark = '', pid = '', at] = found ?? []
    return found === null
      ? []
      : [{ path: join(folder, name), mark, pid: Number(pid), isPublishing: at !== undefined }]
  })
}

/** Once the part has the length of the file in its name, adding it can be repeated. */
function publishPart(file: string, part: string): void {
  const [, , , known] = PART.exec(part.slice(file.length + 1)) ?? []
  const length = known === undefined ? lengthOf(file) : Number(known)
  const publishing = known === undefined ? part.replace(/\.part$/, `.at-${length}.part`) : part
  if (publishing !== part) moveFileSync(part, publishing)
  const to = openSync(file, constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600)
  const from = openSync(publishing, 'r')
  try {
    if (fstatSync(to).size > length) ftruncateSync(to, length)
    let at = fstatSync(to).size
    const piece = Buffer.alloc(PIECE_BYTES)
    // A file that was edited can end without a line end.
    if (at > 0 && readSync(to, piece, 0, 1, at - 1) === 1 && piece[0] !== 10) at += writeSync(to, '\n', at)
    for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) {
      writeAll(to, piece.subarray(0, read), at)
      at += read
    }
    fsyncSync(to)
  } finally {
    closeSync(to)
    closeSync(from)
  }
  syncFolder(dirname(file))
  removeFileSync(publishing)
}

function writeAll(to: number, bytes: Buffer, at: number | null = null): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(to, bytes, done, bytes.length - done, at === null ? null : at + done)
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function lengthOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const markOf = (id: string) => createHash('sha1').update(id).digest('hex').slice(0, 16)

const inUse = new Set<string>()
let writes = 0

/** The write, the process ID, and the previous length of the file. */
const PART = /^([0-9a-f]{16})\.(\d+)-\d+(?:\.at-(\d+))?\.part$/
const NO_LINK = constants.O_NOFOLLOW ?? 0
const APPENDING = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_LINK
const LINES_A_WRITE = 100
const PIECE_BYTES = 262_144
/** If more records are rejected, something else is wrong with the records or the table. */
const MOST_REJECTED = 10_000
