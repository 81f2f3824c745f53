import { type Data, Float, writeJson } from '@millrace/jinja/data'

/** A value as a parameter of SQLite. An integer is bound as a bigint, because a number would become a float. */
export function toBound(value: Data): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'bigint') return value === BigInt.asIntN(64, value) ? value : String(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value === null || typeof value === 'string') return value
  return value instanceof Float ? value.value : writeJson(value)
}
