/** Uploaded files: metadata in the database, contents in the data folder. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Readable } from 'node:stream'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FileUpload, FileUploadPatch } from '../../../../shared/contract/file-uploads.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { FilesService, PendingFile } from './files.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import { sentKeys } from '../../kit/patch.ts'

export type FileUploadsService = ReturnType<typeof createFileUploadsService>

export interface FileUploadsOptions {
  readonly store: Pick<Store, 'fileUploads' | 'write'>
  readonly files: FilesService
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
}

export function createFileUploadsService({ store, files, clock, events }: FileUploadsOptions) {
  /** @throws AppError `not_found` */
  function read(id: string): FileUpload {
    const file = store.fileUploads.get(id)
    if (file === null)
      throw new AppError('not_found', say('There is no file "{{id}}"', { id: id.slice(0, 60) }))
    return file
  }

  return {
    receive: (...sent: Parameters<FilesService['receive']>) => files.receive(...sent),
    list(query: ListQuery): RecordPage<FileUpload> {
      const request = parseListQuery(query)
      return toPage(store.fileUploads.list(request), request)
    },
    read,
    /** Turns received content into a file that flows can use. */
    async create(
      pending: PendingFile,
      { filename, content_type }: Pick<FileUpload, 'filename' | 'content_type'>,
    ): Promise<FileUpload> {
      const { id, size, sha256 } = pending
      const created_at = new Date(clock.now()).toISOString()
      const file: FileUpload = { id, filename, content_type, size, sha256, created_at }
      // The content is complete and in place before anybody can find out about it.
      await pending.keep()
      await store.write(() => store.fileUploads.insert(file))
      events.emit({ type: 'created', noun: 'file_upload', id })
      return file
    },
    /** Absent keys stay unchanged. */
    async update(id: string, patch: FileUploadPatch): Promise<FileUpload> {
      const file = await store.write(() => {
        const after: FileUpload = { ...read(id), ...sentKeys(patch) }
        store.fileUploads.update(after)
        return after
      })
      events.emit({ type: 'updated', noun: 'file_upload', id })
      return file
    },
    async remove(id: string): Promise<void> {
      await store.write(() => {
        read(id)
        store.fileUploads.delete(id)
      })
      await files.remove(id)
      events.emit({ type: 'deleted', noun: 'file_upload', id })
    },
    /** @throws AppError `not_found`, also if the content is missing, as after restoring a backup of only the database */
    async content(id: string): Promise<{ readonly file: FileUpload; readonly bytes: Readable }> {
      const file = read(id)
      const bytes = await files.stream(id)
      if (bytes !== null) return { file, bytes }
      throw new AppError(
        'not_found',
        say(
          'The content of the file "{{name}}" is no longer in the data folder; delete it and upload it again',
          { name: file.filename },
        ),
      )
    },
  }
}
