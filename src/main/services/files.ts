/** Files that came with requests: kept beside the database, readable by this user alone. */
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../shared/contract/errors.ts'
import type { StoredFile } from '../engine/flow/flow-ports.ts'
import type { StoreFile } from '../engine/webhook/parse-input.ts'
import type { SecureRandom } from './ports.ts'

export interface FilesService {
  readonly store: StoreFile
  /** Null where there is no such file. */
  read(fileId: string): StoredFile | null
}

export interface FilesOptions {
  readonly dataDir: string
  readonly random: Pick<SecureRandom, 'uuid'>
}

export function createFilesService({ dataDir, random }: FilesOptions): FilesService {
  const folder = join(dataDir, 'files')
  const pathOf = (fileId: string) => join(folder, fileId)

  return {
    async store(content, meta) {
      const fileId = random.uuid()
      const bytes = await buffer(content)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        // The description last: a file without one is none.
        await writeFile(pathOf(fileId), bytes, { mode: 0o600, flush: true })
        await writeFile(`${pathOf(fileId)}.json`, JSON.stringify(meta), { mode: 0o600, flush: true })
      } catch (error) {
        await rm(pathOf(fileId), { force: true })
        throw new AppError('unavailable', 'A file of the request could not be stored; is the disk full?', {
          headers: { 'Retry-After': '5' },
          cause: error,
        })
      }
      return { file_id: fileId, size: bytes.length }
    },
    read(fileId) {
      if (!UUID.test(fileId)) return null
      try {
        const meta = JSON.parse(readFileSync(`${pathOf(fileId)}.json`, 'utf8')) as {
          filename: string
          content_type: string
        }
        return {
          filename: meta.filename,
          contentType: meta.content_type,
          content: readFileSync(pathOf(fileId)),
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
