/**
 * Tokens for chosen flows and connector auths. For such a token, nothing else exists; the services filter its lists.
 */
import { keptBy } from '../../../../shared/contract/base/conventions.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type { Route, StreamRoute } from '../../../../shared/contract/base/route.ts'
import type { Store } from '../../../store/index.ts'
import { type Caller, type Reach, reachesAuth, reachesFlow } from '../../kit/caller.ts'
import { flowNotFound, runNotFound } from '../../kit/not-found.ts'

export interface ChosenRecordsOptions {
  readonly store: Pick<Store, 'flows' | 'flowRuns' | 'webhookRequests'>
}

export type ChosenRecords = ReturnType<typeof createChosenRecords>

export function createChosenRecords({ store }: ChosenRecordsOptions) {
  const requireNamed = createRequireNamed(store)

  /** @throws AppError `not_found` */
  function requireFlow(caller: Reach, id: string): void {
    if (!reachesFlow(caller, id)) throw flowNotFound(id)
  }

  /** @throws AppError `not_found` */
  function requireRun(caller: Reach, id: string): void {
    if (caller.flowIds !== undefined && !reachesFlow(caller, store.flowRuns.get(id)?.flow_id))
      throw runNotFound(id)
  }

  /** @throws AppError `not_found` */
  function requireRequest(caller: Reach, id: string): void {
    if (caller.flowIds === undefined) return
    const filters = [{ field: 'id', operator: 'eq', value: id }] as const
    const [request] = store.webhookRequests.list({ filters, perPage: 1 }).records
    if (!reachesFlow(caller, request?.flow_id))
      throw new AppError(
        'not_found',
        say('There is no webhook request {{id}} in the history', { id: id.slice(0, 60) }),
      )
  }

  /** @throws AppError `forbidden` if the flow uses other auths, because whoever changes or runs it would use them */
  function requireAuthsOf(caller: Reach, flowId: string | undefined, version?: number): void {
    const flow = caller.authIds === undefined || flowId === undefined ? null : store.flows.get(flowId)
    if (flow === null) return
    const earlier = version === undefined ? null : store.flows.version(flow.id, version)
    const named = [flow.steps, flow.settings, store.flows.workingCopy(flow.id)?.steps, earlier?.steps]
    try {
      requireNamed({ authIds: caller.authIds }, named)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError(
        'forbidden',
        say('The flow "{{name}}" uses connector auths that this token doesn\'t reach', { name: flow.name }),
        { cause: error },
      )
    }
  }

  /**
   * Call it before a caller changes or runs a flow, or anything that belongs to it.
   *
   * @throws AppError `not_found`, `forbidden`
   */
  function requireUse(caller: Reach, flowId: string, version?: number): void {
    requireFlow(caller, flowId)
    requireAuthsOf(caller, flowId, version)
  }

  return {
    requireFlow,
    requireRun,
    requireRequest,
    requireUse,
    requireNamed,
    /**
     * Checks the records that the path of a route names.
     *
     * @throws AppError `not_found`, `forbidden`
     */
    requireRoute(route: Route | StreamRoute, caller: Caller, params: unknown): void {
      if (caller.flowIds === undefined && caller.authIds === undefined) return
      const { id = '' } = (params ?? {}) as { readonly id?: string }
      const { access } = route
      const reads = typeof access === 'object' && access.operation === 'read'
      switch (keptBy(route)) {
        case 'flow':
          return reads ? requireFlow(caller, id) : requireUse(caller, id)
        case 'run': {
          requireRun(caller, id)
          const run = reads ? null : store.flowRuns.get(id)
          return requireAuthsOf(caller, run?.flow_id, run?.flow_version)
        }
        case 'webhook_request':
          return requireRequest(caller, id)
        case 'auth':
          if (!reachesAuth(caller, id)) throw authNotFound(id)
          return
        case 'closed':
          if (caller.flowIds === undefined && !isSettingsChange(access)) return
          throw closedToChosen()
        default:
      }
    },
  }
}

/** The alarms in the settings can refer to an auth. */
const isSettingsChange = (access: Route['access']) =>
  typeof access === 'object' && access.entity === 'settings' && access.operation === 'update'

export const authNotFound = (id: string) =>
  new AppError('not_found', say('There is no connector auth "{{id}}"', { id: id.slice(0, 60) }))

export const closedToChosen = () =>
  new AppError(
    'forbidden',
    say('This token is for chosen flows or connector auths only; use one without this limit'),
  )

/** The records that an object in a flow refers to; the object is the config of a step, or settings. */
interface References {
  readonly auths: readonly (readonly [field: string, id: string])[]
  readonly flows: readonly (readonly [field: string, id: string])[]
}

const AUTH_FIELDS = ['auth_id', 'dynamic_auth_id']
const FLOW_FIELDS = ['flow_id', 'error_handling_flow_id']

/** Objects can be maps. */
const plain = (value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value)

/** Steps can be incomplete. Values inside a config are data, not references. */
function* referencesIn(sent: unknown): Generator<References> {
  const value = plain(sent)
  if (typeof value !== 'object' || value === null) return
  const { type, config, ...rest } = value as Readonly<Record<string, unknown>>
  const namedIn = (owner: object, fields: readonly string[]) =>
    Object.entries(owner).flatMap(([field, id]): [string, string][] =>
      fields.includes(field) && typeof id === 'string' && id.trim() !== '' ? [[field, id.trim()]] : [],
    )
  if (!Array.isArray(value)) {
    const settings = type === undefined ? rest : {}
    const own = plain(config) ?? {}
    yield {
      auths: [...namedIn(settings, AUTH_FIELDS), ...namedIn(own, AUTH_FIELDS)],
      flows: [...namedIn(settings, FLOW_FIELDS), ...(type === 'run_flow' ? namedIn(own, FLOW_FIELDS) : [])],
    }
  }
  for (const item of Object.values(rest)) yield* referencesIn(item)
}

/**
 * Whether steps, or anything that contains steps and settings, only refer to the auths and flows that the caller
 * reaches. A template can return any ID, so it is treated like an ID that the caller doesn't reach. The auths of a flow
 * that a step runs are checked too.
 */
function createRequireNamed(store: Pick<Store, 'flows'>) {
  /** @throws AppError `validation` naming the field */
  return function requireNamed(caller: Reach, value: unknown, seen = new Set<string>()): void {
    if (caller.flowIds === undefined && caller.authIds === undefined) return
    for (const { auths, flows } of referencesIn(value)) {
      for (const [field, id] of auths)
        if (!reachesAuth(caller, id))
          throw fieldErrors({
            [field]: [
              say('isn\'t a connector auth that this token reaches: "{{id}}"', { id: id.slice(0, 60) }),
            ],
          })
      for (const [field, id] of flows) {
        const flow = store.flows.get(id)
        if (!reachesFlow(caller, id) || (flow === null && id.includes('{')))
          throw fieldErrors({
            [field]: [say('isn\'t a flow that this token reaches: "{{id}}"', { id: id.slice(0, 60) })],
          })
        if (flow === null || seen.has(id)) continue
        seen.add(id)
        requireNamed({ authIds: caller.authIds }, [flow.steps, flow.settings], seen)
      }
    }
  }
}
