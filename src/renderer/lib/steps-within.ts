import type { RunError } from '../../shared/contract/flow-runs.ts'
import type { Step } from '../../shared/contract/steps.ts'
import { english, inEnglish, translateMessage } from './i18n.ts'

/** The steps in reading order, nested ones included. */
export function stepsWithin(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    const { steps: own = [], then = [], else: other = [], cases = [], default: rest = [] } = step
    return [step, ...stepsWithin([...own, ...then, ...other, ...cases.flatMap((one) => one.steps), ...rest])]
  })
}

/** The auth of a step; null if it has none, or uses a template, which is known only while it runs. */
export function authOfStep(steps: readonly Step[], refId: string | null): string | null {
  const step = stepsWithin(steps).find(({ ref_id: id }) => id === refId)
  const { auth_id: auth } = (step?.config ?? {}) as { readonly auth_id?: unknown }
  return typeof auth === 'string' && !auth.includes('{{') ? auth : null
}

/** The status of the response that failed a step; null if it failed for another reason. */
export function statusOfError(error: RunError | null): number | null {
  const data = error?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  return typeof data['status'] === 'number' ? data['status'] : null
}

/** Why a run failed. What a stop says is the user's own text, without words of the program around it. */
export function sentenceOfError({ code, ref_id: refId, message }: RunError): string {
  const place = `Step "${refId}": `
  return code === 'stopped' && message.startsWith(place)
    ? message.slice(place.length)
    : translateMessage(message)
}

/** The label of the setting that an error sends to; null if it names none. */
export function settingOfError({ message }: RunError): (typeof SETTINGS)[number] | null {
  return SETTINGS.find((label) => message.includes(`Settings, ${inEnglish(label)}`)) ?? null
}

const SETTINGS = [english('Allowed folders'), english('Programs'), english('Tunnel')]
