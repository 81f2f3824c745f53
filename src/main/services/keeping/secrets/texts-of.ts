import { type Data, entriesOf, Float, isDictionary, isList, writeJson } from '@millrace/jinja/data'

/** The value as a string, and each string and number in it, because a template can print any of them on its own. */
export function textsOf(value: Data): string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return [writeJson(value), ...value.flatMap(textsOf)]
  if (isDictionary(value)) return [writeJson(value), ...entriesOf(value).flatMap(([, part]) => textsOf(part))]
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Float
  return isNumber ? [writeJson(value)] : []
}
