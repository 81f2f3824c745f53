/** What may be wrong with a call that somebody tries: it is told, and is no defect of the program. */
import type { Action } from '../../../shared/contract/connectors.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { PaginationError } from '../../engine/pagination/index.ts'
import { RequestError } from '../../engine/request/request-error.ts'
import { SftpError } from '../../engine/sftp/sftp-error.ts'
import { TemplateError } from '../../engine/template/environment.ts'

export function isCallFailure(error: unknown): error is Error {
  return [AppError, RequestError, PaginationError, TemplateError, SftpError].some(
    (kind) => error instanceof kind,
  )
}

/** A template of an action says line and column, but not which of its texts it is. */
export function namingField({ name }: Pick<Action, 'name'>) {
  return <T>(field: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof TemplateError) error.message = `Action "${name}", ${field}: ${error.message}`
      throw error
    }
  }
}
