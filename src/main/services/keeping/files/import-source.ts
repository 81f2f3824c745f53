import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { SentSource } from '../../../../shared/contract/import-sources.ts'
import { type Caller, may } from '../../kit/caller.ts'
import type { FileUploadsService } from './file-uploads.ts'
import type { FilesService } from './files.ts'

/** A string, or the path of an uploaded file. */
export type ImportSource = { readonly text: string } | { readonly path: string }

/** Finds the content to import. */
export type FindImportSource = (caller: Caller, sent: SentSource) => ImportSource

/** @throws AppError `not_found`, `forbidden` if the caller can't read files, `too_large` */
export function createFindImportSource(
  fileUploads: Pick<FileUploadsService, 'read'>,
  files: Pick<FilesService, 'pathOf'>,
): FindImportSource {
  return (caller, { source, file_id: fileId }) => {
    if (fileId === undefined) return { text: source ?? '' }
    if (!may(caller, 'file_uploads', 'read'))
      throw new AppError('forbidden', say("This token can't read uploaded files; send the source itself"))
    const { id, filename, size } = fileUploads.read(fileId)
    if (size > LIMITS.importFileBytes) {
      throw new AppError(
        'too_large',
        say(
          'The file "{{name}}" has {{size}} bytes; the limit for an import is {{limit}}. Import a part of it',
          { name: filename, size, limit: LIMITS.importFileBytes },
        ),
      )
    }
    return { path: files.pathOf(id) }
  }
}
