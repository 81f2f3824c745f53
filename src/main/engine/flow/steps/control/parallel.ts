import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { StepError } from '../../model/step-error.ts'
import { doAtOnce } from '../support/at-once.ts'
import type { StepRunner } from '../../model/compiled-step.ts'

/** Runs its branches at once. Its result contains the last result of each branch. */
export const parallel: StepRunner<'parallel'> = {
  outside: false,
  async run({ config, children: { cases } }, scope) {
    const results: [string, Data][] = []
    await doAtOnce<[string, Data]>({
      count: cases.length,
      most: cases.length,
      async begin(at) {
        const { label = '', steps = [] } = cases[at] ?? {}
        try {
          return { end: 'done', result: [label, await scope.runBranch(steps)] }
        } catch (error) {
          if (config.on_branch_error === 'stop' || !(error instanceof StepError)) throw error
          const { code, message } = error
          const failure = dictionaryOf([['error', dictionaryOf(Object.entries({ code, message }))]])
          return { end: 'done', result: [label, failure] }
        }
      },
      take: (result) => void results.push(result),
    })
    return dictionaryOf(results)
  },
}
