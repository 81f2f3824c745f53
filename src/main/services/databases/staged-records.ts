/** Records that wait in a file next to their target until all of them are there. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { writeJson } from '../../engine/data/json.ts'
import { type Dictionary, getKey } from '../../engine/data/value.ts'
import { removeFile } from '../../store/index.ts'

export interface StagedRecords {
  readonly path: string
  readonly count: number
  /** The line of the last record with each key; empty without a key. */
  readonly lastLines: ReadonlyMap<string, number>
  write(records: readonly Dictionary[]): Promise<void>
  /** Everything is on the disk after it. */
  end(): Promise<void>
  remove(): Promise<void>
}

/** Lines of JSON. Whatever an earlier write left is overwritten. */
export async function stageRecords(path: string, key: readonly string[]): Promise<StagedRecords> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)
  const opened = await open(path, flags, 0o600).catch((error: unknown) => {
    throw fileError(path, error)
  })
  let file: FileHandle | null = opened
  let count = 0
  const lastLines = new Map<string, number>()

  async function close(): Promise<void> {
    const closing = file
    file = null
    await closing?.close()
  }

  return {
    path,
    lastLines,
    get count() {
      return count
    },
    async write(records) {
      let text = ''
      for (const record of records) {
        text += `${writeJson(record)}\n`
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
    },
  }
}

export function keyOf(record: Dictionary, key: readonly string[]): string {
  return writeJson(key.map((name) => getKey(record, name) ?? null))
}

export function fileError(path: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  const reason =
    code === 'ENOSPC'
      ? 'the disk is full'
      : code === 'EISDIR'
        ? 'it is a folder'
        : `the system refuses it (${code})`
  return new AppError('unavailable', `"${path}" cannot be written: ${reason}`, { cause: error })
}
