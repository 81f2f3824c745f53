import { say, type Said, sentenceOf } from '../../../shared/contract/base/message.ts'
import { type Data, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { checkJsonPath, selectJsonPath } from '@millrace/jinja/jsonpath'

export type ReadField = (entry: Data) => Data

/** Reads a field of an entry by its name, a path with dots or a JSONPath. A missing one is null. */
export function fieldReader(source: string): ReadField {
  const path = source.trim()
  if (path.startsWith('$')) return (entry) => selectJsonPath(path, entry)[0] ?? null
  const parts = path.split('.')
  return (entry) => {
    const named = isDictionary(entry) ? getKey(entry, path) : undefined
    return named ?? parts.reduce<Data>(partOf, entry)
  }
}

/** Reads a column of a row, whose name can be anything. */
export function columnReader(name: string): ReadField {
  return (entry) => (isDictionary(entry) ? (getKey(entry, name) ?? null) : null)
}

/** The problem with a field's path; null if there is none. */
export function fieldProblem(source: string): Said | null {
  if (source.trim() === '') return say('must not be empty')
  if (!source.trim().startsWith('$')) return null
  const problem = checkJsonPath(source.trim())
  return problem === null ? null : say("isn't a JSONPath: {{rest}}", { rest: sentenceOf(problem) })
}

function partOf(value: Data, part: string): Data {
  if (isDictionary(value)) return getKey(value, part) ?? null
  return isList(value) && /^\d{1,9}$/.test(part) ? (value[Number(part)] ?? null) : null
}
