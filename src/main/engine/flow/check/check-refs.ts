import { RESERVED_REFS, type Step } from '../../../../shared/contract/steps.ts'
import { isReadableName } from '../../template/index.ts'
import { type FlowProblem, problemAt, type StepPlace } from '../definition/problem.ts'

/** What is wrong with a step's name, beyond its shape: templates must read one thing under it. */
export function checkRef(step: Step, place: StepPlace, taken: ReadonlyMap<string, string>): FlowProblem[] {
  const { ref_id: refId } = step
  const first = taken.get(refId)
  if (first !== undefined) {
    return [
      problemAt(place, 'ref_id', `"${refId}" is the name of ${first} already; give one of them another name`),
    ]
  }
  if (RESERVED_REFS.includes(refId)) {
    return [
      problemAt(
        place,
        'ref_id',
        `"${refId}" is a name that templates use for something else; choose another one`,
      ),
    ]
  }
  if (!isReadableName(refId)) {
    return [problemAt(place, 'ref_id', `"${refId}" is a word of the template language; choose another one`)]
  }
  return []
}
