/** The reach of a flow, with the names of the records that its steps refer to. */
import { type FlowReach, REACH_KINDS } from '../../../../shared/contract/reach/flow-reach.ts'
import { type Step, step as stepShape } from '../../../../shared/contract/steps.ts'
import {
  type KnownRecords,
  outsideReach,
  type Reached,
} from '../../../engine/flow/definition/outside-reach.ts'
import type { FindPlugin } from '../../../engine/flow/model/compiled-step.ts'
import type { Store } from '../../../store/index.ts'
import { type Caller, may, reachesAuth, reachesFlow } from '../../kit/caller.ts'
import { flowNotFound } from '../../kit/not-found.ts'

export interface FlowReachOptions {
  readonly store: Pick<Store, 'flows' | 'connectors' | 'connectorAuths'>
  readonly findPlugin: FindPlugin
}

export function createFlowReach({ store, findPlugin }: FlowReachOptions) {
  function knownTo(caller: Caller): KnownRecords {
    return {
      basesOf(connectorId, authId) {
        const base = store.connectors.get(connectorId)?.base_domain ?? ''
        const own = authId === null ? '' : (authOf(caller, authId)?.api_endpoint ?? '')
        return [own, own === '' ? base : ''].filter((url) => url !== '')
      },
      pluginMay(name) {
        const { origins = [], files = 'none' } = findPlugin(name)?.manifest?.permissions ?? {}
        return { origins, files: files !== 'none' }
      },
    }
  }

  function authOf(caller: Caller, id: string) {
    if (!may(caller, 'connector_auths', 'read') || !reachesAuth(caller, id)) return null
    return store.connectorAuths.get(id, caller.userId)
  }

  function nameOf(caller: Caller, { kind, value }: Reached): string | null {
    if (value === null) return null
    if (kind === 'connector') return store.connectors.get(value)?.name ?? value
    if (kind === 'auth') return authOf(caller, value)?.name ?? value
    if (kind === 'flow' && reachesFlow(caller, value)) return store.flows.get(value)?.name ?? value
    return value
  }

  return {
    /**
     * The reach of the unsaved changes, or else of the saved steps, sorted by kind and name.
     *
     * @throws AppError `not_found`
     */
    read(caller: Caller, flowId: string): FlowReach[] {
      const flow = store.flows.get(flowId)
      if (flow === null) throw flowNotFound(flowId)
      const known = knownTo(caller)
      const saved = new Set(outsideReach(flow.steps, known).map(keyOf))
      const copy = store.flows.workingCopy(flowId)
      const draft = copy === null ? flow.steps : readableSteps(copy.steps)
      return [...Map.groupBy(outsideReach(draft, known), keyOf)]
        .map(([key, [first, ...more]]): FlowReach => {
          const { kind, value } = first as Reached
          return {
            kind,
            name: nameOf(caller, first as Reached),
            id: HAVE_IDS.has(kind) ? value : null,
            steps: [...new Set([first as Reached, ...more].map(({ refId }) => refId))],
            is_new: !saved.has(key),
          }
        })
        .toSorted(
          (a, b) =>
            REACH_KINDS.indexOf(a.kind) - REACH_KINDS.indexOf(b.kind) ||
            (a.name ?? '').localeCompare(b.name ?? ''),
        )
    },
  }
}

const HAVE_IDS: ReadonlySet<string> = new Set(['connector', 'auth', 'flow'])

const keyOf = ({ kind, value }: Reached) => `${kind} ${value ?? '{{}}'}`

/** The editor's steps can be incomplete; something that isn't a step reaches nothing. */
function readableSteps(sources: readonly unknown[]): Step[] {
  return sources.flatMap((source) => {
    const result = stepShape.safeParse(source)
    return result.success ? [result.data] : []
  })
}
