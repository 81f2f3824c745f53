import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  createFileUploadRoute,
  deleteFileUploadRoute,
  listFileUploadsRoute,
  readFileContentRoute,
  updateFileUploadRoute,
} from '../../../shared/contract/file-uploads.ts'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import { readSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface FileUploadsState {
  readonly files: readonly FileUpload[] | null
  /** The maximum file size in bytes; null until it is loaded. */
  readonly limit: number | null
  readonly failure: AppError | null
  /** Names of the files being uploaded. */
  readonly sending: readonly string[]
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** Uploads one file; throws if it is rejected. */
  readonly upload: (file: File) => Promise<FileUpload>
  readonly download: (file: FileUpload) => Promise<Blob>
  readonly update: (id: string, body: { filename: string; content_type: string }) => Promise<void>
  readonly remove: (id: string) => Promise<void>
}

export function createFileUploadsStore(api: Pick<Api, 'call' | 'list' | 'live' | 'upload' | 'download'>) {
  return createStore<FileUploadsState>()((set) => {
    const load = async () => {
      try {
        const [files, settings] = await Promise.all([
          listAll(api, listFileUploadsRoute),
          api.call(readSettingsRoute),
        ])
        set({ files, limit: settings.file_limit_bytes, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      files: null,
      limit: null,
      failure: null,
      sending: [],
      opened: followNouns(api, ['file_upload', 'settings'], load),
      reload: load,
      async upload(file) {
        set(({ sending }) => ({ sending: [...sending, file.name] }))
        try {
          const made = await api.upload(createFileUploadRoute, { query: { filename: file.name }, file })
          await load()
          return made
        } finally {
          set(({ sending }) => ({ sending: sending.toSpliced(sending.indexOf(file.name), 1) }))
        }
      },
      download: ({ id }) => api.download(readFileContentRoute, { params: { id } }),
      async update(id, body) {
        await api.call(updateFileUploadRoute, { params: { id }, body })
        await load()
      },
      async remove(id) {
        await api.call(deleteFileUploadRoute, { params: { id } })
        await load()
      },
    }
  })
}

export const useFileUploads = createStoreHook(createFileUploadsStore)
