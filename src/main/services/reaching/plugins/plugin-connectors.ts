/** Connectors of plug-ins, which count as built-in while the plug-in is installed. */
import { hash } from 'node:crypto'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { connectorFile, type ConnectorFile } from '../../../../shared/contract/connector-imports.ts'
import { connectorIdOf, type PluginManifest } from '../../../../shared/contract/plugins/manifest.ts'
import type { Store } from '../../../store/index.ts'
import { secretEnvOf } from '../../keeping/saving/require-env-read.ts'
import { requireSoundAction } from '../connectors/actions.ts'
import { putBuiltIn } from '../connectors/catalogue.ts'
import { requireSoundConnector } from '../connectors/connectors.ts'
import type { PluginFiles } from './plugin-files.ts'

export interface PluginConnector extends Omit<ConnectorFile, 'format' | 'version'> {
  readonly id: string
}

/** @throws AppError saying which file can't be used, and why */
export function readPluginConnectors(
  { name: plugin, connectors }: PluginManifest,
  files: PluginFiles,
): readonly PluginConnector[] {
  return connectors.map((name) => {
    const path = `connectors/${name}.json`
    try {
      const { connector, actions } = parseInput(connectorFile, contentOf(path, files), '')
      requireSoundConnector(connector)
      for (const [at, action] of actions.entries()) requireSoundAction(action, `actions[${at}].`)
      return { id: connectorIdOf(plugin, name), connector, actions }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError('validation', say('{{path}}: {{rest}}', { path, rest: sentenceOf(error) }), {
        cause: error,
      })
    }
  })
}

function contentOf(path: string, files: PluginFiles): unknown {
  const text = files.get(path)?.toString()
  if (text === undefined) throw new AppError('not_found', say('the file is missing'))
  try {
    return JSON.parse(text)
  } catch {
    throw fieldErrors({ '': [say("isn't JSON")] })
  }
}

/**
 * Rejects connectors that read secret env variables, because their author decides who receives them.
 *
 * @throws AppError `conflict`
 */
export function requireNoSecrets(
  connectors: readonly PluginConnector[],
  secretNames: readonly string[],
): void {
  for (const { connector, actions } of connectors) {
    const name = secretEnvOf(secretNames, connector, actions)
    if (name === null) continue
    throw new AppError(
      'conflict',
      say(
        'The connector "{{connector}}" reads the secret variable "{{name}}", which plug-in connectors can\'t do',
        {
          connector: connector.name,
          name,
        },
      ),
    )
  }
}

type ConnectorStore = Pick<Store, 'connectors' | 'actions' | 'connectorAuths'>

/**
 * Writes the connectors of a plug-in, in a transaction, and returns the ids of all that may have changed. Deletes those
 * that it had earlier but no longer has, except connectors with auths: these stay as the user's own, without actions.
 * Their steps fail, and they can be deleted after the auths.
 */
export function putPluginConnectors(
  plugin: string,
  connectors: readonly PluginConnector[],
  store: ConnectorStore,
  now: string,
): readonly string[] {
  putBuiltIn(
    connectors.map(({ id, connector, actions }) => ({
      connector: { ...connector, id },
      actions: actions.map((action) => ({
        ...action,
        id: `${id}.${hash('sha256', action.name).slice(0, 16)}`,
      })),
    })),
    store,
    now,
  )
  const kept = new Set(connectors.map(({ id }) => id))
  const earlier = store.connectors
    .list({ filters: [{ field: 'id', operator: 'like', value: connectorIdOf(plugin, '%') }] })
    .records.filter(({ id }) => id.startsWith(connectorIdOf(plugin, '')) && !kept.has(id))
  for (const connector of earlier) {
    if (store.connectorAuths.countOfConnector(connector.id) === 0) store.connectors.delete(connector.id)
    else {
      for (const { id } of store.actions.ofConnector(connector.id)) store.actions.delete(id)
      store.connectors.update({ ...connector, built_in: false, updated_at: now })
    }
  }
  return [...kept, ...earlier.map(({ id }) => id)]
}
