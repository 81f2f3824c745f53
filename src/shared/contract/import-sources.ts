/** The source of an import: a string in the body, or an uploaded file. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { text } from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import { say } from './base/message.ts'
import { defineRoute } from './base/route.ts'

/** The id of a file that was uploaded to `/v1/file-uploads`. */
const fileId = text(200)

/** Exactly one of the two. */
export const importSource = z
  .strictObject({
    source: text(LIMITS.largeBodyBytes)
      .optional()
      .describe('The content to import, as text. Send either this or `file_id`.'),
    file_id: fileId
      .optional()
      .describe('ID of a file uploaded to `/v1/file-uploads`. Send either this or `source`.'),
  })
  .refine(({ source, file_id: file }) => (source === undefined) !== (file === undefined), {
    error: 'is required unless file_id is sent; send one of them',
    path: ['source'],
  })
export type SentSource = z.output<typeof importSource>

/** Imports an uploaded file as it is, without reviewing its plan. */
export const uploadedImport = z.strictObject({
  file_id: fileId.describe('ID of a file uploaded to `/v1/file-uploads`. It is imported as it is.'),
})
export type UploadedImport = z.output<typeof uploadedImport>

export const TOO_LARGE_TO_IMPORT = say(
  'upload it as a file of up to 32 MiB (POST /v1/file-uploads) and send {"file_id": "…"} in its place, or use "millrace flow import FILE"',
)

/** Only for the local user: a token from elsewhere must not read the local network this way. */
export const readImportUrlRoute = defineRoute({
  method: 'POST',
  path: '/v1/imports/read-url',
  name: 'fetch_import_url',
  summary: 'Read the text at a URL on this computer or its network, for an import',
  access: 'session',
  status: 200,
  body: z.strictObject({
    url: text(2_000)
      .meta({ examples: ['http://127.0.0.1:8080/openapi.json'] })
      .describe('URL to read, on this computer or its network.'),
  }),
  result: z.object({
    source: z
      .string()
      .meta(doc('The text at the URL, to send to an import as `source`.', '{"openapi": "3.1.0"}')),
  }),
})

export const importSourceRoutes = {
  readImportUrlRoute,
}
