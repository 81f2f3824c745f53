import { say } from '../../../../../shared/contract/base/message.ts'
import { isDictionary } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { shortText } from '../support/read-input.ts'

/** Computes values. Each string is a template, and one that is a single `{{ expression }}` keeps its type. */
export const set: StepRunner<'set'> = {
  outside: false,
  run({ config }, scope) {
    const values = scope.evaluate('config.values', config.values)
    scope.showInput(values)
    if (isDictionary(values)) return values
    throw scope.fail(
      'validation',
      say('"values" must be an object, got {{shortText}}', { shortText: shortText(values) }),
      {
        field: 'config.values',
      },
    )
  },
}
