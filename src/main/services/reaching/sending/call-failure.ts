/** Expected errors of a test call, which are reported to the user, not logged as bugs. */
import type { Action } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import { PaginationError } from '../../../engine/pagination/index.ts'
import { RequestError } from '../../../engine/request/request-error.ts'
import { SftpError } from '../../../engine/sftp/sftp-error.ts'
import { TemplateError } from '@millrace/jinja/environment'

export function isCallFailure(error: unknown): error is Error {
  return [AppError, RequestError, PaginationError, TemplateError, SftpError].some(
    (kind) => error instanceof kind,
  )
}

/** An action's template error has line and column, but doesn't say which field it is in. */
export function namingField({ name }: Pick<Action, 'name'>) {
  return <T>(field: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const said = say('Action "{{name}}", {{field}}: {{rest}}', { name, field, rest: error.said })
      throw new TemplateError(error.kind, said, error, error.advice)
    }
  }
}
