/** Saves a connector with its actions in several requests, ordered so that the connector works even if one is refused. */
import { quoted } from '../../../shared/contract/base/message.ts'
import { ERROR_STATUS, fieldErrors } from '../../../shared/contract/base/errors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import {
  connectorPatch,
  createActionRoute,
  deleteActionRoute,
  updateActionRoute,
  updateConnectorRoute,
} from '../../../shared/contract/connectors.ts'
import type { Action, Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError, refusalOf } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import {
  type Changes,
  differing,
  NO_CHANGES,
  type ShownAction,
  shownActions,
  writable,
} from './connector-draft.ts'

export interface Refusal {
  /** Null if the connector itself was refused. */
  readonly actionId: string | null
  readonly error: AppError
}

export interface SaveOutcome {
  readonly saved: Changes
  readonly refusals: readonly Refusal[]
  /** The IDs of the created actions, by the IDs they had on the page. */
  readonly ids: Readonly<Record<string, string>>
  readonly warnings: readonly SaveWarning[]
}

/** Auths that would then point to another origin need their secrets again; a warning after saving says so. */
const REENTRY = { reentry: 'true' } as const

/**
 * Everything is checked against the contract before anything is sent. The connector is saved first, since its actions
 * depend on it; if it is refused, nothing else is sent. If an action is refused, the other actions are still saved.
 * Deletions come last, and only if nothing was refused, because the connector may name a deleted action until then.
 */
export async function saveChanges(
  api: Pick<Api, 'call'>,
  connector: Connector,
  actions: readonly Action[],
  changes: Changes,
): Promise<SaveOutcome> {
  const shown = shownActions(actions, changes)
  const wrong = faultsOf(changes, shown)
  if (wrong.length > 0) return { saved: NO_CHANGES, refusals: wrong, ids: {}, warnings: [] }

  let saved = NO_CHANGES
  const ids: Record<string, string> = {}
  const refusals: Refusal[] = []
  const warnings: SaveWarning[] = []
  /** Null if the request was refused. */
  async function send<T>(actionId: string | null, request: () => Promise<T>): Promise<T | null> {
    // If the server fails, more requests would only fail as well.
    if (refusals.some(({ error }) => error.status >= ERROR_STATUS.internal)) return null
    try {
      const answer = await request()
      const { warnings: own = [] } = (answer ?? {}) as { readonly warnings?: readonly SaveWarning[] }
      const name = shown.find(({ id }) => id === actionId)?.name
      warnings.push(
        ...own.map((one) => (name === undefined ? one : { ...one, field: `${name} · ${one.field}` })),
      )
      return answer
    } catch (error) {
      refusals.push({ actionId, error: asAppError(error) })
      return null
    }
  }
  async function sendConnector(body: ConnectorPatch): Promise<void> {
    if (Object.keys(body).length === 0) return
    const { id } = connector
    const answer = await send(null, () =>
      api.call(updateConnectorRoute, { params: { id }, query: REENTRY, body }),
    )
    if (answer !== null) saved = { ...saved, connector: { ...saved.connector, ...body } }
  }
  async function remove(id: string): Promise<void> {
    const answer = await send(id, () => api.call(deleteActionRoute, { params: { id } }))
    if (answer !== null) saved = { ...saved, removed: [...saved.removed, id] }
  }

  const patch = pick(changes.connector, differing(changes.connector, connector))
  const { test_action: testAction, ...others } = patch
  // The test action may be new or renamed, so it is saved after the actions.
  const isLate = typeof testAction === 'string' && !actions.some(({ name }) => name === testAction)
  await sendConnector(isLate ? others : patch)
  if (refusals.length > 0) return { saved, refusals, ids, warnings }

  const removed = actions.filter(({ id }) => changes.removed.includes(id))
  const inTheWay = removed.filter(({ name }) => shown.some((action) => action.name === name))
  for (const { id } of inTheWay) await remove(id)
  for (const action of actions) {
    const change = changes.actions[action.id]
    if (change === undefined || changes.removed.includes(action.id)) continue
    const body = pick(change, differing(change, action))
    if (Object.keys(body).length === 0) continue
    const { id } = action
    const answer = await send(id, () => api.call(updateActionRoute, { params: { id }, query: REENTRY, body }))
    if (answer !== null) saved = { ...saved, actions: { ...saved.actions, [id]: body } }
  }
  for (const action of changes.added) {
    const answer = await send(action.id, () =>
      api.call(createActionRoute, { query: REENTRY, body: writable(action) }),
    )
    if (answer === null) continue
    ids[action.id] = answer.id
    saved = { ...saved, added: [...saved.added, action] }
  }
  if (refusals.length > 0) return { saved, refusals, ids, warnings }
  if (isLate) await sendConnector({ test_action: testAction })
  for (const { id } of removed) if (!inTheWay.some((one) => one.id === id)) await remove(id)
  return { saved, refusals, ids, warnings }
}

/** Problems that are found without a request. */
function faultsOf(changes: Changes, shown: readonly ShownAction[]): readonly Refusal[] {
  const connector = refusalOf(() => parseInput(connectorPatch, changes.connector))
  const own = shown.flatMap((action): Refusal[] => {
    if (action.mark === undefined) return []
    const error =
      refusalOf(() => parseInput(createActionRoute.body, writable(action))) ??
      (shown.some(({ id, name }) => id !== action.id && name === action.name)
        ? fieldErrors({
            name: [
              quoted(t('Another action of this connector already has this name. Choose a different one.')),
            ],
          })
        : null)
    return error === null ? [] : [{ actionId: action.id, error }]
  })
  return [...(connector === null ? [] : [{ actionId: null, error: connector }]), ...own]
}

function pick<T extends object>(patch: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => keys.includes(key))) as T
}
