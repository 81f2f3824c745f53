import { say } from '../../../../../shared/contract/base/message.ts'
import type { Data } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'

/**
 * Repeats its steps as long as `when`, evaluated at the end of each iteration, is true. The outcome is saved, so that
 * a resumed run makes the same decisions.
 */
export const loopWhile: StepRunner<'loop_while'> = {
  outside: false,
  async run({ config, children }, scope) {
    const turns: Data[] = []
    let last: Data = null
    for (let index = 0; ; index++) {
      const before = last
      const end = await scope.runTurn(children.steps, before, index, (result) => {
        last = config.collect === undefined ? result : scope.evaluate('config.collect', config.collect)
        turns.push(last)
      })
      if (end === 'break_loop' || end === 'ended') break
      if (scope.savedProgress[index] === undefined) {
        scope.saveProgress(scope.withItem(before, index, () => scope.isTrue('config.when', config.when)))
      }
      if (scope.savedProgress[index] !== true) break
      if (index + 1 >= config.max_iterations) {
        throw scope.fail(
          'too_many_iterations',
          say(
            '"when" is still true after {{turns}} iterations, the limit set by "max_iterations"; raise it, or make "when" become false',
            { turns: config.max_iterations },
          ),
          { field: 'config.max_iterations' },
        )
      }
    }
    return turns
  },
}
