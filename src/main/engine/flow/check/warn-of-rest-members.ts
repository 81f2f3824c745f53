import { pathInBody, restMembersOf } from '../definition/rest-members.ts'
import { type FlowProblem, warningAt } from '../definition/problem.ts'
import type { Visit } from '../definition/walk-steps.ts'

/** What a `rest` step never gives, read as if it did. */
export function warnOfRestMembers(
  { step, place }: Pick<Visit, 'step' | 'place'>,
  rests: ReadonlySet<string>,
): FlowProblem[] {
  return restMembersOf(step, rests).map(({ owner, key, field, line, column }) =>
    warningAt(
      place,
      field,
      `reads "${key}" of the rest step "${owner}", which gives status, headers and body; of the body it is ${pathInBody(owner, key)}`,
      { code: 'read_beside_body', line, column },
    ),
  )
}
