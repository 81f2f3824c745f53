import { AppError } from '../../../shared/contract/base/errors.ts'
import { TemplateError } from '../../engine/template/environment.ts'

/** A template's own error as the caller's; what is no template error is a defect and stays one. */
export function templateToAppError(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error
  const { message, line, column, token, hint } = error
  return new AppError('template_error', message, { data: { line, column, token, hint }, cause: error })
}
