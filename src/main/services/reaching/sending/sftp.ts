/** SFTP for flows and for tests of auths: gives the engine's client access to files and to the known server keys. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import type { Exchange } from '../../../engine/ports.ts'
import { readSftpAddress } from '../../../engine/sftp/address.ts'
import { readOperation } from '../../../engine/sftp/operation.ts'
import { SftpError } from '../../../engine/sftp/sftp-error.ts'
import { runSftp, type SftpLimits } from '../../../engine/sftp/run-operation.ts'
import { Readable } from 'node:stream'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import type { Outgoing } from './outgoing.ts'

export type SftpService = ReturnType<typeof createSftpService>

export interface SftpRequest {
  /** `sftp://…` */
  readonly address: string
  readonly auth: OpenAuth | null
  /** The rendered body of the action. */
  readonly body: Data
  /**
   * Present for an auth that isn't stored: whether its secrets can be sent there. The server's key isn't stored then
   * either.
   */
  readonly isAllowed?: ((address: string) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

export interface SftpOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'users' | 'write'>
  readonly outgoing: Pick<Outgoing, 'openSocket' | 'clock'>
  readonly files: Pick<FilesService, 'store' | 'read'>
  readonly events: Pick<EventsService, 'emit'>
  /** @throws AppError `conflict` if the auth's secrets aren't bound to exactly this URL */
  readonly requireOrigin: (auth: OpenAuth, address: string) => void
  readonly limits?: Partial<SftpLimits>
}

/** The field in which an auth stores the fingerprint of the key that its server first presented. */
const HOST_KEY = 'host_key'

export function createSftpService(options: SftpOptions) {
  const { store, outgoing, files, events, requireOrigin, limits = {} } = options
  const { clock, openSocket } = outgoing

  async function pin(auth: OpenAuth | null, fingerprint: string): Promise<void> {
    if (auth === null) return
    await store.write(() => {
      const record = store.connectorAuths.get(auth.id)
      if (record === null || knownKey(record.user_input) !== '') return
      const user_input: ConnectorAuth['user_input'] = { ...record.user_input, [HOST_KEY]: fingerprint }
      store.connectorAuths.update({ ...record, user_input })
    })
    const users = store.users.list().records.map(({ id }) => id)
    const viewers = users.filter((userId) => store.connectorAuths.get(auth.id, userId) !== null)
    events.emit({ type: 'updated', noun: 'connector_auth', id: auth.id }, viewers)
  }

  async function keepFile(filename: string, content: AsyncIterable<Uint8Array>): Promise<Data> {
    const meta = { filename, content_type: 'application/octet-stream' }
    const { file_id: fileId, size } = await files.store(Readable.from(content), meta)
    return dictionaryOf([
      ['filename', filename],
      ['file_id', fileId],
      ['size', size],
    ])
  }

  return {
    /** @throws SftpError, AppError `conflict` if the auth's secrets aren't bound to that URL */
    async run({ address: text, auth, body, isAllowed, signal, onExchange }: SftpRequest): Promise<Data> {
      if (isAllowed === undefined) {
        if (auth !== null) requireOrigin(auth, text)
      } else if (!isAllowed(text)) {
        throw new SftpError(
          say('The secrets were not entered for {{text}}; enter them again', {
            text: text.replace(/^.*@/, ''),
          }),
        )
      }
      const address = readSftpAddress(text, auth)
      const operation = readOperation(body)
      const startedAt = clock.now()
      const before = clock.monotonic()
      const report = (error: string | null) =>
        onExchange?.({
          request: {
            method: operation.operation.toUpperCase(),
            url: `sftp://${encodeURIComponent(address.username)}@${address.host}:${address.port}${address.root}/${operation.path.replace(/^\/+/, '')}`,
            headers: [],
            body: null,
          },
          attempt: 1,
          startedAt,
          durationMs: clock.monotonic() - before,
          // SFTP's own status for success.
          response: error === null ? { status: 0, headers: [], body: new Uint8Array(), wireBytes: 0 } : null,
          error,
        })
      try {
        const call = { address, operation, hostKey: knownKey(auth?.user_input), signal }
        const output = await runSftp(
          {
            ...call,
            pin: async (fingerprint) => (isAllowed === undefined ? pin(auth, fingerprint) : undefined),
          },
          { openSocket, readFile: (id) => files.read(id)?.content ?? null, keepFile, limits },
        )
        report(null)
        return output
      } catch (error) {
        report(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
  }
}

function knownKey(input: unknown): string {
  const key = (input as Readonly<Record<string, unknown>> | undefined)?.[HOST_KEY]
  return typeof key === 'string' ? key.trim() : ''
}
