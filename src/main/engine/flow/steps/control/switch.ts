import { dictionaryOf } from '@millrace/jinja/data'
import { compare } from '../support/compare.ts'
import type { StepRunner } from '../../model/compiled-step.ts'

/**
 * Runs the steps of the first case whose label equals the value, or the default steps. The choice is saved before
 * they run.
 */
export const switchStep: StepRunner<'switch'> = {
  outside: false,
  async run({ config, children }, scope) {
    const at = scope.decideOnce(() => {
      const value = scope.evaluate('config.value', config.value)
      scope.showInput(dictionaryOf([['value', value]]))
      return children.cases.findIndex(
        ({ label }) => compare(value, 'equal', label) || compare(value, 'string_is', label),
      )
    })
    const chosen = children.cases[Number(at)]
    const output = dictionaryOf([['label', chosen?.label ?? null]])
    scope.publish(output)
    await scope.runChildren(chosen?.steps ?? children.default)
    return output
  },
}
