import { say, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import { dictionaryOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { constantProblems, renderAnswer } from '../support/webhook-answer.ts'

const FIELDS = { statusCode: 'config.status_code', body: 'config.body', headers: 'config.headers' }

/** Responds to the waiting caller now; the flow continues. */
export const respond: StepRunner<'respond'> = {
  outside: true,
  commits: () => 'after',
  check: ({ status_code: statusCode, headers }) => constantProblems({ statusCode, headers }, FIELDS),
  run(step, scope) {
    const { status_code: statusCode, body, headers } = step.config
    const answer = renderAnswer(step, { statusCode, body, headers }, FIELDS, scope.context)
    scope.showInput(
      dictionaryOf([
        ['status', answer.status],
        ['body', answer.body],
      ]),
    )
    for (const warning of answer.warnings) scope.warn(warning.code, sentenceOf(warning))
    const answered = scope.answer(answer)
    if (!answered)
      scope.warn('nobody_waits', say('No caller is waiting for a response, or it has already been sent'))
    return dictionaryOf([['answered', answered]])
  },
}
