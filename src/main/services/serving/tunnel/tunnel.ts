/** Turns the public URL on and off, keeps it up, tests it and shows it. */
import { quoted, type Said, say, spoken, spokenWithHint } from '../../../../shared/contract/base/message.ts'
import { join } from 'node:path'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import {
  type Tunnel,
  TUNNEL_SECRETS,
  type TunnelChange,
  type TunnelSecret,
  type TunnelSettings,
  type TunnelState,
} from '../../../../shared/contract/reach/tunnel.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import type { Store } from '../../../store/index.ts'
import type { Outgoing } from '../../reaching/sending/outgoing.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { sentKeys } from '../../kit/patch.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import { createCloudflared } from './cloudflared.ts'
import { createCopies, type CopiedRequest } from './copies.ts'
import { listExposed } from './exposed.ts'
import { createNgrok } from './ngrok.ts'
import { createOwnUrl } from './own-url.ts'
import { type TunnelProvider, TunnelProblem } from './provider.ts'
import { createSelfTest, type TestResult } from './self-test.ts'
import { createSsh } from './ssh.ts'

/** What the host provides: a listener that knows webhooks only. */
export interface TunnelHost {
  /** @throws the system's error if the port isn't available */
  open(options: TunnelListening): Promise<TunnelListener>
}

export interface TunnelListening {
  /** 0: any free one. */
  readonly port: number
  /** In which the tunnel names its callers; null: it names none. */
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
  readonly outgoing: Pick<Outgoing, 'clock' | 'sleep' | 'sendRequest' | 'openSocket'>
  readonly random: SecureRandom
  readonly log: Log
  /** Absent if the host has none. */
  readonly host: TunnelHost | undefined
  /** The base URL on this computer. */
  readonly baseUrl: () => string
  /** From the settings. */
  readonly savedUrl: () => string | null
}

interface Status {
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

const OFF: Status = {
  state: 'off',
  publicUrl: null,
  since: null,
  problem: null,
  retryAt: null,
  hostKey: null,
  localUrl: null,
  test: { ok: null, answeredAt: null, problem: null },
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** After errors that somebody has to fix, retrying sooner is useless. */
const PAUSE_FOR_USER_MS = 10 * 60_000
/** A tunnel that was up for this long is retried at once. */
const STEADY_MS = 60_000

export function createTunnelService(options: TunnelOptions) {
  const { store, events, outgoing, log, host, baseUrl, savedUrl } = options
  const { clock, sleep } = outgoing
  const selfTest = createSelfTest({ ...outgoing, random: options.random })
  let status = OFF
  let copies = createCopies()
  /** The tunnel that is kept up; null while it is off. */
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null
  /** Changes are made one at a time. */
  let before: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = before.then(work)
    before = result.catch(() => undefined)
    return result
  }

  function show(change: Partial<Status>): void {
    status = { ...status, ...change }
    const { state, publicUrl } = status
    events.emit({ type: 'updated', noun: 'tunnel', id: null, state, public_url: publicUrl })
  }

  function read(): Tunnel {
    const { settings, endsAt } = store.tunnel.get()
    const secrets = store.tunnel.secrets()
    const { state, publicUrl, since, problem, retryAt, hostKey, localUrl, test } = status
    return {
      state,
      public_url: publicUrl,
      since: since === null ? null : isoOf(since),
      ends_at: state === 'off' || endsAt === null ? null : isoOf(endsAt),
      problem: problem && spokenWithHint(problem),
      retry_at: retryAt === null ? null : isoOf(retryAt),
      offered_host_key: hostKey,
      local_url: localUrl,
      test: {
        ok: test.ok,
        answered_at: test.answeredAt === null ? null : isoOf(test.answeredAt),
        ...shown(test.problem),
      },
      copies: { sent: copies.sent, failed: copies.failed, ...shown(copies.problem) },
      exposed: listExposed(store.flows, publicUrl ?? savedUrl() ?? baseUrl()),
      settings,
      secrets: Object.fromEntries(
        TUNNEL_SECRETS.filter((name) => secrets[name] !== undefined).map((name) => [name, true as const]),
      ),
    }
  }

  /** @param isOn absent: as it is */
  async function save(change: TunnelChange, isOn?: boolean): Promise<void> {
    const stored = store.tunnel.get()
    const settings = changedSettings(stored.settings, change)
    const isWanted = isOn ?? stored.isWanted
    const startsNow = isOn === true || settings.off_after_minutes !== stored.settings.off_after_minutes
    const minutes = settings.off_after_minutes
    const endsAt = minutes === null ? null : startsNow ? clock.now() + minutes * 60_000 : stored.endsAt
    const { copy_port: copyPort, local_port: localPort } = settings
    if (copyPort !== null && (copyPort === localPort || (change.copy_port && isOwnPort(copyPort))))
      throw fieldErrors({
        copy_port: [say('is a port of Millrace itself; choose the port of another program')],
      })
    const secrets = changedSecrets(store.tunnel.secrets(), change)
    await writeSealed(store.write, () =>
      store.tunnel.save({ settings, isWanted, endsAt: isWanted ? endsAt : null }, secrets ?? undefined),
    )
  }

  /** A copy to Millrace itself would run the flow again, or be copied without end. */
  function isOwnPort(port: number): boolean {
    const own = [baseUrl(), status.localUrl].filter((url) => url !== null)
    return (
      own.some((url) => new URL(url).port === String(port)) || store.tunnel.get().settings.local_port === port
    )
  }

  function begin(listening: TunnelHost): void {
    const stop = new AbortController()
    copies = createCopies()
    status = OFF
    show({ state: 'starting' })
    const ended = keepUp(listening, stop.signal).catch((error: unknown) => {
      log.error({ err: error }, 'The tunnel stopped because of an unexpected error')
      show({ ...OFF, state: 'failing', problem: unexpected(error) })
    })
    void endInTime(stop.signal)
    running = { stop, ended }
  }

  async function end(): Promise<void> {
    running?.stop.abort()
    await running?.ended
    running = null
    if (status.state !== 'off') show(OFF)
  }

  /** Stops by itself at its time, which can have passed while the program was off. */
  async function endInTime(signal: AbortSignal): Promise<void> {
    const { endsAt } = store.tunnel.get()
    if (endsAt === null) return
    await sleep(Math.max(0, endsAt - clock.now()), signal).catch(() => undefined)
    if (!signal.aborted) await stopNow()
  }

  const stopNow = () =>
    inTurn(async () => {
      await save({}, false)
      await end()
      return read()
    })

  /** Opens the tunnel until the signal aborts, and again after growing pauses. */
  async function keepUp(listening: TunnelHost, signal: AbortSignal): Promise<void> {
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
      const { hostKey, test } = status
      show({ ...OFF, state: 'failing', problem, retryAt: clock.now() + pause, hostKey, test })
      await sleep(pause, signal).catch(() => undefined)
    }
  }

  /** Null if it was stopped; otherwise why it ended. */
  async function openOnce(listening: TunnelHost, signal: AbortSignal): Promise<TunnelProblem | null> {
    const { settings } = store.tunnel.get()
    const provider = createProvider(settings)
    const over = new AbortController()
    let listener: TunnelListener | null = null
    let tests: Promise<void> = Promise.resolve()
    // Callers get their responses before the way back is closed.
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
    const answeredAt = problem === null ? at : status.test.answeredAt
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
          if (copyPort !== null && !isOwnPort(copyPort)) copies.send(request, copyPort)
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

  function requireHost(): TunnelHost {
    if (host !== undefined) return host
    throw new AppError(
      'conflict',
      say('This Millrace only runs for a command; start it with "millrace serve"'),
    )
  }

  return {
    read,
    /** A tunnel that is on restarts with the change. */
    change: (change: TunnelChange) =>
      inTurn(async () => {
        await save(change)
        if (running !== null) {
          await end()
          begin(requireHost())
        } else show({})
        return read()
      }),
    /** @throws AppError `conflict` if this host can't be reached from elsewhere */
    start: (change: TunnelChange) =>
      inTurn(async () => {
        const listening = requireHost()
        await save(change, true)
        await end()
        begin(listening)
        return read()
      }),
    stop: stopNow,
    /** Reopens a tunnel that was on when the program ended. */
    resume(): void {
      if (host !== undefined && store.tunnel.get().isWanted) begin(host)
    },
    /** Ends it for now: the next start of the program continues it. */
    close: () => inTurn(end),
    /** The tunnel's, or the one of the settings; null if there is none. */
    publicUrl: () => status.publicUrl ?? savedUrl(),
    /** What a test of the public URL expects at this path; null for all other paths. */
    proofAt: (path: string) => selfTest.proofAt(path),
  }
}

const shown = (said: Said | null) => (said === null ? { message: null } : spoken(said))

function unexpected(error: unknown): TunnelProblem {
  const message = error instanceof Error ? error.message : String(error)
  return new TunnelProblem(quoted(message), say('See the log of Millrace'), {
    cause: error,
  })
}

/** Another server has another key. */
function changedSettings(settings: TunnelSettings, change: TunnelChange): TunnelSettings {
  const names = Object.keys(settings) as (keyof TunnelSettings)[]
  const sent = sentKeys(Object.fromEntries(names.map((name) => [name, change[name]])))
  const changed: TunnelSettings = { ...settings, ...sent }
  const isSame = changed.ssh_host === settings.ssh_host && changed.ssh_port === settings.ssh_port
  return isSame || change.ssh_host_key !== undefined ? changed : { ...changed, ssh_host_key: null }
}

/** Null if none was sent. */
function changedSecrets(
  secrets: { readonly [N in TunnelSecret]?: string },
  change: TunnelChange,
): { readonly [N in TunnelSecret]?: string } | null {
  const sent = TUNNEL_SECRETS.filter((name) => change[name] !== undefined)
  if (sent.length === 0) return null
  const changed = { ...secrets, ...Object.fromEntries(sent.map((name) => [name, change[name]])) }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null && value !== ''))
}
