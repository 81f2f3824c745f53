import { pipeline } from 'node:stream/promises'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import type { Route } from '../../../shared/contract/base/route.ts'
import type { FileUploadsService } from '../../services/keeping/files/file-uploads.ts'
import type { PendingFile } from '../../services/keeping/files/files.ts'
import { sendJson } from '../answer/send.ts'
import type { App } from './app.ts'
import { readUpload } from '../body/read-upload.ts'
import { mountAt, toAnswer } from './mount-route.ts'
import { createCallReader, type RouteCall } from './receive.ts'
import { withConventions } from './conventions.ts'

type UploadRoute = Route & { readonly upload: true }

/** Metadata of the received content. When two requests are compared, the content's hash represents it. */
export type ReceivedFile = Pick<FileUpload, 'filename' | 'content_type' | 'size' | 'sha256'>

type UploadCall<R extends UploadRoute> = Omit<RouteCall<R>, 'body'> & { readonly body: ReceivedFile }

/**
 * Mounts a declared route whose body is a file. The file is on the disk before its handler runs, and is deleted unless
 * the handler keeps it.
 */
export function mountUpload<const R extends UploadRoute>(
  app: App,
  route: R,
  uploads: Pick<FileUploadsService, 'receive'>,
  handler: (call: UploadCall<R>, file: PendingFile) => Promise<unknown>,
): void {
  const receive = createCallReader(app, route)
  const mounted = mountAt(app, route, async (request, response) => {
    const call = await receive(request, response)
    const { received: file, ...meta } = await readUpload(request, response, {
      filename: (call.query as { readonly filename?: string } | undefined)?.filename,
      receive: (content) =>
        uploads.receive(content, { maxBytes: app.services.settings.current().file_limit_bytes }),
      discard: (pending) => pending.discard(),
    })
    try {
      const body: ReceivedFile = { ...meta, size: file.size, sha256: file.sha256 }
      const described = { ...call, body } as UploadCall<R>
      const respond = withConventions<Route>({ app, route, mounted }, async () =>
        toAnswer(app, route, await handler(described, file), request),
      )
      // The conventions only compare bodies, so a description of the file can take the body's place.
      sendJson(request, response, await respond(described as never))
    } finally {
      await file.discard()
    }
  })
}

type DownloadRoute = Route & { readonly download: true }

/**
 * Mounts a declared route that returns the bytes of a file. Because this is foreign content on the page's own origin,
 * it is sent as a download, sandboxed, with the stored content type and no sniffing.
 */
export function mountDownload<const R extends DownloadRoute>(
  app: App,
  route: R,
  handler: (call: RouteCall<R>) => ReturnType<FileUploadsService['content']>,
): void {
  const receive = createCallReader(app, route)
  mountAt(app, route, async (request, response) => {
    const { file, bytes } = await handler(await receive(request, response))
    response.writeHead(200, {
      'Content-Type': file.content_type,
      'Content-Length': file.size,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(file.filename)}`,
      'Content-Security-Policy': 'sandbox',
      ETag: `"${file.sha256}"`,
    })
    if (request.method === 'HEAD') {
      bytes.destroy()
      response.end()
      return
    }
    // If the caller leaves halfway, nobody is left to get an error.
    await pipeline(bytes, response).catch(() => response.destroy())
  })
}

/** Encodes a file name as in RFC 8187. */
function encodeName(filename: string): string {
  return encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
}
