import { createStore } from 'zustand/vanilla'
import { createFileUploadRoute, listFileUploadsRoute } from '../../../shared/contract/file-uploads.ts'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { cached, resource } from '../../api/resource.ts'

export const FILE_UPLOADS = resource(listFileUploadsRoute, { nouns: ['file_upload'], all: true })

interface UploadsState {
  /** Names of the files being uploaded. */
  readonly sending: readonly string[]
  /** Uploads one file; throws if it is rejected. */
  readonly upload: (file: File) => Promise<FileUpload>
}

function createUploadsStore(api: Pick<Api, 'call' | 'list' | 'live' | 'upload'>) {
  return createStore<UploadsState>()((set) => ({
    sending: [],
    async upload(file) {
      set(({ sending }) => ({ sending: [...sending, file.name] }))
      try {
        const upload = api.upload(createFileUploadRoute, { query: { filename: file.name }, file })
        return await cached(api, FILE_UPLOADS).getState().after(upload)
      } finally {
        set(({ sending }) => ({ sending: sending.toSpliced(sending.indexOf(file.name), 1) }))
      }
    },
  }))
}

export const useUploads = createStoreHook(createUploadsStore)
