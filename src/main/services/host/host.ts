import type { Health, Meta } from '../../../shared/contract/host.ts'
import type { PortHost } from './port.ts'

/** What the running program says of itself to anybody who asks. */
export interface HostService {
  health(): Health
  meta(): Meta
}

export interface HostOptions {
  readonly version: string
  readonly startedAt: Date
  /** Known once the server listens. */
  readonly url: () => string
  /** Null where something else keeps the master key: the environment, or the system's keychain. */
  readonly keyFile: string | null
  /** Null where the playground is off. */
  readonly playgroundUrl: () => string | null
  /** Absent where the host keeps to the port that it has. */
  readonly port?: PortHost
  /** Stops the program, restores this backup and starts again; absent where the host cannot. */
  readonly restore?: (path: string) => void
}

export interface HostHealth {
  /** What keeps the program from doing all it should; empty where all is well. */
  readonly problems: () => Health['problems']
}

export function createHostService({
  version,
  startedAt,
  url,
  playgroundUrl,
  problems,
}: HostOptions & HostHealth): HostService {
  return {
    health() {
      const found = problems()
      return { status: found.length === 0 ? 'ok' : 'degraded', problems: found }
    },
    meta: () => ({
      name: 'Millrace',
      version,
      api_version: 'v1',
      url: url(),
      playground_url: playgroundUrl(),
      started_at: startedAt.toISOString(),
    }),
  }
}
