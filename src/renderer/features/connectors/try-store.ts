import { createStore } from 'zustand/vanilla'
import { tryConnectorRoute } from '../../../shared/contract/action-tries.ts'
import type { ActionTry } from '../../../shared/contract/action-tries.ts'
import type { Action } from '../../../shared/contract/connectors.ts'
import {
  createFlowRoute,
  readWorkingCopyRoute,
  updateWorkingCopyRoute,
} from '../../../shared/contract/flows.ts'
import type { RouteRequest } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'

export type TryBody = NonNullable<RouteRequest<typeof tryConnectorRoute>['body']>

/** The values entered for one action, kept while others are viewed. */
export interface TryDraft {
  readonly authId: string
  readonly input: Readonly<Record<string, unknown>>
  readonly maxPages: number
}

interface TryState {
  /** Keyed by action. */
  readonly drafts: Readonly<Record<string, TryDraft | undefined>>
  readonly drafted: (actionId: string, draft: TryDraft) => void
  /** Moves the input of a new action to the ID it got when it was saved. */
  readonly renamed: (from: string, to: string) => void
  readonly run: (connectorId: string, body: TryBody, signal: AbortSignal) => Promise<ActionTry>
  /** Adds the call as the last step of a flow's draft, or of a new flow. Returns the flow's URL. */
  readonly addToFlow: (
    flow: { readonly id: string } | { readonly name: string },
    action: Action,
    draft: TryDraft,
  ) => Promise<{ readonly flowId: string; readonly refId: string }>
}

type UsedApi = Pick<Api, 'call'>

export function createTryStore(api: UsedApi) {
  return createStore<TryState>()((set) => ({
    drafts: {},
    drafted: (actionId, draft) => set(({ drafts }) => ({ drafts: { ...drafts, [actionId]: draft } })),
    run: (id, body, signal) => api.call(tryConnectorRoute, { params: { id }, body }, signal),
    renamed: (from, to) =>
      set(({ drafts: { [from]: draft, ...drafts } }) => ({ drafts: { ...drafts, [to]: draft } })),
    async addToFlow(to, action, draft) {
      if ('name' in to) {
        const step = stepOf(action, draft, freeRefId(action.name, []))
        const flow = await api.call(createFlowRoute, { body: { name: to.name, steps: [step] } })
        return { flowId: flow.id, refId: step.ref_id }
      }
      const { id: flowId } = to
      const { steps } = await api.call(readWorkingCopyRoute, { params: { id: flowId } })
      const step = stepOf(action, draft, freeRefId(action.name, steps))
      const body = { steps: [...steps, step] }
      await api.call(updateWorkingCopyRoute, { params: { id: flowId }, body })
      return { flowId, refId: step.ref_id }
    },
  }))
}

export const useTry = createStoreHook(createTryStore)

function stepOf({ connector_id, name, title }: Action, { authId, input }: TryDraft, refId: string) {
  const config = { connector_id, action: name, auth_id: authId === '' ? null : authId, input }
  return { ref_id: refId, type: 'connector_action', title, config }
}

/** A name for a new step that no other step has: `list_orders`, `list_orders_2`. */
export function freeRefId(wanted: string, steps: unknown): string {
  const taken = new Set<string>()
  collect(steps, taken)
  const base = /^[A-Za-z_][A-Za-z0-9_]*$/.test(wanted) ? wanted : 'step'
  if (!taken.has(base)) return base
  for (let number = 2; ; number += 1) if (!taken.has(`${base}_${number}`)) return `${base}_${number}`
}

/** Collects anything called `ref_id`, at any depth. Too many names do no harm. */
function collect(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, one] of Object.entries(value)) {
    if (key === 'ref_id' && typeof one === 'string') into.add(one)
    else collect(one, into)
  }
}
