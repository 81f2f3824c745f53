import type { EnvVariable } from '../../../shared/contract/env-variables.ts'
import { formatJson, parseJson } from '../../lib/json.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import type { EnvVariableBody } from './env-variables.ts'

/** The state of the dialog: the value as typed, and null if the stored secret stays. */
export interface EnvVariableDraft {
  readonly name: string
  readonly type: EnvVariable['type']
  readonly secret: boolean
  readonly text: string | null
}

export function toDraft(variable: EnvVariable | undefined): EnvVariableDraft {
  if (variable === undefined) return { name: '', type: 'text', secret: false, text: '' }
  const { name, type, secret, value } = variable
  if (secret) return { name, type, secret, text: null }
  return { name, type, secret, text: typeof value === 'string' ? value : formatJson(value) }
}

/** The request body, or why the value doesn't match its type yet. */
export function toBody({
  name,
  type,
  secret,
  text,
}: EnvVariableDraft): EnvVariableBody | { problem: string } {
  if (text === null) return { name, type, secret, value: null }
  if (type === 'text') return { name, type, secret, value: text }
  const value = readValue(type, text)
  return value === undefined ? { problem: t(PROBLEMS[type]) } : { name, type, secret, value }
}

function readValue(type: Exclude<EnvVariable['type'], 'text'>, text: string): unknown {
  try {
    const value = parseJson(text)
    return IS_OF_TYPE[type](value) ? value : undefined
  } catch {
    return undefined
  }
}

const IS_OF_TYPE: { readonly [T in Exclude<EnvVariable['type'], 'text'>]: (value: unknown) => boolean } = {
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  list: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

const PROBLEMS: { readonly [T in Exclude<EnvVariable['type'], 'text'>]: English } = {
  number: english('Enter a number, for example 12 or 0.5.'),
  list: english('Enter a JSON list, for example ["a", "b"].'),
  object: english('Enter a JSON object, for example {"key": "value"}.'),
}
