/**
 * Connectors as files: plans imports from other tools' descriptions, imports everything or nothing, and exports without
 * secrets.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import type {
  ConnectorDraft,
  ConnectorFile,
  ConnectorImportPlan,
} from '../../../../shared/contract/connector-imports.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { SentSource, UploadedImport } from '../../../../shared/contract/import-sources.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { isSecretHeader } from '../../../engine/redaction/redactor.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { ACTION_DEFAULTS, requireSoundAction } from './actions.ts'
import type { Caller } from '../../kit/caller.ts'
import type { ConnectorsService } from './connectors.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { sentKeys } from '../../kit/patch.ts'
import type { FindImportSource, ImportSource } from '../../keeping/files/import-source.ts'

export interface ConnectorFilesOptions {
  readonly store: Pick<Store, 'actions'>
  readonly connectors: Pick<ConnectorsService, 'create' | 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  /** @throws AppError `validation` if the source can't be read, or exceeds the limits */
  readonly readImport: (from: ImportSource) => Promise<ConnectorImportPlan>
  readonly findSource: FindImportSource
}

export function createConnectorFilesService(options: ConnectorFilesOptions) {
  const { store, connectors, clock, random, readImport, findSource } = options
  return {
    /** @throws AppError `validation` if the source can't be read */
    plan: (caller: Caller, sent: SentSource) => readImport(findSource(caller, sent)),
    /** Creates everything or nothing. */
    async make(caller: Caller, sent: ConnectorFile | UploadedImport): Promise<Connector> {
      const { connector, actions } =
        'file_id' in sent ? (await readImport(findSource(caller, sent))).file : sent
      const names = actions.map(({ name }) => name)
      const double = names.findIndex((name, at) => names.indexOf(name) !== at)
      if (double !== -1)
        throw fieldErrors({ [`actions[${double}].name`]: [say('is the name of two actions')] })
      actions.forEach((action, at) => requireSoundAction(action, `actions[${at}].`))
      return connectors.create(caller, connector, ({ id: connector_id }) => {
        const at = new Date(clock.now()).toISOString()
        for (const action of actions) {
          const own = { id: random.uuid(), connector_id, created_at: at, updated_at: at }
          store.actions.insert({ ...ACTION_DEFAULTS, ...sentKeys(action), ...own } as Action)
        }
      })
    },
    /** @throws AppError `not_found` */
    export(id: string): ConnectorFile {
      const connector = withoutCredentials(withoutOwnKeys(connectors.read(id)))
      const actions = store.actions.ofConnector(id).map((action) => ({
        ...withoutIds(action),
        query: withoutWritten(action.query),
        headers: withoutWritten(action.headers),
      }))
      return { format: 'millrace-connector', version: 1, connector, actions }
    },
  }
}

function withoutOwnKeys({
  id: _id,
  built_in: _builtIn,
  created_at: _created,
  updated_at: _updated,
  ...connector
}: Connector) {
  return connector
}

function withoutIds({
  id: _id,
  connector_id: _connector,
  created_at: _created,
  updated_at: _updated,
  ...action
}: Action) {
  return action
}

/**
 * Credentials written directly into a connector aren't exported either; a reference to an auth's token replaces them.
 */
function withoutCredentials(connector: ConnectorDraft): ConnectorDraft {
  const { base_domain: base = '', header, url_token_extension: extension } = connector
  const inQuery =
    extension && !isTemplate(extension.value) ? { ...extension, value: '{{ token }}' } : extension
  return {
    ...connector,
    base_domain: base.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@{]*@/i, '$1'),
    ...(header && { header: { ...header, custom_headers: withoutWritten(header.custom_headers) } }),
    ...(inQuery && { url_token_extension: inQuery }),
  }
}

function withoutWritten<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !isCredentialName(name) || typeof value !== 'string' || isTemplate(value),
    ),
  )
}

const isTemplate = (text: string) => text.includes('{{')
const isCredentialName = (name: string) => isSecretHeader(name) || SECRET_PARAMETER.test(name)
const SECRET_PARAMETER = /^(?:api_?key|(?:access|auth)_?token|(?:client_?)?secret|password)$/i
