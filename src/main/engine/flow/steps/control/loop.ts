import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import type { Batch } from '../../model/page-feed.ts'
import { doAtOnce } from '../support/at-once.ts'
import { readList } from '../support/read-input.ts'
import { RecordSpill } from '../support/record-spill.ts'
import type { CompiledStep, StepRunner, StepScope } from '../../model/compiled-step.ts'

/**
 * Runs its steps once for each item of a list that is fixed before the first iteration, or for each record of the
 * previous step as its pages arrive; with `concurrency`, for several at once.
 */
export const loop: StepRunner<'loop'> = {
  outside: false,
  async run(step, scope) {
    const { config, children } = step
    const { concurrency: most = 1 } = config
    const turns = new RecordSpill(scope)
    let isDue = false
    const resultOf = (turn: StepScope, result: Data) =>
      config.collect === undefined ? result : turn.evaluate('config.collect', config.collect)
    const collect = (result: Data) => {
      isDue = turns.push(resultOf(scope, result))
    }
    try {
      for await (const { items, from, turns: before } of batchesOf(step, scope)) {
        if (most > 1) {
          const end = await doAtOnce<Data>({
            count: items.length - from,
            most,
            async begin(at) {
              let done = {}
              await scope.yieldIfDue()
              const keep = (turn: StepScope, result: Data) => void (done = { result: resultOf(turn, result) })
              const item = items[from + at] ?? null
              return { end: await scope.runTurnAside(children.steps, item, before + at, keep), ...done }
            },
            take: (result) => turns.add([result]),
          })
          if (end === 'break_loop' || end === 'ended') return await turns.end()
          continue
        }
        for (let at = from; at < items.length; at++) {
          const index = before + at - from
          if (index % TURNS_A_LOOK === 0) await scope.yieldIfDue()
          const turn = scope.runTurn(children.steps, items[at] ?? null, index, collect)
          const end = turn instanceof Promise ? await turn : turn
          if (isDue) await turns.flush()
          isDue = false
          if (end === 'break_loop' || end === 'ended') return await turns.end()
        }
      }
      return await turns.end()
    } finally {
      await turns.close()
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
  const items = scope.decideOnce(() => readList('over', config.over, scope)) as readonly Data[]
  scope.showInput(items)
  yield { items, from: 0, turns: 0 }
}

/** Even iterations without steps block the event loop: records from a file have to be read and decrypted. */
const TURNS_A_LOOK = 100
