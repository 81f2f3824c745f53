import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say, type Said, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import { type Data, isList, writeJson } from '@millrace/jinja/data'
import { parseLiteral, TemplateError } from '@millrace/jinja'
import type { StepScope } from '../../model/compiled-step.ts'

/**
 * The list in a field of the config, which is a list or a string that parses as one, such as `[1,
 * 2, 3]`.
 *
 * @param name the field without `config.` in front
 * @throws StepError if it is neither
 */
export function readList(name: string, source: unknown, scope: StepScope): readonly Data[] {
  const field = `config.${name}`
  const value = scope.evaluate(field, source)
  if (isList(value)) return value
  const read = typeof value === 'string' && value.trimStart().startsWith('[') ? literal(value) : undefined
  if (isList(read)) return read
  throw scope.fail(
    'validation',
    say('"{{name}}" must be a list, got {{value}}', { name, value: shortText(value) }),
    { field },
  )
}

function literal(text: string): Data | undefined {
  try {
    return parseLiteral(text)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** Awaits a port's work; errors name the field. */
export async function atField<T>(scope: StepScope, field: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw scope.fail(error.code, sentenceOf(error), { field, cause: error })
  }
}

/** The path in a step's config. The folder port checks whether it is allowed. */
export function readPath(source: string, scope: StepScope): string {
  const field = 'config.path'
  const path = scope.renderText(field, source).trim()
  if (path !== '' && !path.includes('\0')) return path
  throw scope.fail(
    'validation',
    say('"path" is empty; name a file in one of the allowed folders (Settings)'),
    {
      field,
    },
  )
}

/** A value as truncated JSON, for a message. */
export function shortText(value: Data): Said | string {
  if (Array.isArray(value) && value.length > 20) return say('a list of {{count}}', { count: value.length })
  const text = writeJson(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
