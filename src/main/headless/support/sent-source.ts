/** The text of an import, on its way to the program. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { deleteFileUploadRoute } from '../../../shared/contract/file-uploads.ts'
import type { SentSource } from '../../../shared/contract/import-sources.ts'
import { EXIT, HostError } from '../../exit-codes.ts'
import type { HostClient } from './host-client.ts'

/** What is larger than a body may be goes as an uploaded file, of which no copy is kept. */
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

/** What is wrong with a file names it. */
export function named(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation') return error
  const [reason] = (error.data as Record<string, string[]> | null)?.['source'] ?? []
  const source = path === '-' ? 'The input' : path
  return reason === undefined ? error : new HostError(EXIT.failed, `${source} ${reason}`, { cause: error })
}
