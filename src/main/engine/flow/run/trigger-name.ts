import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'

/** The value of `{{ trigger }}`, whichever of a flow's triggers started the run. */
export function valueOfTrigger(ref: string, type: string, output: Data): Data {
  return dictionaryOf([
    ['ref_id', ref],
    ['type', type],
    ['output', output],
  ])
}

/** Results of a run with the value of `{{ trigger }}`, which isn't kept with them. */
export function withTriggerName(
  steps: readonly Pick<Step, 'ref_id' | 'type'>[],
  results: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const started = triggersOf(steps).find(({ ref_id: ref }) => Object.hasOwn(results, ref))
  if (started === undefined || Object.hasOwn(results, 'trigger')) return results
  const { ref_id: ref, type } = started
  return { ...results, trigger: valueOfTrigger(ref, type, results[ref] as Data) }
}
