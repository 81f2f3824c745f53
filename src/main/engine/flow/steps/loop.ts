import { type Data, isList } from '../../data/value.ts'
import { parseLiteral } from '../../template/index.ts'
import { shortText } from '../short-text.ts'
import type { StepRunner, StepScope } from '../step-runner.ts'

/** Runs its steps once for each entry of a list, which is settled before the first turn. */
export const loop: StepRunner<'loop'> = {
  outside: false,
  async run({ config, children }, scope) {
    const items = scope.settle(() => readList(config.over, scope)) as readonly Data[]
    scope.showInput(items)
    const turns: Data[] = []
    for (let index = 0; index < items.length; index++) {
      const end = await scope.runTurn(children.steps, items[index] ?? null, index, (result) => {
        turns.push(config.collect === undefined ? result : scope.evaluate('config.collect', config.collect))
      })
      if (end === 'break_loop' || end === 'ended') break
    }
    return turns
  },
}

/** A list, or a text that reads as one: `[1, 2, 3]`. */
function readList(over: unknown, scope: StepScope): readonly Data[] {
  const value = scope.evaluate('config.over', over)
  if (isList(value)) return value
  const read =
    typeof value === 'string' && value.trimStart().startsWith('[') ? parseLiteral(value) : undefined
  if (isList(read)) return read
  throw scope.fail('validation', `"over" is ${shortText(value)}, which is no list`, { field: 'config.over' })
}
