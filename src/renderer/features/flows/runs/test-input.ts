import type { Json } from '../../../../shared/contract/base/common.ts'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { isDictionary } from '../../../components/runs/sample-input.ts'
import { t } from '../../../lib/i18n.ts'

export interface TestInput {
  /** What a test run begins with unless the user changes it. */
  readonly value: Readonly<Record<string, Json>>
  readonly hint: string
  /** Whether later steps read it by the name of the trigger. */
  readonly isRead: boolean
}

/**
 * @param step the flow's first step, if that starts it
 * @param last the input of the last run
 * @param sample that of the sample that the flow was made from
 */
export function testInputOf(
  step: Step | undefined,
  last: unknown,
  sample: TestInput['value'] | null,
): TestInput {
  const trigger = definitionOf(step?.type ?? '')?.trigger
  if (step === undefined || trigger === undefined)
    return { value: {}, hint: t('Not needed: without a trigger, no step reads it.'), isRead: false }
  if (trigger.http && isDictionary(last))
    return { value: last, hint: t('Input of the last run.'), isRead: true }
  const example = trigger.http ? (sample ?? trigger.example?.(step.config, t)) : undefined
  return { value: example ?? {}, hint: t(trigger.hint), isRead: trigger.unread !== true }
}
