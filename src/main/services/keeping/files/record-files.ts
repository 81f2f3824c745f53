/**
 * Stores long lists of runs outside the database, in one folder per run and one file per step. A file is a sequence of
 * frames, each compressed and sealed separately, and is only ever appended to. A run refers to the beginning of a file,
 * up to a mark that is stored after the frames are on the disk, so nothing ever refers to a half-written frame.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  type Data,
  OWN_JSON_LIMITS,
  parseJson,
  storedList,
  type StoredMark,
  writeJson,
} from '@millrace/jinja/data'
import type { RecordFiles, RecordWriter } from '../../../engine/flow/model/ports.ts'
import { removeFolder, type SecretOwner, type Store, syncFolder } from '../../../store/index.ts'

export interface RecordFilesService extends RecordFiles {
  /** The step's records that are on the disk so far; null if it has no file. */
  page(
    runId: string,
    key: string,
    range: { readonly from: number; readonly count: number },
  ): { readonly records: readonly Data[]; readonly total: number } | null
  /** Deletes the lists of a run. */
  remove(runId: string): Promise<void>
  /** Deletes the lists of all deleted runs. */
  sweep(isThere: (runId: string) => boolean): Promise<void>
}

export function createRecordFiles({
  dataDir,
  secretBox,
}: Pick<Store, 'dataDir' | 'secretBox'>): RecordFilesService {
  const folder = join(dataDir, 'records')
  const folderOf = (runId: string) => join(folder, runId)
  const pathOf = (runId: string, key: string) => join(folderOf(runId), `${key.replaceAll('#', '_')}.records`)

  function openFrame(runId: string, key: string, frame: Frame, sealed: Buffer): Data[] {
    const bytes = secretBox.openBytes(ownerOf(runId, key, frame.at), sealed)
    const text = zstdDecompressSync(bytes, { maxOutputLength: MOST_FRAME_BYTES }).toString('utf8')
    return text.split('\n').map((line) => parseJson(line, OWN_JSON_LIMITS))
  }

  function readFrame(runId: string, key: string, frame: Frame): Data[] {
    const file = openRecords(pathOf(runId, key))
    try {
      return openFrame(runId, key, frame, readAt(file, frame.at + HEADER_BYTES, frame.length))
    } finally {
      closeSync(file)
    }
  }

  /** Complete frames up to that byte; a truncated last one is ignored. */
  function framesOf(runId: string, key: string, upTo = Infinity): Frame[] {
    const file = openRecords(pathOf(runId, key))
    try {
      return scan(file, upTo)
    } finally {
      closeSync(file)
    }
  }

  function readList(runId: string, mark: StoredMark): readonly Data[] {
    let frames: readonly Frame[] | null = null
    let held: { readonly frame: Frame; readonly records: readonly Data[] } | null = null
    return storedList(mark, (index) => {
      if (held === null || index < held.frame.first || index >= held.frame.first + held.frame.count) {
        frames ??= framesOf(runId, mark.key, mark.bytes).filter(({ kind }) => kind === RECORDS)
        const frame = frameWith(frames, index)
        if (frame === null) throw gone(runId, mark.key)
        held = { frame, records: readFrame(runId, mark.key, frame) }
      }
      return held.records[index - held.frame.first] ?? null
    })
  }

  async function begin(runId: string, key: string): Promise<FileHandle> {
    await mkdir(folderOf(runId), { recursive: true, mode: 0o700 })
    const handle = await open(pathOf(runId, key), 'w', 0o600)
    await handle.write(MAGIC, 0, MAGIC.length, 0)
    syncFolder(folderOf(runId))
    return handle
  }

  async function goOn(runId: string, mark: StoredMark): Promise<FileHandle> {
    const handle = await open(pathOf(runId, mark.key), 'r+').catch((cause: unknown) => {
      throw gone(runId, mark.key, cause)
    })
    await handle.truncate(mark.bytes)
    return handle
  }

  return {
    get isOpen() {
      return !secretBox.locked
    },
    async write(runId, key, after = null) {
      const handle = after === null ? await begin(runId, key) : await goOn(runId, after)
      let mark = after ?? { key, count: 0, bytes: MAGIC.length }

      async function put(kind: number, lines: readonly string[]): Promise<number> {
        const at = mark.bytes
        const sealed = secretBox.sealBytes(ownerOf(runId, key, at), await compress(lines.join('\n')))
        const header = Buffer.alloc(HEADER_BYTES)
        header.writeUInt8(kind, 0)
        header.writeUInt32LE(lines.length, 1)
        header.writeUInt32LE(sealed.length, 5)
        const frame = Buffer.concat([header, sealed])
        await handle.write(frame, 0, frame.length, at)
        const count = kind === RECORDS ? mark.count + lines.length : mark.count
        mark = { key, count, bytes: at + frame.length }
        return at
      }

      const writer: RecordWriter = {
        get mark() {
          return mark
        },
        append: (records) =>
          explained(async () => {
            for (const lines of portionsOf(records)) await put(RECORDS, lines)
            await handle.datasync()
          }),
        appendAside: (value) =>
          explained(async () => {
            const at = await put(ASIDE, [writeJson(value)])
            await handle.datasync()
            return at
          }),
        close: () => handle.close(),
      }
      return writer
    },
    read: readList,
    readAside(runId, { key, bytes }, at) {
      const frame = framesOf(runId, key, bytes).find((each) => each.kind === ASIDE && each.at === at)
      if (frame === undefined) throw gone(runId, key)
      return readFrame(runId, key, frame)[0] ?? null
    },
    page(runId, key, { from, count }) {
      let frames
      try {
        frames = framesOf(runId, key).filter(({ kind }) => kind === RECORDS)
      } catch (error) {
        if (error instanceof AppError) return null
        throw error
      }
      const wanted = frames.filter((frame) => frame.first < from + count && frame.first + frame.count > from)
      const first = wanted[0]?.first ?? 0
      const records = wanted.flatMap((frame) => readFrame(runId, key, frame))
      const total = frames.reduce((sum, frame) => sum + frame.count, 0)
      return { records: records.slice(from - first, from - first + count), total }
    },
    remove: (runId) => removeFolder(folderOf(runId)),
    async sweep(isThere) {
      const ids = await readdir(folder).catch(() => [])
      for (const id of ids) {
        if (!isThere(id)) await removeFolder(folderOf(id))
      }
    },
  }
}

interface Frame {
  readonly kind: number
  /** Offset of its header. */
  readonly at: number
  readonly length: number
  /** Index of its first record in the list. */
  readonly first: number
  readonly count: number
}

const MAGIC = Buffer.from('MRR1')
const HEADER_BYTES = 9
const RECORDS = 1
const ASIDE = 2
/** Characters per frame, unless a single record is longer. */
const PORTION_CHARS = 262_144
const MOST_FRAME_BYTES = 256 * 1024 * 1024

const zstd = promisify(zstdCompress)

/**
 * The window is as long as a portion, because the default needs eight times the memory, both for writing and for
 * reading.
 */
const compress = (text: string) => zstd(text, { params: { [constants.ZSTD_c_windowLog]: 18 } })

/** A frame is bound to its position; it can't be opened anywhere else. */
const ownerOf = (runId: string, key: string, at: number): SecretOwner => `records:${runId}/${key}/${at}`

/** Yields one line per record, in portions small enough to be read quickly. */
function* portionsOf(records: readonly Data[]): Generator<string[]> {
  let lines: string[] = []
  let chars = 0
  for (const record of records) {
    const line = writeJson(record)
    if (lines.length > 0 && chars + line.length > PORTION_CHARS) {
      yield lines
      lines = []
      chars = 0
    }
    lines.push(line)
    chars += line.length
  }
  if (lines.length > 0) yield lines
}

function scan(file: number, upTo: number): Frame[] {
  const frames: Frame[] = []
  if (!readAt(file, 0, MAGIC.length).equals(MAGIC)) return frames
  for (let at = MAGIC.length, first = 0; at + HEADER_BYTES <= upTo;) {
    const header = readAt(file, at, HEADER_BYTES)
    if (header.length < HEADER_BYTES) break
    const frame = {
      kind: header.readUInt8(0),
      at,
      first,
      count: header.readUInt32LE(1),
      length: header.readUInt32LE(5),
    }
    const end = at + HEADER_BYTES + frame.length
    // The last byte is missing if the frame was never completely written.
    if (end > upTo || readAt(file, end - 1, 1).length === 0) break
    frames.push(frame)
    if (frame.kind === RECORDS) first += frame.count
    at = end
  }
  return frames
}

function readAt(file: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, at))
}

function frameWith(frames: readonly Frame[], index: number): Frame | null {
  let low = 0
  let high = frames.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const frame = frames[middle]
    if (frame === undefined) return null
    if (index < frame.first) high = middle - 1
    else if (index >= frame.first + frame.count) low = middle + 1
    else return frame
  }
  return null
}

function openRecords(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new AppError(
      'not_found',
      say('The records of this step are no longer in the data folder; run it again'),
      {
        cause,
      },
    )
  }
}

function gone(runId: string, key: string, cause?: unknown): AppError {
  return new AppError(
    'not_found',
    say('The records of step {{step}} of run {{id}} are no longer in the data folder; run it again', {
      step: key,
      id: runId,
    }),
    { cause },
  )
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(
      'unavailable',
      say("Records couldn't be written to the data folder; is the disk full?"),
      {
        cause,
      },
    )
  }
}
