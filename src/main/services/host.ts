import type { Meta } from '../../shared/contract/host.ts'

/** What the running program says of itself to anybody who asks. */
export interface HostService {
  health(): { status: 'ok' | 'degraded' }
  meta(): Meta
}

export interface HostOptions {
  readonly version: string
  readonly startedAt: Date
  /** Known once the server listens. */
  readonly url: () => string
  /** Null where the playground is off. */
  readonly playgroundUrl: () => string | null
  /** False while the disk refuses writes, for instance. */
  readonly isWell: () => boolean
}

export function createHostService({
  version,
  startedAt,
  url,
  playgroundUrl,
  isWell,
}: HostOptions): HostService {
  return {
    health: () => ({ status: isWell() ? 'ok' : 'degraded' }),
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
