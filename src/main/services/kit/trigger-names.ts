/** The reference names of a flow's triggers, under which their states are kept. */
import { say } from '../../../shared/contract/base/message.ts'
import { type AppError, fieldErrors } from '../../../shared/contract/base/errors.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { triggersOf } from '../../../shared/contract/step-types/index.ts'

/** The new name of a renamed trigger, assumed if exactly one name is gone and exactly one is new; null otherwise. */
export function renamedTo(gone: readonly string[], added: readonly string[]): string | null {
  return gone.length === 1 && added.length === 1 ? (added[0] ?? null) : null
}

/** @throws AppError `validation` if the flow has no trigger of that name */
export function requireTrigger({ name, steps }: Pick<Flow, 'name' | 'steps'>, refId: string): void {
  const refs = triggersOf(steps).map(({ ref_id: ref }) => ref)
  if (!refs.includes(refId)) throw unknownTrigger({ name, refs }, refId, 'ref_id')
}

export function unknownTrigger(
  { name, refs }: { readonly name: string; readonly refs: readonly string[] },
  refId: string,
  field: string,
): AppError {
  const about = { refId: refId.slice(0, 60), name }
  const problem =
    refs.length === 0
      ? say('is "{{refId}}", but the flow "{{name}}" has no trigger', about)
      : say('is "{{refId}}"; the triggers of the flow "{{name}}" are {{refs}}', {
          ...about,
          refs: refs.join(', '),
        })
  return fieldErrors({ [field]: [problem] })
}
