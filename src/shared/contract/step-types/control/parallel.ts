import { z } from 'zod'
import { json } from '../../base/common.ts'
import { say } from '../../base/message.ts'
import { type FieldProblem, stepType } from '../parts/step-type.ts'

/** The branches are in `cases`: their labels are names of the result. */
export const parallel = stepType({
  family: 'control',
  label: 'Parallel',
  purpose: 'Runs several branches at the same time',
  words: 'branches concurrent at once together fork join',
  icon: 'git-fork',
  refId: 'parallel1',
  lists: ['cases'],
  casesLabel: 'Branches',
  config: z
    .strictObject({
      on_branch_error: z
        .enum(['stop', 'continue'])
        .default('stop')
        .describe(
          '`stop` fails the step if a branch fails; `continue` puts `{"error": …}` in its place in the result. The other branches continue to their end in both cases.',
        ),
    })
    .meta({
      description:
        'Runs the branches in `cases` at the same time, and continues when all of them have ended. A branch reads results from before the step and its own, not those of other branches.',
      examples: [{}],
    }),
  fields: {
    on_branch_error: {
      label: 'If a branch fails',
      option: true,
      options: {
        stop: ['Fail when all branches have ended', 'With the error of the first one that failed'],
        continue: ['Continue', 'Its result is the error'],
      },
    },
  },
  result: z
    .record(z.string(), json)
    .describe('An object with the result of each branch’s last step: `{{ parallel1.orders }}`.'),
  caseRules: branchProblems,
  sample: {
    config: {},
    cases: [
      { label: 'orders', steps: [] },
      { label: 'contacts', steps: [] },
    ],
  },
  summary: (_, { t }) => t('all branches at once'),
})

const MOST_BRANCHES = 20

function branchProblems(cases: readonly { readonly label: string }[]): FieldProblem[] {
  const problems = cases.flatMap(({ label }, at): FieldProblem[] => {
    const field = `cases[${at}].label`
    if (label.trim() === '') return [[field, say('is empty; enter a name for the branch')]]
    return cases.findIndex((one) => one.label === label) < at
      ? [[field, say('appears twice; each branch needs a different name')]]
      : []
  })
  return cases.length > MOST_BRANCHES
    ? [...problems, ['cases', say('has more than {{most}} branches', { most: MOST_BRANCHES })]]
    : problems
}
