import type { Json } from '../../../../shared/contract/base/common.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { t } from '../../../lib/i18n.ts'

export interface TestInput {
  /** What a test run begins with unless the user changes it. */
  readonly value: Readonly<Record<string, Json>>
  readonly hint: string
  /** Whether later steps read it by the name of the trigger. */
  readonly isRead: boolean
}

/**
 * @param trigger the flow's first step, if that starts it
 * @param last the input of the last run
 */
export function testInputOf(trigger: Step | undefined, last: unknown): TestInput {
  switch (trigger?.type) {
    case 'webhook':
    case 'form_trigger':
      if (isDictionary(last)) return { value: last, hint: t('Input of the last run.'), isRead: true }
      return trigger.type === 'webhook'
        ? { value: {}, hint: t('Example webhook body.'), isRead: true }
        : { value: exampleOf(trigger.config.fields), hint: t('What a person would enter.'), isRead: true }
    case 'list_trigger':
      return { value: {}, hint: t('If it is left empty, the newest entry is used.'), isRead: true }
    case 'folder_trigger':
      return { value: {}, hint: t('If it is left empty, the newest file is used.'), isRead: true }
    case 'sql_trigger':
      return { value: {}, hint: t('If it is left empty, the newest row is used.'), isRead: true }
    case 'imap_trigger':
      return { value: {}, hint: t('If it is left empty, the newest email is used.'), isRead: true }
    case 'schedule':
      return { value: {}, hint: t('Not needed: the run gets the current time.'), isRead: false }
    default:
      return {
        value: {},
        hint: t('Not needed: without a trigger, no step reads it.'),
        isRead: false,
      }
  }
}

export function isDictionary(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value for each field of a form, as its page would send it. */
function exampleOf(fields: unknown): Record<string, Json> {
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
      return 'example'
  }
}
