import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { PaginationError } from '../../pagination/index.ts'
import { RequestError } from '../../request/request-error.ts'
import { SftpError } from '../../sftp/sftp-error.ts'
import { TemplateError } from '@millrace/jinja'
import { StepError } from './step-error.ts'
import type { CompiledStep } from './compiled-step.ts'

/** Converts whatever a step threw to a failure of that step. A RunHalt isn't one and must not be passed. */
export function toStepError(error: unknown, step: CompiledStep, field: string | null = null): StepError {
  if (error instanceof StepError) return error
  const { ref } = step
  const inStep = (cause: Error) =>
    say('Step "{{ref}}": {{rest}}', {
      ref,
      rest: sentenceOf(cause),
    })
  if (error instanceof TemplateError) {
    const { line, column, token, hint } = error
    const rest = inTwoSentences(error)
    return new StepError(
      'template_error',
      step.ref,
      field === null
        ? say('Step "{{ref}}", line {{line}}, column {{column}}: {{rest}}', { ref, line, column, rest })
        : say('Step "{{ref}}", field "{{field}}", line {{line}}, column {{column}}: {{rest}}', {
            ref,
            field,
            line,
            column,
            rest,
          }),
      { field, line, column, data: { line, column, token, hint }, cause: error },
    )
  }
  if (error instanceof RequestError) {
    return new StepError(error.code, step.ref, inStep(error), {
      field,
      data: error.status === undefined ? null : { status: error.status },
      cause: error,
    })
  }
  if (error instanceof PaginationError) {
    const { line = null, column = null, page, status, partialCount, field: at = null } = error.details
    const data = { page: page ?? null, status: status ?? null, partial_count: partialCount ?? null }
    return new StepError(error.code, step.ref, inStep(error), {
      field: field ?? at,
      line,
      column,
      data,
      cause: error,
    })
  }
  if (error instanceof AppError) {
    return new StepError(error.code, step.ref, inStep(error), { field, cause: error })
  }
  if (error instanceof SftpError)
    return new StepError(error.code, step.ref, inStep(error), { field, cause: error })
  if (isCoded(error)) return new StepError(error.code, step.ref, inStep(error), { field, cause: error })
  return new StepError(
    'internal',
    step.ref,
    say('Step "{{ref}}" failed because of an internal error (a bug in Millrace); see the log', { ref }),
    {
      field,
      cause: error,
    },
  )
}

/** Adds the advice as a second sentence, because it begins with a capital letter, in German too. */
function inTwoSentences({ said: first, advice: second }: TemplateError): Said {
  if (second === null) return first
  return first.key.endsWith('.')
    ? say('{{first}} {{second}}', { first, second })
    : say('{{first}}. {{second}}', { first, second })
}

/** Errors of the engine about its input, such as an invalid list or path. */
function isCoded(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    ENGINE_CODES.has(error.code)
  )
}

const ENGINE_CODES: ReadonlySet<string> = new Set(['not_a_dictionary', 'jsonpath_error', 'config_invalid'])
