import { quoted, say, type Said } from '../../../../shared/contract/base/message.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import type { Store } from '../../../store/index.ts'

/** A record that a step may refer to: a connector, one of its actions, or an auth. */
export type FlowReference =
  | { readonly connectorId: string; readonly action?: string }
  | { readonly authId: string }

/** Finds flows whose newest version refers to something. */
export type FlowsUsing = (
  reference: FlowReference,
) => readonly { readonly id: string; readonly name: string }[]

export function createFlowsUsing(store: Pick<Store, 'flows'>): FlowsUsing {
  return (reference) => {
    if ('authId' in reference) return store.flows.naming(reference.authId)
    const { connectorId, action } = reference
    const flows = store.flows.naming(connectorId)
    if (action === undefined) return flows
    return flows.filter(({ id }) =>
      store.flows.get(id)?.steps.some((step) => calls(step, connectorId, action)),
    )
  }
}

function calls(step: Step, connectorId: string, action: string): boolean {
  const { config } = step
  if (config['connector_id'] === connectorId && config['action'] === action) return true
  return stepsIn(step).some((child) => calls(child, connectorId, action))
}

const NAMED = 5

/** `"Receive an order" and "Nightly sync"`; a long list is cut to the first few names and the number of the others. */
export function listNames(records: readonly { readonly name: string }[]): Said {
  const names = records.slice(0, NAMED).map(({ name }) => `"${name}"`)
  const more = records.length - names.length
  if (more > 0) return say('{{names}} and {{more}} more', { names: names.join(', '), more })
  const last = names.pop() ?? ''
  return names.length === 0 ? quoted(last) : say('{{names}} and {{last}}', { names: names.join(', '), last })
}
