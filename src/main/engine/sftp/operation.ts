import { say } from '../../../shared/contract/base/message.ts'
import { type Data, getKey, isDictionary } from '@millrace/jinja/data'
import { SftpError } from './sftp-error.ts'

/** The operation that an action of an SFTP connector describes in its body: `{"operation": "list", "path": "…"}`. */
export type SftpOperation =
  | { readonly operation: 'list'; readonly path: string }
  | { readonly operation: 'read'; readonly path: string; readonly as: 'text' | 'base64' | 'file' }
  | {
      readonly operation: 'write'
      readonly path: string
      readonly content: SftpContent
      readonly append: boolean
      readonly makeFolders: boolean
    }
  | { readonly operation: 'move'; readonly path: string; readonly to: string; readonly overwrite: boolean }
  | { readonly operation: 'delete'; readonly path: string; readonly recursive: boolean }

export type SftpContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly fileId: string }

/** @throws SftpError naming the field */
export function readOperation(body: Data): SftpOperation {
  if (!isDictionary(body))
    throw new SftpError(say('An action with an sftp:// URL needs a body with "operation" and "path"'))
  const text = (name: string, needed = false) => {
    const value = getKey(body, name) ?? ''
    if (typeof value !== 'string') throw new SftpError(say('"{{name}}" must be a string', { name }))
    if (needed && value.trim() === '') throw new SftpError(say('"{{name}}" must not be empty', { name }))
    return value
  }
  const flag = (name: string, standard = false) => {
    const value = getKey(body, name)
    if (value === undefined || value === null || value === '') return standard
    if (typeof value === 'boolean') return value
    throw new SftpError(say('"{{name}}" must be true or false', { name }))
  }
  const operation = text('operation')
  switch (operation) {
    case 'list':
      return { operation, path: text('path') }
    case 'read': {
      const as = text('as') || 'text'
      if (as !== 'text' && as !== 'base64' && as !== 'file')
        throw new SftpError(
          say('"as" is "{{as}}", but must be text, base64 or file', { as: as.slice(0, 40) }),
        )
      return { operation, path: text('path', true), as }
    }
    case 'write':
      return {
        operation,
        path: text('path', true),
        content: contentOf(text),
        append: flag('append'),
        makeFolders: flag('make_folders', true),
      }
    case 'move':
      return { operation, path: text('path', true), to: text('to', true), overwrite: flag('overwrite') }
    case 'delete':
      return { operation, path: text('path', true), recursive: flag('recursive') }
    default:
      throw new SftpError(
        say('"operation" is "{{operation}}", but must be list, read, write, move or delete', {
          operation: operation.slice(0, 40),
        }),
      )
  }
}

function contentOf(text: (name: string) => string): SftpContent {
  const [plain, base64, fileId] = [text('text'), text('base64'), text('file_id')]
  if ([plain, base64, fileId].filter((one) => one !== '').length > 1)
    throw new SftpError(say('Use only one of "text", "base64" and "file_id"'))
  if (fileId !== '') return { kind: 'file', fileId }
  if (base64 === '') return { kind: 'bytes', bytes: Buffer.from(plain, 'utf8') }
  if (!/^[\w+/\s-]*(?:={1,2}\s*)?$/.test(base64))
    throw new SftpError(say('"base64" contains characters that aren\'t base64'))
  return { kind: 'bytes', bytes: Buffer.from(base64, 'base64') }
}
