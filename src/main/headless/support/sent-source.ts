/** Sends an import's source to Millrace. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { deleteFileUploadRoute } from '../../../shared/contract/file-uploads.ts'
import type { SentSource } from '../../../shared/contract/import-sources.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { HostClient } from './host-client.ts'

/** A source too large for a body is sent as an uploaded file, which is deleted afterwards. */
export async function withSentSource<T>(
  host: HostClient,
  source: string,
  work: (sent: SentSource) => Promise<T>,
): Promise<T> {
  const upload = source.length > LIMITS.largeBodyBytes / 2 ? await host.upload('import', source) : null
  try {
    return await work(upload === null ? { source } : { file_id: upload.id })
  } finally {
    if (upload !== null) await host.call(deleteFileUploadRoute, { params: { id: upload.id } })
  }
}

/** Names the file in an error, instead of the API's field. */
export function named(error: unknown, path: string, field = 'source'): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation') return error
  const [reason] = (error.data as Record<string, string[]> | null)?.[field] ?? []
  const source = path === '-' ? 'The input' : path
  return reason === undefined ? error : new HostError(EXIT.failed, `${source} ${reason}`, { cause: error })
}
