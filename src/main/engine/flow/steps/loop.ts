import type { Data } from '../../data/value.ts'
import { readList } from '../read-list.ts'
import { RecordSpill } from '../record-spill.ts'
import type { StepRunner } from '../step-runner.ts'

/** Runs its steps once for each entry of a list, which is settled before the first turn. */
export const loop: StepRunner<'loop'> = {
  outside: false,
  async run({ config, children }, scope) {
    const items = scope.settle(() => readList('over', config.over, scope)) as readonly Data[]
    scope.showInput(items)
    const turns = new RecordSpill(scope)
    let isDue = false
    const collect = (result: Data) => {
      isDue = turns.push(
        config.collect === undefined ? result : scope.evaluate('config.collect', config.collect),
      )
    }
    try {
      for (let index = 0; index < items.length; index++) {
        if (index % TURNS_A_LOOK === 0) await scope.breathe()
        const end = await scope.runTurn(children.steps, items[index] ?? null, index, collect)
        if (isDue) await turns.flush()
        isDue = false
        if (end === 'break_loop' || end === 'ended') break
      }
      return await turns.end()
    } finally {
      await turns.close()
    }
  },
}

/** Turns without steps hold others up as well: records of a file are read and decrypted. */
const TURNS_A_LOOK = 100
