import { Readable } from 'node:stream'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { Capabilities, FlowPorts, RecordFiles } from '../../../engine/flow/model/ports.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { ConnectorAuthsService } from '../auths/connector-auths.ts'
import type { OAuthService } from '../auths/oauth.ts'
import type { SftpService } from '../sending/sftp.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { pageLimits } from '../../kit/page-limits.ts'
import type { Log } from '../../kit/ports.ts'

/** Outgoing calls, with the clock and randomness they need. */
export type OutgoingPorts = Pick<
  FlowPorts,
  'clock' | 'random' | 'sleep' | 'yieldToEventLoop' | 'sendRequest' | 'budgetFor'
>

export interface PortServices {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly outgoing: OutgoingPorts
  readonly oauth: Pick<OAuthService, 'open' | 'senderFor'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'read'>
  readonly sftp: SftpService
  readonly files: Pick<FilesService, 'read' | 'store' | 'assign'>
  readonly recordFiles: RecordFiles
  readonly settings: () => Settings
  readonly log: Pick<Log, 'error'>
  readonly redactor: () => Redactor
}

/** The engine's ports for a flow's runs: outgoing calls, and access to everything that all of these users can read. */
export type PortsFor = (readers: readonly string[]) => FlowPorts

export function createPortsFor(services: PortServices, capabilities: Capabilities): PortsFor {
  const known = new Map<string, FlowPorts>()
  return (readers) => {
    const key = readers.join(' ')
    const ports = known.get(key) ?? createFlowPorts(readers, services, capabilities)
    if (known.size >= MOST_KEPT) known.clear()
    known.set(key, ports)
    return ports
  }
}

const MOST_KEPT = 1_000

function createFlowPorts(
  [owner = '', ...others]: readonly string[],
  { store, outgoing, oauth, sftp, files, recordFiles, settings, connectorAuths, log, redactor }: PortServices,
  capabilities: Capabilities,
): FlowPorts {
  return {
    ...capabilities,
    ...outgoing,
    findConnector: (id) => store.connectors.get(id),
    findAction(connectorId, name) {
      const connector = store.connectors.get(connectorId)
      const action = connector && store.actions.find(connectorId, name)
      return connector && action ? { connector, action } : null
    },
    openAuth(id) {
      for (const userId of others) connectorAuths.read({ userId }, id)
      return oauth.open(owner, id)
    },
    callSftp: (call) => sftp.run(call),
    senderFor: (auth) => oauth.senderFor(auth),
    readFile: files.read,
    async keepFile({ filename, contentType, content }, runId) {
      const { file_id: id } = await files.store(Readable.from([content]), {
        filename,
        content_type: contentType,
      })
      await files.assign([id], runId)
      return id
    },
    recordFiles,
    pageLimits: () => pageLimits(settings()),
    whenInDoubt: () => settings().when_in_doubt,
    onDefect: ({ cause, flowRunId, refId }) =>
      log.error({ err: readable(cause, redactor()), flowRunId, refId }, 'A step failed unexpectedly'),
  }
}

/** Redacts an error, because it can quote a value from the run. */
function readable(cause: unknown, redactor: Redactor): object {
  if (!(cause instanceof Error)) return { message: redactor.redactText(String(cause)) }
  return {
    type: cause.name,
    message: redactor.redactText(cause.message),
    stack: redactor.redactText(cause.stack ?? ''),
  }
}
