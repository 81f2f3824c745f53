import type { Json } from '../../../../shared/contract/base/common.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { exampleOfForm, isDictionary } from '../../../components/runs/form-example.ts'
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
 * @param sample that of the sample that the flow was made from
 */
export function testInputOf(
  trigger: Step | undefined,
  last: unknown,
  sample: TestInput['value'] | null,
): TestInput {
  switch (trigger?.type) {
    case 'webhook':
    case 'form_trigger':
      if (isDictionary(last)) return { value: last, hint: t('Input of the last run.'), isRead: true }
      return trigger.type === 'webhook'
        ? { value: sample ?? {}, hint: t('Example webhook body.'), isRead: true }
        : { value: sample ?? exampleOfForm(trigger), hint: t('What a person would enter.'), isRead: true }
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
