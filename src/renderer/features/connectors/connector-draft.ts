/** The unsaved changes of a connector and its actions. */
import type { Action, ActionPatch, Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'

export interface Changes {
  readonly connector: ConnectorPatch
  /** Keyed by action ID. */
  readonly actions: Readonly<Record<string, ActionPatch>>
  /** Their IDs exist only on the page. */
  readonly added: readonly Action[]
  /** IDs of the actions that the next save deletes. */
  readonly removed: readonly string[]
}

export const NO_CHANGES: Changes = { connector: {}, actions: {}, added: [], removed: [] }

/** An action with its unsaved changes. */
export interface ShownAction extends Action {
  /** Undefined if the action has no unsaved changes. */
  readonly mark?: 'new' | 'changed'
}

export const isNew = (id: string) => id.startsWith(NEW)

export function shownConnector(saved: Connector, changes: Changes): Connector {
  return { ...saved, ...(changes.connector as Partial<Connector>) }
}

/** The saved actions in their order, followed by the new ones. */
export function shownActions(
  saved: readonly Action[],
  { actions, added, removed }: Changes,
): readonly ShownAction[] {
  const kept = saved.filter(({ id }) => !removed.includes(id))
  return [
    ...kept.map((action): ShownAction => {
      const patch = actions[action.id]
      if (patch === undefined || differing(patch, action).length === 0) return action
      return { ...action, ...(patch as Partial<Action>), mark: 'changed' }
    }),
    ...added.map((action): ShownAction => ({ ...action, mark: 'new' })),
  ]
}

export function isDirty(connector: Connector, actions: readonly Action[], changes: Changes): boolean {
  return (
    changes.added.length > 0 ||
    differing(changes.connector, connector).length > 0 ||
    actions.some(
      (action) =>
        changes.removed.includes(action.id) || differing(changes.actions[action.id] ?? {}, action).length > 0,
    )
  )
}

export function changeAction(changes: Changes, id: string, patch: ActionPatch): Changes {
  if (isNew(id)) {
    const added = changes.added.map((action) =>
      action.id === id ? { ...action, ...(patch as Partial<Action>) } : action,
    )
    return { ...changes, added }
  }
  return { ...changes, actions: { ...changes.actions, [id]: { ...changes.actions[id], ...patch } } }
}

export function addAction(changes: Changes, action: Action): Changes {
  return { ...changes, added: [...changes.added, action] }
}

export function removeAction(changes: Changes, id: string): Changes {
  return isNew(id)
    ? { ...changes, added: changes.added.filter((action) => action.id !== id) }
    : { ...changes, removed: [...changes.removed, id] }
}

export function restoreAction(changes: Changes, id: string): Changes {
  return { ...changes, removed: changes.removed.filter((one) => one !== id) }
}

export function newAction(connectorId: string): Action {
  return {
    id: newId(),
    connector_id: connectorId,
    name: '',
    title: '',
    status: 'active',
    method: 'GET',
    endpoint: '',
    query: {},
    headers: {},
    body: null,
    ui_form_schema: [],
    supports_automatic_pagination: false,
    short_description: '',
    tag: '',
    external_docs: '',
    created_at: '',
    updated_at: '',
  }
}

/** @param among names that are already used */
export function duplicateOf({ mark: _mark, ...action }: ShownAction, among: readonly string[]): Action {
  let number = 2
  while (among.includes(`${action.name}_${number}`)) number += 1
  return {
    ...action,
    id: newId(),
    name: `${action.name}_${number}`,
    title: action.title === '' ? '' : `${action.title} ${number}`,
  }
}

/** The fields that a request can set. */
export function writable({
  id: _id,
  created_at: _created,
  updated_at: _updated,
  mark: _mark,
  ...rest
}: ShownAction) {
  return rest
}

/** The changes without those that were saved. Edits made during the save stay. */
export function withoutSaved(
  changes: Changes,
  saved: Changes,
  ids: Readonly<Record<string, string>>,
): Changes {
  const actions = Object.entries(changes.actions).map(
    ([id, patch]) => [id, rest(patch, saved.actions[id] ?? {})] as const,
  )
  const created = changes.added.flatMap((action) => {
    const before = saved.added.find(({ id }) => id === action.id)
    const id = ids[action.id]
    if (before === undefined || id === undefined) return []
    return [[id, rest(writable(action), writable(before))] as const]
  })
  return {
    connector: rest(changes.connector, saved.connector),
    actions: Object.fromEntries(
      [...actions, ...created].filter(([, patch]) => Object.keys(patch).length > 0),
    ),
    added: changes.added.filter(({ id }) => ids[id] === undefined),
    removed: changes.removed.filter((id) => !saved.removed.includes(id)),
  }
}

/** The keys of `patch` whose values differ from those of `there`. */
export function differing(patch: object, there: object): string[] {
  const values = there as Readonly<Record<string, unknown>>
  return Object.entries(patch)
    .filter(([key, value]) => value !== values[key] && JSON.stringify(value) !== JSON.stringify(values[key]))
    .map(([key]) => key)
}

const NEW = 'new-'
let made = 0

/** Never reused, since the input of Try it is stored by action ID. */
function newId(): string {
  made += 1
  return `${NEW}${made}`
}

function rest<T extends object>(patch: T, saved: object): T {
  const keys = differing(patch, saved)
  return Object.fromEntries(Object.entries(patch).filter(([key]) => keys.includes(key))) as T
}
