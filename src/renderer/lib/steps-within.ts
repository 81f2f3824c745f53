import type { RunError } from '../../shared/contract/flow-runs.ts'
import type { Step } from '../../shared/contract/steps.ts'
import { englishOf, type Said } from '../../shared/contract/base/message.ts'
import { stepsIn } from '../../shared/contract/base/step-lists.ts'
import { english, inEnglish, saidBy, translateMessage } from './i18n.ts'

/** The steps in reading order, nested ones included. */
export function stepsWithin(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...stepsWithin(stepsIn(step))])
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

/** Why a run failed. The message of a stop is the user's own text, without any words of Millrace's around it. */
export function sentenceOfError(error: RunError): string {
  return error.code === 'stopped' ? withoutStep(error).message : translateMessage(error.message, error)
}

/** The message of an error, without the step that it begins with. */
export function withoutStep(error: RunError): { readonly message: string; readonly said?: Said | undefined } {
  const said = saidBy(error)
  const rest = said?.key.startsWith('Step "{{ref}}"') === true ? said.params['rest'] : undefined
  if (rest === undefined) return { message: error.message, said }
  return typeof rest === 'object' ? { message: englishOf(rest), said: rest } : { message: String(rest) }
}

/** The sentence with this key, alone or as part of another. */
export function partOf(said: Said | undefined, key: string): Said | undefined {
  return partsOf(said).find((part) => part.key === key)
}

function partsOf(said: Said | undefined): readonly Said[] {
  if (said === undefined) return []
  return [
    said,
    ...Object.values(said.params).flatMap((value) => (typeof value === 'object' ? partsOf(value) : [])),
  ]
}

/** The label of the setting that an error refers to; null if it names none. */
export function settingOfError(error: RunError): (typeof SETTINGS)[number] | null {
  const keys = partsOf(saidBy(error)).map(({ key }) => key)
  return SETTINGS.find((label) => keys.some((key) => key.includes(`Settings, ${inEnglish(label)}`))) ?? null
}

const SETTINGS = [english('Allowed folders'), english('Programs'), english('Tunnel')]
