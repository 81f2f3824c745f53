import { advised, say, type Said } from '../../../../shared/contract/base/message.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { hasTags, jinja } from '@millrace/jinja/environment'

/**
 * Rejects templates that can never be rendered, because an error on save is better than one in the middle of a run.
 * Which names they can read depends on the run and isn't checked.
 *
 * @param fields strings, and lists and objects of them, by field name; undefined means not sent
 * @throws AppError `validation` naming each field, with line and column
 */
export function requireTemplates(fields: Readonly<Record<string, unknown>>): void {
  const faults = Object.entries(fields)
    .flatMap(([field, value]) => textsIn(field, value))
    .flatMap(({ field, text }) => jinja.check(text).map((problem) => [field, [sentenceOf(problem)]] as const))
  if (faults.length > 0) throw fieldErrors(Object.fromEntries(faults.slice(0, MAX_FAULTS)))
}

const MAX_FAULTS = 50

interface Text {
  readonly field: string
  readonly text: string
}

function textsIn(field: string, value: unknown): Text[] {
  if (typeof value === 'string') return hasTags(value) ? [{ field, text: value }] : []
  if (Array.isArray(value)) return value.flatMap((part, index) => textsIn(`${field}[${index}]`, part))
  if (typeof value !== 'object' || value === null) return []
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
  return entries.flatMap(([key, part]) => textsIn(`${field}.${key}`, part))
}

function sentenceOf(problem: ReturnType<typeof jinja.check>[number]): Said {
  const { line, column } = problem
  return say('line {{line}}, column {{column}}: {{rest}}', { line, column, rest: advised(problem) })
}
