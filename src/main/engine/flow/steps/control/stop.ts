import { dictionaryOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'

/** Ends the run from any depth of nesting. */
export const stop: StepRunner<'stop'> = {
  outside: false,
  run({ config }, scope) {
    const message = scope.renderText('config.message', config.message)
    const output = dictionaryOf([
      ['status', config.status],
      ['message', message],
    ])
    scope.showInput(output)
    scope.endRun(config.status, message)
    return output
  },
}
