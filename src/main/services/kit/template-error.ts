import { sentenceOf } from '../../../shared/contract/base/message.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { TemplateError } from '@millrace/jinja/environment'

/** Turns a template's error into an error for the caller; any other error is a bug and is returned unchanged. */
export function templateToAppError(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error
  const { line, column, token, hint } = error
  return new AppError('template_error', sentenceOf(error), {
    data: { line, column, token, hint },
    cause: error,
  })
}
