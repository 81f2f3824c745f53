/** Keeps a tunnel up: opens it through its provider, tests it, and opens it again after it has ended. */
import { join } from 'node:path'
import { quoted, type Said, say } from '../../../../shared/contract/base/message.ts'
import type { TunnelSettings, TunnelState } from '../../../../shared/contract/reach/tunnel.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import type { Outgoing } from '../../reaching/sending/outgoing.ts'
import { createCloudflared } from './cloudflared.ts'
import { createNgrok } from './ngrok.ts'
import { createOwnUrl } from './own-url.ts'
import { type TunnelProvider, TunnelProblem } from './provider.ts'
import type { createSelfTest, TestResult } from './self-test.ts'
import { createSsh } from './ssh.ts'

/** A request as it arrived. */
export interface CopiedRequest {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  /** The body as sent, still encoded. */
  readonly body: Uint8Array
}

/** Provided by the host: a listener that only serves webhooks. */
export interface TunnelHost {
  /** @throws the system's error if the port isn't available */
  open(options: TunnelListening): Promise<TunnelListener>
}

export interface TunnelListening {
  /** 0 takes any free port. */
  readonly port: number
  /** The header in which the tunnel names its callers; null if it names none. */
  readonly clientHeader: string | null
  /** Called with every request whose body was read. */
  readonly onRequest: (request: CopiedRequest) => void
}

export interface TunnelListener {
  readonly url: string
  close(): Promise<void>
}

export interface TunnelOptions {
  readonly store: Pick<Store, 'tunnel' | 'flows' | 'write' | 'dataDir'>
  readonly events: Pick<EventsService, 'emit'>
  readonly outgoing: Pick<Outgoing, 'clock' | 'sleep' | 'sendRequest' | 'openSocket' | 'localPrograms'>
  readonly random: SecureRandom
  readonly log: Log
  /** Absent if the host doesn't offer tunnels. */
  readonly host: TunnelHost | undefined
  /** The base URL on this computer. */
  readonly baseUrl: () => string
  /** The public URL in the settings. */
  readonly savedUrl: () => string | null
}

export interface Status {
  readonly state: TunnelState
  readonly publicUrl: string | null
  readonly since: number | null
  readonly problem: TunnelProblem | null
  readonly retryAt: number | null
  readonly hostKey: string | null
  readonly localUrl: string | null
  readonly test: {
    readonly ok: boolean | null
    readonly answeredAt: number | null
    readonly problem: Said | null
  }
}

export const OFF: Status = {
  state: 'off',
  publicUrl: null,
  since: null,
  problem: null,
  retryAt: null,
  hostKey: null,
  localUrl: null,
  test: { ok: null, answeredAt: null, problem: null },
}

interface KeepUpOptions extends Pick<TunnelOptions, 'store' | 'outgoing' | 'log'> {
  readonly selfTest: Pick<ReturnType<typeof createSelfTest>, 'run'>
  readonly status: () => Status
  readonly show: (change: Partial<Status>) => void
  readonly copy: (request: CopiedRequest, port: number) => void
}

export function createKeepUp({ store, outgoing, log, selfTest, status, show, copy }: KeepUpOptions) {
  const { clock, sleep } = outgoing

  /** Null if it was stopped; otherwise the reason why it ended. */
  async function openOnce(listening: TunnelHost, signal: AbortSignal): Promise<TunnelProblem | null> {
    const { settings } = store.tunnel.get()
    const provider = createProvider(settings)
    const over = new AbortController()
    let listener: TunnelListener | null = null
    let tests: Promise<void> = Promise.resolve()
    // Callers get their responses before the tunnel is closed.
    const drain = () => void (listener?.close() ?? Promise.resolve()).finally(() => over.abort())
    signal.addEventListener('abort', drain, { once: true })
    try {
      listener = await openListener(listening, settings, provider)
      if (signal.aborted) return null
      const localUrl = listener.url
      await provider.run({
        localPort: Number(new URL(localUrl).port),
        signal: over.signal,
        onUrl(publicUrl) {
          const test = { ok: null, answeredAt: null, problem: null }
          const since = clock.now()
          show({ ...OFF, state: 'on', publicUrl, since, localUrl, test })
          tests = selfTest.run(publicUrl, AbortSignal.any([signal, over.signal]), noteTest)
        },
      })
      return null
    } catch (error) {
      if (error instanceof TunnelProblem) return error
      log.error({ err: error }, 'The tunnel failed')
      return unexpected(error)
    } finally {
      signal.removeEventListener('abort', drain)
      over.abort()
      await tests
      await listener?.close()
    }
  }

  function noteTest({ at, problem }: TestResult): void {
    const answeredAt = problem === null ? at : status().test.answeredAt
    show({ test: { ok: problem === null, answeredAt, problem } })
  }

  async function openListener(
    listening: TunnelHost,
    { local_port: port, copy_port: copyPort }: TunnelSettings,
    { clientHeader }: TunnelProvider,
  ): Promise<TunnelListener> {
    try {
      return await listening.open({
        port: port ?? 0,
        clientHeader,
        onRequest(request) {
          if (copyPort !== null) copy(request, copyPort)
        },
      })
    } catch (cause) {
      const { code = 'no reason given' } = cause as NodeJS.ErrnoException
      throw new TunnelProblem(
        say("Port {{port}} of this computer can't be opened ({{code}})", { port: port ?? 0, code }),
        say('Choose another local port, or none'),
        { cause },
      )
    }
  }

  function createProvider(settings: TunnelSettings): TunnelProvider {
    const secrets = store.tunnel.secrets()
    switch (settings.provider) {
      case 'cloudflared':
        return createCloudflared({ token: secrets.cloudflared_token, url: settings.cloudflared_url })
      case 'ngrok':
        return createNgrok({
          token: secrets.ngrok_token,
          domain: settings.ngrok_domain,
          packagesDir: join(store.dataDir, 'packages'),
        })
      case 'ssh':
        return createSsh({
          settings,
          password: secrets.ssh_password,
          privateKey: secrets.ssh_private_key,
          passphrase: secrets.ssh_passphrase,
          openSocket: outgoing.openSocket,
          onHostKey: (hostKey) => show({ hostKey }),
        })
      default:
        return createOwnUrl(settings.own_url, settings.own_header)
    }
  }

  /** Opens the tunnel until the signal aborts, and again after growing pauses. */
  return async (listening: TunnelHost, signal: AbortSignal): Promise<void> => {
    let failures = 0
    while (!signal.aborted) {
      const startedAt = clock.monotonic()
      const problem = await openOnce(listening, signal)
      if (signal.aborted || problem === null) return
      failures = clock.monotonic() - startedAt > STEADY_MS ? 1 : failures + 1
      const pause = problem.needsUser
        ? PAUSE_FOR_USER_MS
        : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
      log.warn({ problem: problem.message }, 'The tunnel is down')
      const { hostKey, test } = status()
      show({ ...OFF, state: 'failing', problem, retryAt: clock.now() + pause, hostKey, test })
      await sleep(pause, signal).catch(() => undefined)
    }
  }
}

export function unexpected(error: unknown): TunnelProblem {
  const message = error instanceof Error ? error.message : String(error)
  return new TunnelProblem(quoted(message), say('See the log of Millrace'), {
    cause: error,
  })
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** The pause after errors that somebody has to fix, because retrying sooner is useless. */
const PAUSE_FOR_USER_MS = 10 * 60_000
/** A tunnel that was up for this long is retried at once. */
const STEADY_MS = 60_000
