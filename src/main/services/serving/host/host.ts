import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Health, Meta } from '../../../../shared/contract/host.ts'
import type { TunnelHost } from '../tunnel/tunnel.ts'
import type { PortHost } from './port.ts'
import type { RestoreHost } from './data-folder.ts'

export interface HostOptions {
  readonly version: string
  readonly startedAt: Date
  /** Whether V8 refuses to create code from strings in this process. */
  readonly refusesCode: boolean
  /** Known once the server listens. */
  readonly url: () => string
  /** Null if the master key is kept elsewhere: in the environment or the system's keychain. */
  readonly keyFile: string | null
  /** Null if the playground is off. */
  readonly playgroundUrl: () => string | null
  /** Absent if the host can't change its port. */
  readonly port?: PortHost
  /** Absent if the host can't be reached from other computers. */
  readonly tunnel?: TunnelHost
  /** Stops the program, restores this backup and restarts; absent if the host can't. */
  readonly restore?: RestoreHost
  /** Shuts the program down properly, soon; absent if the host ends by itself. */
  readonly stop?: () => void
}

export interface HostHealth {
  /** Problems that keep the program from working fully; empty if all is well. */
  readonly problems: () => Health['problems']
  readonly publicUrl: () => string | null
}

/** The information that the running program gives any caller. */
export function createHostService({
  version,
  startedAt,
  url,
  playgroundUrl,
  stop,
  problems,
  publicUrl,
}: HostOptions & HostHealth) {
  return {
    health(): Health {
      const found = problems()
      return { status: found.length === 0 ? 'ok' : 'degraded', problems: found }
    },
    meta: (): Meta => ({
      name: 'Millrace',
      version,
      api_version: 'v1',
      url: url(),
      playground_url: playgroundUrl(),
      public_url: publicUrl(),
      started_at: startedAt.toISOString(),
    }),
    /** @throws AppError `conflict` if the host can't be stopped this way */
    stop(): { stopping: true } {
      if (stop === undefined)
        throw new AppError('conflict', say('This Millrace ends with the command that started it'))
      stop()
      return { stopping: true }
    },
  }
}
