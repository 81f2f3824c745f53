/** The built-in connectors: read from files, and kept in the database so that auths can belong to them. */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { action, connector, type Action, type Connector } from '../../../../shared/contract/connectors.ts'
import { pluginOfConnector } from '../../../../shared/contract/plugins/manifest.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { ACTION_DEFAULTS } from './actions.ts'
import { CONNECTOR_DEFAULTS } from './connectors.ts'
import { sentKeys } from '../../kit/patch.ts'

const catalogueFile = z.strictObject({
  connector: connector
    .omit({ built_in: true, created_at: true, updated_at: true })
    .partial()
    .required({ id: true, name: true }),
  actions: z.array(
    action
      .omit({ connector_id: true, created_at: true, updated_at: true })
      .partial()
      .required({ id: true, name: true, method: true, endpoint: true }),
  ),
})

export interface CatalogueOptions {
  readonly store: Pick<Store, 'connectors' | 'actions' | 'catalogueState' | 'writeNow'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Updates the database from the files. A connector that is no longer included stays as the user's own, because flows
 * can use it.
 *
 * Unchanged files are skipped, because this runs at every start.
 *
 * @param files contents of `resources/connectors/*.json`
 * @returns ids of existing connectors that have changed
 */
export function syncCatalogue(
  files: readonly unknown[],
  { store, clock }: CatalogueOptions,
): ReadonlySet<string> {
  const fingerprint = fingerprintOf(files)
  if (store.catalogueState.fingerprint() === fingerprint) return new Set()
  const entries = files.map((file) => parseInput(catalogueFile, file, 'catalogue'))
  const now = new Date(clock.now()).toISOString()
  return store.writeNow(() => {
    const renewed = putBuiltIn(entries, store, now)
    const known = new Set(entries.map((entry) => entry.connector.id))
    for (const found of builtInConnectors(store))
      if (!known.has(found.id)) store.connectors.update({ ...found, built_in: false })
    store.catalogueState.setFingerprint(fingerprint)
    return renewed
  })
}

/** Leaves out connectors of plug-ins, which stay as they are. */
function builtInConnectors(store: Pick<Store, 'connectors'>): readonly Connector[] {
  const { records } = store.connectors.list({
    filters: [{ field: 'built_in', operator: 'eq', value: true }],
  })
  return records.filter(({ id }) => pluginOfConnector(id) === null)
}

/**
 * Writes built-in connectors with their actions, in the caller's transaction.
 *
 * @returns ids of existing connectors that may have changed
 */
export function putBuiltIn(
  entries: readonly z.output<typeof catalogueFile>[],
  store: Pick<Store, 'connectors' | 'actions'>,
  now: string,
): ReadonlySet<string> {
  const renewed = new Set<string>()
  for (const entry of entries) {
    const built = { ...CONNECTOR_DEFAULTS, ...sentKeys(entry.connector), built_in: true }
    putConnector(built as Omit<Connector, 'created_at' | 'updated_at'>)
    putActions(entry)
  }
  return renewed

  function putConnector(content: Omit<Connector, 'created_at' | 'updated_at'>): void {
    const before = store.connectors.get(content.id)
    if (before === null) store.connectors.insert({ ...content, created_at: now, updated_at: now })
    else {
      renewed.add(content.id)
      if (!isSame(before, content)) store.connectors.update({ ...before, ...content, updated_at: now })
    }
  }

  function putActions(entry: z.output<typeof catalogueFile>): void {
    const connectorId = entry.connector.id
    const before = new Map(store.actions.ofConnector(connectorId).map((found) => [found.id, found]))
    for (const listed of entry.actions) {
      const content = { ...ACTION_DEFAULTS, ...sentKeys(listed), connector_id: connectorId } as Omit<
        Action,
        'created_at' | 'updated_at'
      >
      const found = before.get(content.id)
      before.delete(content.id)
      if (found === undefined) store.actions.insert({ ...content, created_at: now, updated_at: now })
      else if (!isSame(found, content)) store.actions.update({ ...found, ...content, updated_at: now })
    }
    for (const id of before.keys()) store.actions.delete(id)
  }
}

/** Includes the defaults, because they fill in what a file leaves out. */
function fingerprintOf(files: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([CONNECTOR_DEFAULTS, ACTION_DEFAULTS, files]))
}

/** Whether only the times differ. Objects from the database have no prototype, which must not count. */
function isSame(before: Connector | Action, content: object): boolean {
  return isDeepStrictEqual(plain({ ...before, ...content }), plain(before))
}

const plain = (value: object) => JSON.parse(JSON.stringify(value)) as unknown
