import { isRecord, textOf } from '../plain.ts'

/** Parameters as they were, without texts under names that hold secrets. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > 40) return null
  if (typeof value === 'string') return value.length > 20_000 ? `${value.slice(0, 20_000)}…` : value
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  if (!isRecord(value)) return value
  const pair = SECRET.test(textOf(value['name'])) && typeof value['value'] === 'string'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, item]) => {
        const isSecret =
          (SECRET.test(key) || (pair && key === 'value')) && typeof item === 'string' && !item.startsWith('=')
        return [key, isSecret ? '' : withoutSecrets(item, depth + 1)]
      }),
  )
}

const SECRET = /token|secret|password|passphrase|api_?key|authorization|credential|private_?key/i
