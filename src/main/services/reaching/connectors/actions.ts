/** Connector actions: the calls of a connector. Those of built-in connectors can't be changed. */
import { say, spoken } from '../../../../shared/contract/base/message.ts'
import type { UnsavedAction } from '../../../../shared/contract/action-drafts.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import type { Action, ActionPatch } from '../../../../shared/contract/connectors.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Saved, SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import { placeholdersOfAction } from '../../../engine/flow/definition/problem.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { Reentry } from '../../keeping/env/env-variables.ts'
import type { Caller } from '../../kit/caller.ts'
import type { OriginGuard } from '../../kit/origin-guard.ts'
import { requireEnvRead } from '../../keeping/saving/require-env-read.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { type RecordPage, toPage } from '../../kit/pages.ts'
import { sentKeys, withWarnings } from '../../kit/patch.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { type FlowsUsing, listNames } from '../../keeping/saving/flows-using.ts'
import { pagingWarnings } from '../../keeping/saving/pagination-config.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import { requireOwn } from './connectors.ts'

type Required = 'connector_id' | 'name' | 'method' | 'endpoint'
export type NewAction = ActionPatch & Pick<Action, Required>

export interface ActionsOptions {
  readonly store: Pick<Store, 'connectors' | 'actions' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly flowsUsing: FlowsUsing
  readonly origins: OriginGuard
  readonly env: Pick<Env, 'secretNames'>
}

/** Defaults of an action's optional fields. */
export const ACTION_DEFAULTS: Omit<Action, Required | 'id' | 'created_at' | 'updated_at'> = {
  title: '',
  status: 'active',
  query: {},
  headers: {},
  body: null,
  ui_form_schema: [],
  supports_automatic_pagination: false,
  short_description: '',
  tag: '',
  external_docs: '',
}

/** An action that doesn't have to be stored, as it is called. */
export function asAction(
  connectorId: string,
  { name = '', method, endpoint, ...others }: UnsavedAction,
): Action {
  return {
    ...ACTION_DEFAULTS,
    ...sentKeys(others),
    id: '',
    connector_id: connectorId,
    name,
    method,
    endpoint,
    created_at: '',
    updated_at: '',
  }
}

export function createActionsService({
  store,
  clock,
  random,
  events,
  flowsUsing,
  origins,
  env,
}: ActionsOptions) {
  const now = () => new Date(clock.now()).toISOString()

  /** @throws AppError `not_found` */
  function read(id: string): Action {
    const action = store.actions.get(id)
    if (action === null)
      throw new AppError('not_found', say('There is no action "{{id}}"', { id: id.slice(0, 60) }))
    return action
  }

  function requireChangeable(connectorId: string): void {
    const connector = store.connectors.get(connectorId)
    if (connector === null) {
      throw fieldErrors({
        connector_id: [say('isn\'t the ID of a connector: "{{id}}"', { id: connectorId.slice(0, 60) })],
      })
    }
    requireOwn(connector)
  }

  function requireFreeName({ id, connector_id: connectorId, name }: Action): void {
    const other = store.actions.find(connectorId, name)
    if (other === null || other.id === id) return
    throw new AppError(
      'conflict',
      say('The connector already has an action "{{name}}"; choose another name', { name }),
    )
  }

  /** Flows refer to an action by its name, so renaming it breaks them just like deleting it. */
  function requireUnused({ connector_id: connectorId, name }: Action, what: 'deleted' | 'renamed'): void {
    const flows = flowsUsing({ connectorId, action: name })
    if (flows.length === 0) return
    const values = { name, flows: listNames(flows) }
    throw new AppError(
      'conflict',
      what === 'deleted'
        ? say(
            'The action "{{name}}" can\'t be deleted: the flows {{flows}} use it; change them first',
            values,
          )
        : say(
            'The action "{{name}}" can\'t be renamed: the flows {{flows}} use it; change them first',
            values,
          ),
    )
  }

  function requireReadable(caller: Caller, action: Action): void {
    const connector = store.connectors.get(action.connector_id)
    if (connector !== null) requireEnvRead(caller, env.secretNames(), { connector, actions: [action] })
  }

  const warningsOf = (action: Action) => [
    ...pagingWarnings(action, store.connectors.get(action.connector_id)),
    ...placeholderWarnings(action),
  ]

  return {
    list(query: ListQuery): RecordPage<Action> {
      const request = parseListQuery(query)
      return toPage(store.actions.list(request), request)
    },
    read,
    async create(
      caller: Caller,
      body: NewAction,
      { reentry }: Reentry = { reentry: false },
    ): Promise<Saved<Action>> {
      requireSoundAction(body)
      const at = now()
      const action: Action = {
        ...ACTION_DEFAULTS,
        ...sentKeys(body),
        connector_id: body.connector_id,
        name: body.name,
        method: body.method,
        endpoint: body.endpoint,
        id: random.uuid(),
        created_at: at,
        updated_at: at,
      }
      const { warnings } = await origins.write({ caller, reentry, field: 'endpoint' }, () => {
        requireChangeable(action.connector_id)
        requireFreeName(action)
        store.actions.insert(action)
        requireReadable(caller, action)
      })
      events.emit({
        type: 'created',
        noun: 'connector_action',
        id: action.id,
        connector_id: action.connector_id,
      })
      return withWarnings(action, [...warnings, ...warningsOf(action)])
    },
    /** Absent keys stay unchanged. */
    async update(
      caller: Caller,
      id: string,
      patch: ActionPatch,
      { reentry }: Reentry = { reentry: false },
    ): Promise<Saved<Action>> {
      requireSoundAction(patch)
      const { result: action, warnings } = await origins.write({ caller, reentry, field: 'endpoint' }, () => {
        const before = read(id)
        if (patch.connector_id !== undefined && patch.connector_id !== before.connector_id) {
          throw fieldErrors({
            connector_id: [say("can't be changed; create the action in the other connector")],
          })
        }
        requireChangeable(before.connector_id)
        const after: Action = { ...before, ...sentKeys(patch), updated_at: now() }
        requireFreeName(after)
        if (after.name !== before.name) requireUnused(before, 'renamed')
        store.actions.update(after)
        requireReadable(caller, after)
        return after
      })
      events.emit({ type: 'updated', noun: 'connector_action', id, connector_id: action.connector_id })
      return withWarnings(action, [...warnings, ...warningsOf(action)])
    },
    /** Rejected while a flow uses it. */
    async remove(id: string): Promise<void> {
      const action = await store.write(() => {
        const found = read(id)
        requireChangeable(found.connector_id)
        requireUnused(found, 'deleted')
        store.actions.delete(id)
        return found
      })
      events.emit({ type: 'deleted', noun: 'connector_action', id, connector_id: action.connector_id })
    },
  }
}

/** @param prefix goes before the field names, if the action is part of a larger request */
export function requireSoundAction({ endpoint, query, headers, body }: ActionPatch, prefix = ''): void {
  const fields = Object.entries({ endpoint, query, headers, body })
  requireTemplates(Object.fromEntries(fields.map(([name, value]) => [`${prefix}${name}`, value])))
}

/** Warns about a part that an import couldn't translate until somebody replaces it. */
function placeholderWarnings(action: Action): SaveWarning[] {
  return placeholdersOfAction(action).map(([field, said]) => ({
    severity: 'warning',
    code: 'not_imported',
    ...spoken(said),
    field,
    line: null,
    column: null,
  }))
}
