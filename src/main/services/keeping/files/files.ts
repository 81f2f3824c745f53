/** Stores file contents, both uploads and files sent with requests, in the data folder, readable only by this user. */
import { say } from '../../../../shared/contract/base/message.ts'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FileUpload } from '../../../../shared/contract/file-uploads.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { imageTypeOf } from '../../../engine/form/file-kinds.ts'
import type { StoredFile } from '../../../engine/flow/model/ports.ts'
import type { StoreFile } from '../../../engine/webhook/parse-input.ts'
import { moveFile, removeFile } from '../../../store/index.ts'
import type { SecureRandom } from '../../kit/ports.ts'

export type FilesService = ReturnType<typeof createFilesService>

const UNASSIGNED_MS = 60 * 60_000
/** Counted for each file on top of its content, so that many small files reach the limit too. */
const BYTES_BESIDE = 8_192

export interface PendingFile extends Pick<FileUpload, 'id' | 'size' | 'sha256'> {
  /** Moves the content to its final place. */
  keep(): Promise<void>
  /** Deletes it, unless it was kept. */
  discard(): Promise<void>
}

export interface FilesOptions {
  readonly dataDir: string
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly uploads: { get(id: string): FileUpload | null }
}

export function createFilesService({ dataDir, random, uploads }: FilesOptions) {
  const folder = join(dataDir, 'files')
  const pathOf = (fileId: string) => join(folder, fileId)
  /** Files this process is writing, which must not be swept. */
  const underWay = new Set<string>()

  /** Sizes of files from callers without credentials, oldest first; read when the first such file is stored. */
  let fromAnyone: Promise<Map<string, number>> | null = null

  const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })

  function metaOf(fileId: string): Pick<StoredFile, 'filename' | 'contentType'> | null {
    const upload = uploads.get(fileId)
    if (upload !== null) return { filename: upload.filename, contentType: upload.content_type }
    const text = readIfThere(`${pathOf(fileId)}.json`)?.toString()
    const description = text === undefined ? null : parseDescription(text)
    return description && { filename: description.filename, contentType: description.content_type }
  }

  /** Replaces the description atomically: with a half-written one, a file could be neither read nor swept. */
  async function describe(fileId: string, meta: object): Promise<void> {
    const path = `${pathOf(fileId)}.json`
    await writeFile(`${path}.part`, JSON.stringify(meta), { mode: 0o600, flush: true })
    await moveFile(`${path}.part`, path)
  }

  /**
   * True for files of a deleted run. Files without a known run must have a certain age, because their request may still
   * be in progress.
   */
  async function isAbandoned(name: string, isThere: (runId: string) => boolean): Promise<boolean> {
    const path = join(folder, name)
    const description = parseDescription(await readFile(path, 'utf8'))
    const runId = description === null ? null : description.flow_run_id
    if (runId === undefined) return false
    return runId === null ? Date.now() - (await stat(path)).mtimeMs > UNASSIGNED_MS : !isThere(runId)
  }

  async function readFromAnyone(): Promise<Map<string, number>> {
    const found: { readonly id: string; readonly size: number; readonly at: number }[] = []
    for (const name of await readdir(folder).catch(() => [] as string[])) {
      const id = name.slice(0, -'.json'.length)
      if (name !== `${id}.json`) continue
      const description = parseDescription((readIfThere(join(folder, name)) ?? '').toString())
      if (description?.from_anyone !== true) continue
      const { size, mtimeMs } = await stat(pathOf(id)).catch(() => ({ size: 0, mtimeMs: 0 }))
      found.push({ id, size, at: mtimeMs })
    }
    return new Map(found.toSorted((a, b) => a.at - b.at).map(({ id, size }) => [id, size]))
  }

  /** Deletes the oldest files of callers without credentials until there is room for this one. */
  async function makeRoom(fileId: string, size: number): Promise<void> {
    fromAnyone ??= readFromAnyone()
    const files = await fromAnyone
    files.set(fileId, size)
    let total = 0
    for (const bytes of files.values()) total += bytes + BYTES_BESIDE
    for (const [id, bytes] of files) {
      if (total <= LIMITS.filesFromAnyoneBytes) return
      total -= bytes + BYTES_BESIDE
      await removeStored(id)
    }
  }

  async function removeStored(fileId: string): Promise<void> {
    await removeFile(`${pathOf(fileId)}.json`)
    await removeFile(pathOf(fileId))
    ;(await fromAnyone)?.delete(fileId)
  }

  const storeWith =
    (isFromAnyone: boolean): StoreFile =>
    async (content, meta) => {
      const fileId = random.uuid()
      const bytes = await buffer(content)
      underWay.add(fileId)
      try {
        await makeFolder()
        if (isFromAnyone) await makeRoom(fileId, bytes.length)
        // The description is written last, because a file doesn't exist without one.
        await writeFile(pathOf(fileId), bytes, { mode: 0o600, flush: true })
        const from = isFromAnyone ? { from_anyone: true } : {}
        await describe(fileId, { ...meta, ...from, flow_run_id: null })
      } catch (error) {
        await removeStored(fileId)
        await removeFile(`${pathOf(fileId)}.json.part`)
        throw notStored(error)
      } finally {
        underWay.delete(fileId)
      }
      return { file_id: fileId, size: bytes.length }
    }

  return {
    /** Keeps a file that was sent with a request. */
    store: storeWith(false),
    /**
     * The same for a request without credentials, within a budget for all files of such requests; the oldest are
     * deleted to make room for new ones.
     */
    storeFromAnyone: storeWith(true),
    /** Null if the file doesn't exist. */
    read(fileId: string): StoredFile | null {
      if (!UUID.test(fileId)) return null
      const meta = metaOf(fileId)
      const content = meta && readIfThere(pathOf(fileId))
      return meta && content ? { ...meta, content } : null
    },
    /** An uploaded logo, as base64; null if it no longer exists, is too large, or isn't an image. */
    readLogo(fileId: string): { readonly contentType: string; readonly base64: string } | null {
      const upload = UUID.test(fileId) ? uploads.get(fileId) : null
      if (upload === null || upload.size > LIMITS.logoBytes) return null
      const content = readIfThere(pathOf(fileId))
      const contentType = content && imageTypeOf(content)
      return content && contentType ? { contentType, base64: content.toString('base64') } : null
    },
    /**
     * Streams content to the disk; nobody sees it until it is kept.
     *
     * @throws AppError `too_large`, `unavailable` (the disk is full); errors of the stream. In each case nothing is left
     *   behind.
     */
    async receive(
      content: AsyncIterable<Uint8Array>,
      { maxBytes }: { readonly maxBytes: number },
    ): Promise<PendingFile> {
      const id = random.uuid()
      const part = `${pathOf(id)}.part`
      underWay.add(id)
      const discard = async () => {
        await removeFile(part)
        underWay.delete(id)
      }
      try {
        await makeFolder().catch(refuse)
        const written = await writeHashed(part, content, maxBytes)
        return { id, ...written, keep: () => moveFile(part, pathOf(id)), discard }
      } catch (error) {
        await discard()
        throw error
      }
    },
    /** Streams the content of an upload; null if it doesn't exist. */
    async stream(fileId: string): Promise<Readable | null> {
      try {
        return (await open(pathOf(fileId))).createReadStream()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    /** Path of an upload's content. */
    pathOf,
    /** Deletes files of a request that is rejected after all. */
    async discard(fileIds: readonly string[]): Promise<void> {
      for (const id of fileIds) await removeStored(id)
    },
    remove: (fileId: string) => removeFile(pathOf(fileId)),
    /** Assigns files to a run; they are deleted with it. */
    async assign(fileIds: readonly string[], runId: string): Promise<void> {
      for (const id of fileIds) {
        underWay.add(id)
        try {
          const meta = parseDescription(await readFile(`${pathOf(id)}.json`, 'utf8'))
          await describe(id, { ...meta, flow_run_id: runId })
        } catch (error) {
          throw notStored(error)
        } finally {
          underWay.delete(id)
        }
      }
    },
    /**
     * Deletes unfinished files, such as those of a previous process, and files of requests whose run has been deleted or
     * that never started one.
     */
    async sweep(isThere: (runId: string) => boolean): Promise<void> {
      const names = await readdir(folder).catch(() => [] as string[])
      const described = new Set(names.filter((name) => name.endsWith('.json')))
      for (const name of names) {
        const [id = ''] = name.split('.')
        const isWhole =
          !name.endsWith('.part') &&
          (described.has(`${id}.json`) || (name === id && uploads.get(id) !== null))
        if (!UUID.test(id) || underWay.has(id)) continue
        if (!isWhole || (name === `${id}.json` && (await isAbandoned(name, isThere)))) {
          await removeFile(join(folder, name))
          if (isWhole) await removeStored(id)
        }
      }
    },
  }
}

async function writeHashed(
  path: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600).catch(refuse)
  try {
    for await (const chunk of content) {
      size += chunk.length
      if (size > maxBytes) {
        throw new AppError(
          'too_large',
          say('The file is larger than the limit of {{max}} bytes', { max: maxBytes }),
        )
      }
      hash.update(chunk)
      await file.writeFile(chunk).catch(refuse)
    }
    await file.sync().catch(refuse)
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest('hex') }
}

function refuse(error: unknown): never {
  throw notStored(error)
}

function notStored(cause: unknown): AppError {
  return new AppError('unavailable', say("A file of the request couldn't be stored; is the disk full?"), {
    headers: { 'Retry-After': '5' },
    cause,
  })
}

/** Stored next to the content of a file that was sent with a request. */
interface Description {
  readonly filename: string
  readonly content_type: string
  readonly flow_run_id?: string | null
  readonly from_anyone?: true
}

/** Null if it is damaged. */
function parseDescription(text: string): Description | null {
  try {
    return JSON.parse(text) as Description
  } catch {
    return null
  }
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
