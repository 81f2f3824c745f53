import { type Entity, isCovered, type Operation, OPERATIONS } from '../../../shared/contract/base/scopes.ts'

/**
 * The user and rights a request acts with. A session belongs to the page or the owner's command line and has all
 * permissions.
 */
export interface Caller {
  readonly kind: 'session' | 'token'
  readonly userId: string
  readonly scopes: readonly string[]
  readonly tokenId: string | null
  /** The only flows and connector auths it reaches; all if absent. */
  readonly flowIds?: ReadonlySet<string>
  readonly authIds?: ReadonlySet<string>
  /** Unix time in milliseconds at which its rights end; absent if they never end. */
  readonly endsAt?: number
  /** Set if the caller is a browser that signed in from elsewhere. */
  readonly pageSessionId?: string
  /** Whose session it is; absent for tokens. */
  readonly by?: 'app' | 'command'
}

/** The most that a token with chosen flows can do, because everything else also affects other flows. */
const WITH_CHOSEN_FLOWS: { readonly [E in Entity]?: readonly Operation[] } = {
  flows: OPERATIONS,
  flow_runs: OPERATIONS,
  webhooks: OPERATIONS,
  connector_auths: OPERATIONS,
  connectors: ['create', 'read'],
}

/** Whether the caller can perform this operation on this kind of record. A session can do everything. */
export function may({ kind, scopes, flowIds }: Caller, entity: Entity, operation: Operation): boolean {
  if (kind === 'session') return true
  if (flowIds !== undefined && WITH_CHOSEN_FLOWS[entity]?.includes(operation) !== true) return false
  return isCovered(scopes, entity, operation)
}

/** The flows and connector auths that a caller reaches; an absent set means all. */
export interface Reach {
  readonly flowIds?: ReadonlySet<string> | undefined
  readonly authIds?: ReadonlySet<string> | undefined
}

export const reachesFlow = ({ flowIds }: Reach, id: unknown): boolean =>
  flowIds === undefined || (typeof id === 'string' && flowIds.has(id))

export const reachesAuth = ({ authIds }: Reach, id: string): boolean =>
  authIds === undefined || authIds.has(id)

/** The filters of a list of flows, runs or webhook requests, and one that limits it to the caller's flows. */
export function ofReachedFlows<Q extends { readonly filter?: string[] | undefined }>(
  { flowIds }: Reach,
  query: Q,
  field: 'id' | 'flow_id' = 'flow_id',
): Q {
  if (flowIds === undefined) return query
  return { ...query, filter: [...(query.filter ?? []), `${field},in,${JSON.stringify([...flowIds])}`] }
}
