import { say } from '../../../../../shared/contract/base/message.ts'
import { dictionaryOf } from '@millrace/jinja/data'
import type { Batch } from '../../model/page-feed.ts'
import { RecordSpill } from '../support/record-spill.ts'
import { runTurns, wholeList } from '../support/turns.ts'
import type { CompiledStep, StepRunner, StepScope } from '../../model/compiled-step.ts'

/**
 * Runs its steps once for each item of a list that is fixed before the first iteration, or for each record of the
 * previous step as its pages arrive; with `concurrency`, for several at once.
 */
export const loop: StepRunner<'loop'> = {
  outside: false,
  async run(step, scope) {
    const { collect, concurrency: most = 1 } = step.config
    const results = new RecordSpill(scope)
    try {
      await runTurns(scope, {
        steps: step.children.steps,
        batches: batchesOf(step, scope),
        most,
        resultOf: (turn, result) =>
          collect === undefined ? result : turn.evaluate('config.collect', collect),
        push: (result) => results.push(result),
        flush: () => results.flush(),
      })
      return await results.end()
    } finally {
      await results.close()
    }
  },
}

async function* batchesOf({ config }: CompiledStep<'loop'>, scope: StepScope): AsyncGenerator<Batch> {
  const { pages } = scope
  if (pages !== null) {
    if (pages.isBegun)
      throw scope.fail('validation', say("has started on the first pages, so it can't be retried as a whole"))
    scope.showInput(
      dictionaryOf([
        ['over', config.over ?? null],
        ['start', 'first_page'],
      ]),
    )
    yield* pages.batches()
    if (pages.count > 0) return
  }
  // The whole list if it already exists; this includes a step that turned out to have no pages.
  yield wholeList('over', config.over, scope)
}
