import type { Step } from '../../../../shared/contract/steps.ts'
import { type FlowProblem, problemAt } from '../definition/problem.ts'
import { templatesOf } from '../definition/templates-of.ts'
import type { Visit } from '../definition/walk-steps.ts'

/** JSON that is written as a text: a quote in a value breaks it, unless the value goes through `tojson`. */
export function warnOfJsonTexts({ step, place }: Pick<Visit, 'step' | 'place'>): FlowProblem[] {
  return templatesOf(step)
    .filter(({ field, source }) => JSON_TEXT.test(source) && !isPlacedByContext(step, field))
    .flatMap(({ field, source }) => {
      const bare = (source.match(OUTPUTS) ?? []).find((output) => !AS_JSON.test(output))
      if (bare === undefined) return []
      return [
        problemAt(place, field, `is JSON, and ${bare.slice(0, 60)} may break it; end it with "| tojson"`),
      ]
    })
}

/** Begins as a dictionary or a list, and not with a tag. */
const JSON_TEXT = /^\s*(?:\{(?![{%#])|\[)/
const OUTPUTS = /\{\{[^{}]{0,500}\}\}/g
const AS_JSON = /\|\s*(?:tojson|jsonify|to_json)\b/

/** Fields that escape values by where they stand, so that nothing can break there. */
function isPlacedByContext({ type, config }: Step, field: string): boolean {
  if (field === 'config.response_body' || (type === 'respond' && field === 'config.body')) return true
  return type === 'rest' && field === 'config.body' && (config['body_type'] ?? 'json') === 'json'
}

/** What is meant for a caller whom an `async` webhook has answered already. */
export function warnOfAsync(visits: readonly Visit[]): FlowProblem[] {
  const [first] = visits
  if (first?.step.type !== 'webhook' || first.step.config['async'] !== true) return []
  const { response_body: body } = first.step.config
  const responding = visits.filter(({ step }) => step.type === 'respond' && !step.disabled)
  return [
    ...(typeof body === 'string' && body !== ''
      ? [problemAt(first.place, 'config.response_body', 'is not sent: the webhook answers at once ("async")')]
      : []),
    ...responding.map(({ place }) =>
      problemAt(
        place,
        '',
        `has nobody to answer: the webhook "${first.step.ref_id}" answers at once ("async")`,
      ),
    ),
  ]
}
