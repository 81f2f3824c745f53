import type { Json } from '../../../shared/contract/base/common.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { t } from '../../lib/i18n.ts'

/** A value for each field of a form, as its page would send it. */
export function exampleOfForm({ config }: Pick<Step, 'config'>): Record<string, Json> {
  const fields = config['fields']
  const list = Array.isArray(fields) ? fields.filter(isDictionary) : []
  return Object.fromEntries(
    list.flatMap((field) =>
      typeof field['name'] === 'string' ? [[field['name'], exampleValue(field)]] : [],
    ),
  )
}

function exampleValue({ type, options }: Record<string, Json>): Json {
  switch (type) {
    case 'number':
      return 1
    case 'email':
      return 'ada@example.test'
    case 'date':
      return new Date().toISOString().slice(0, 10)
    case 'select':
      return Array.isArray(options) ? (options[0] ?? '') : ''
    case 'switch':
      return true
    default:
      return t('example')
  }
}

export function isDictionary(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
