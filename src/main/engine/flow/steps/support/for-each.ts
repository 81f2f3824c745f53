/** Makes a step's call once for each item of a list, like a loop whose only step is the call, with one flat result. */
import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig, StepType } from '../../../../../shared/contract/step-types/index.ts'
import { FOR_EACH_FIELDS, hasForEach } from '../../../../../shared/contract/step-types/parts/for-each.ts'
import type { Step } from '../../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary, isList } from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { nameOfItem } from '../../model/item-name.ts'
import { entryReader } from './entries.ts'
import { RecordSpill } from './record-spill.ts'
import { runTurns, wholeList } from './turns.ts'

export type ForEachType = { [T in StepType]: 'for_each' extends keyof StepConfig<T> ? T : never }[StepType]

/** The call for a single item, as a step that fails and is retried on its own; null if the step has no list. */
export function stepForItem(step: Step): Step | null {
  const { config } = step
  if (!hasForEach(config)) return null
  return {
    ...step,
    config: Object.fromEntries(Object.entries(config).filter(([name]) => !FIELDS.has(name))),
    on_error: config['on_item_error'] === 'skip' ? 'skip_iteration' : 'stop',
    disabled: false,
  }
}

const FIELDS: ReadonlySet<string> = new Set(FOR_EACH_FIELDS)

/** Makes the call for each item, in order or several at once. Its only child is the step that `stepForItem` returns. */
export const forEachItem: StepRunner<ForEachType> = {
  outside: false,
  async run({ config, children: { steps } }, scope) {
    const { for_each: source, keep = [], concurrency: most = 1 } = config
    const whole = wholeList('for_each', source, scope)
    const kept = keep.map((path) => [`parent_${path.replaceAll('.', '_')}`, readerOf(path, scope)] as const)
    const keptOf = (item: Data) => kept.map(([name, read]): [string, Data] => [name, read(item, 0)])
    const list = new RecordSpill(scope)
    const failed: number[] = []
    const ready: { readonly result: Data; readonly kept: readonly [string, Data][] }[] = []
    try {
      await runTurns(scope, {
        steps,
        batches: [whole],
        most,
        resultOf: (turn, result) => ({ result, kept: keptOf(turn.context['item'] ?? null) }),
        push: (one) => ready.push(one) > 0,
        async flush() {
          for (const { result, kept } of ready.splice(0)) {
            for (const record of isList(result) ? result : [result])
              if (list.push(withKept(record, kept))) await list.flush()
          }
          await scope.yieldIfDue()
        },
        onLeft: (index) => void failed.push(index),
      })
      if (failed.length > 0) warnOfFailed(whole.items, failed, scope)
      return await list.end()
    } finally {
      await list.close()
    }
  },
}

const readerOf = (path: string, scope: StepScope) => entryReader('keep', path, scope)

function withKept(record: Data, kept: readonly [string, Data][]): Data {
  if (kept.length === 0) return record
  const own: readonly [string, Data][] = isDictionary(record) ? entriesOf(record) : [['value', record]]
  return dictionaryOf([...own, ...kept])
}

function warnOfFailed(items: readonly Data[], failed: readonly number[], scope: StepScope): void {
  const names = failed
    .toSorted((a, b) => a - b)
    .slice(0, MOST_NAMED)
    .map((index) => nameOfItem(items[index] ?? null, index))
    .reduce((first, second) => say('{{first}}; {{second}}', { first, second }))
  const count = failed.length
  scope.warn(
    'items_failed',
    count > MOST_NAMED
      ? say('{{count}} of {{total}} items failed, and their records are missing: {{names}} and more', {
          count,
          total: items.length,
          names,
        })
      : say('{{count}} of {{total}} items failed, and their records are missing: {{names}}', {
          count,
          total: items.length,
          names,
        }),
    true,
  )
}

const MOST_NAMED = 5
