import { withValue } from './base/message.ts'
import { z } from 'zod'
import { idParams, listQuery, nonEmptyText, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

const filename = nonEmptyText(255).refine(
  // oxlint-disable-next-line no-control-regex -- a name with line breaks could pass for a header or a log line
  (name) => !/[\u0000-\u001f\u007f]/.test(name),
  'contains a control character',
)

/** A file that flows send and read by its id. */
export const fileUpload = z.object({
  id: z.string().describe('ID of the file, which steps and templates name as `file_id`.'),
  filename: filename.describe('File name used when the file is sent or downloaded.'),
  content_type: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, withValue('must be a content type, such as text/csv'))
    .describe('MIME type used when the file is sent or downloaded.'),
  size: z.int().describe('Size of the file in bytes.'),
  sha256: z.string().describe('SHA-256 of the content in hexadecimal digits.'),
  created_at: timestamp.describe('When the file was uploaded, in UTC.'),
})
export type FileUpload = z.output<typeof fileUpload>

const fileUploadPatch = z.strictObject(
  fileUpload.pick({ filename: true, content_type: true }).partial().shape,
)
export type FileUploadPatch = z.output<typeof fileUploadPatch>

export const createFileUploadRoute = defineRoute({
  method: 'POST',
  path: '/v1/file-uploads',
  summary: 'Upload a file, as the only file of a multipart form or as the request body',
  access: can('file_uploads', 'create'),
  status: 201,
  upload: true,
  /** Used for a file that is the body itself; a form contains the filename. */
  query: z.strictObject({
    filename: filename
      .optional()
      .describe('File name, if the request body is the file itself. A multipart form names its own file.'),
  }),
  result: fileUpload,
})

export const listFileUploadsRoute = defineRoute({
  method: 'GET',
  path: '/v1/file-uploads',
  summary: 'List uploaded files, newest first',
  access: can('file_uploads', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(fileUpload),
})

export const readFileUploadRoute = defineRoute({
  method: 'GET',
  path: '/v1/file-uploads/:id',
  summary: 'Read the details of an uploaded file',
  access: can('file_uploads', 'read'),
  status: 200,
  params: idParams,
  result: fileUpload,
})

export const readFileContentRoute = defineRoute({
  method: 'GET',
  path: '/v1/file-uploads/:id/content',
  summary: 'Download an uploaded file',
  access: can('file_uploads', 'read'),
  status: 200,
  params: idParams,
  download: true,
})

export const updateFileUploadRoute = defineRoute({
  method: 'PUT',
  path: '/v1/file-uploads/:id',
  summary: 'Change the name or content type of an uploaded file, but not its content',
  access: can('file_uploads', 'update'),
  status: 200,
  params: idParams,
  body: fileUploadPatch,
  readOnly: ['id', 'size', 'sha256', 'created_at'],
  result: fileUpload,
})

export const deleteFileUploadRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/file-uploads/:id',
  summary: 'Delete an uploaded file',
  access: can('file_uploads', 'delete'),
  status: 204,
  params: idParams,
})

export const fileUploadRoutes = {
  createFileUploadRoute,
  listFileUploadsRoute,
  readFileUploadRoute,
  readFileContentRoute,
  updateFileUploadRoute,
  deleteFileUploadRoute,
}
