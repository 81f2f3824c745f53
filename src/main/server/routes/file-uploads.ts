import {
  createFileUploadRoute,
  readFileContentRoute,
  fileUploadRoutes,
} from '../../../shared/contract/file-uploads.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { mountDownload, mountUpload } from '../mount/mount-upload.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountFileUploads(app: App, { fileUploads: files }: Pick<Services, 'fileUploads'>): void {
  mountUpload(app, createFileUploadRoute, files, ({ body }, file) => files.create(file, body))
  mount(app, fileUploadRoutes, {
    listFileUploadsRoute: ({ query, request }) => replyPage(request, files.list(query)),
    readFileUploadRoute: ({ params }) => files.read(params.id),
    updateFileUploadRoute: ({ params, body }) => files.update(params.id, body),
    deleteFileUploadRoute: ({ params }) => files.remove(params.id),
  })
  mountDownload(app, readFileContentRoute, ({ params }) => files.content(params.id))
}
