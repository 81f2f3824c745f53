import { say, type Said } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { compare } from '../support/compare.ts'
import { shortText } from '../support/read-input.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/** Takes one of two branches. The choice is saved before the first child runs, and doesn't change afterwards. */
export const condition: StepRunner<'condition'> = {
  outside: false,
  async run({ config, children }, scope) {
    const result = scope.decideOnce(() => isMet(config, scope)) === true
    const output = dictionaryOf([['result', result]])
    scope.publish(output)
    await scope.runChildren(result ? children.then : children.else)
    return output
  },
}

function isMet(config: StepConfig<'condition'>, scope: StepScope): boolean {
  if (config.when !== undefined) {
    const met = scope.isTrue('config.when', config.when)
    scope.showInput(dictionaryOf([['when', met]]))
    return met
  }
  const { comparison = 'equal' } = config
  const a: Data = scope.evaluate('config.a', config.a ?? null)
  const b: Data = scope.evaluate('config.b', config.b ?? null)
  scope.showInput(
    dictionaryOf([
      ['a', a],
      ['comparison', comparison],
      ['b', b],
    ]),
  )
  const met = compare(a, comparison, b)
  if (met === null)
    throw scope.fail('validation', incomparable(a, comparison, b), { field: 'config.comparison' })
  return met
}

function incomparable(a: Data, comparison: string, b: Data): Said {
  return say(
    '{{a}} and {{b}} can\'t be compared with "{{comparison}}"; both must be numbers, or both strings',
    { a: shortText(a), b: shortText(b), comparison },
  )
}
