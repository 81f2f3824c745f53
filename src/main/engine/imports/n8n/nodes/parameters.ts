import { isRecord, textOf } from '../../plain.ts'
import type { Names } from '../expression/names.ts'
import { isExpression, type Otherwise, toExpression, toTemplate } from '../expression/template.ts'
import type { NodeContext } from './node-context.ts'
import type { Scripts } from './scripts.ts'
import { quoted } from '../source/values.ts'

/**
 * Reads a node's parameters; what has no certain equal is noted by its field.
 *
 * @param scripts takes what no template says
 */
export function createParameterReaders(
  names: Names,
  note: NodeContext['note'],
  scripts: Pick<Scripts, 'add'> | null = null,
): Pick<NodeContext, 'text' | 'value' | 'expression'> {
  const otherwise =
    (field: string): Otherwise =>
    (code, asText) =>
      scripts?.add(code, field, asText) ?? null
  const text = (field: string, value: unknown) =>
    toTemplate(
      textOf(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
      names,
      (message) => note(field, message),
      otherwise(field),
    )
  const value = (field: string, given: unknown): unknown => {
    if (typeof given === 'string') return text(field, given)
    if (Array.isArray(given)) return given.map((item, at) => value(`${field}[${at}]`, item))
    if (!isRecord(given)) return given ?? null
    const entries = Object.entries(given).filter(([key]) => key !== '__proto__')
    return Object.fromEntries(entries.map(([key, item]) => [key, value(`${field}.${key}`, item)]))
  }
  return {
    text,
    value,
    expression(field, given) {
      if (typeof given === 'string')
        return isExpression(given)
          ? toExpression(given, names, (message) => note(field, message), otherwise(field))
          : quoted(given)
      if (typeof given === 'number' || typeof given === 'boolean') return String(given)
      return given === null || given === undefined ? 'none' : JSON.stringify(given).replaceAll('null', 'none')
    },
  }
}
