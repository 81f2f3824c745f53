import {
  createFileUploadRoute,
  deleteFileUploadRoute,
  listFileUploadsRoute,
  readFileContentRoute,
  readFileUploadRoute,
  updateFileUploadRoute,
} from '../../../shared/contract/file-uploads.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { mountDownload, mountUpload } from '../mount/mount-upload.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountFileUploads(app: App, { fileUploads: files }: Pick<Services, 'fileUploads'>): void {
  mountUpload(app, createFileUploadRoute, files, ({ body }, file) => files.create(file, body))
  mountRoute(app, listFileUploadsRoute, ({ query, request }) => replyPage(request, files.list(query)))
  mountRoute(app, readFileUploadRoute, ({ params }) => files.read(params.id))
  mountDownload(app, readFileContentRoute, ({ params }) => files.content(params.id))
  mountRoute(app, updateFileUploadRoute, ({ params, body }) => files.update(params.id, body))
  mountRoute(app, deleteFileUploadRoute, ({ params }) => files.remove(params.id))
}
