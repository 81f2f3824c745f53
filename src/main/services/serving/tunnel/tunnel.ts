/** Turns the public URL on and off, keeps it up, tests it and shows it. */
import { quoted, type Said, say, spoken, spokenWithHint } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import {
  type Tunnel,
  TUNNEL_SECRETS,
  type TunnelChange,
  type TunnelSecret,
  type TunnelSettings,
} from '../../../../shared/contract/reach/tunnel.ts'
import { forwardedHeaders, withoutOwnTokens } from '../../../engine/webhook/forwarded.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { sentKeys } from '../../kit/patch.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import { listExposed } from './exposed.ts'
import { ProgramError } from '../../reaching/sending/to-program.ts'
import {
  type CopiedRequest,
  createKeepUp,
  OFF,
  type Status,
  type TunnelHost,
  type TunnelOptions,
  unexpected,
} from './keep-up.ts'
import { createSelfTest } from './self-test.ts'

export type { TunnelHost } from './keep-up.ts'

export function createTunnelService(options: TunnelOptions) {
  const { store, events, outgoing, log, host, baseUrl, savedUrl } = options
  const { clock, sleep } = outgoing
  const selfTest = createSelfTest({ ...outgoing, random: options.random })
  let status = OFF
  let copies = NO_COPIES
  /** The tunnel that is kept up; null while it is off. */
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null
  /** Changes are made one at a time. */
  let before: Promise<unknown> = Promise.resolve()

  const keepUp = createKeepUp({
    ...options,
    selfTest,
    status: () => status,
    show,
    copy(request, port) {
      if (!isOwnPort(port)) void copy(request, port)
    },
  })

  /** Never throws, because nobody waits for it. */
  async function copy({ method, target, rawHeaders, body }: CopiedRequest, port: number): Promise<void> {
    const url = new URL(`http://127.0.0.1:${port}`)
    const headers = forwardedHeaders(rawHeaders, url.host)
    const call = { url, method, target: withoutOwnTokens(target), headers, body, withinMs: COPY_MS }
    try {
      const { body: answer } = await outgoing.localPrograms.send(call)
      answer.on('error', () => {}).resume()
      copies = { ...copies, sent: copies.sent + 1, problem: null }
    } catch (error) {
      const problem = error instanceof ProgramError ? error.said : quoted((error as Error).message)
      copies = { ...copies, failed: copies.failed + 1, problem }
    }
  }

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

  /** @param isOn defaults to the current state */
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

  /** No copies are sent to Millrace itself, because they would run the flow again, or be copied endlessly. */
  function isOwnPort(port: number): boolean {
    const own = [baseUrl(), status.localUrl].filter((url) => url !== null)
    return (
      own.some((url) => new URL(url).port === String(port)) || store.tunnel.get().settings.local_port === port
    )
  }

  function begin(listening: TunnelHost): void {
    const stop = new AbortController()
    copies = NO_COPIES
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

  /** Stops the tunnel at its end time, which may have passed while Millrace was off. */
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

  function requireHost(): TunnelHost {
    if (host !== undefined) return host
    throw new AppError(
      'conflict',
      say('This Millrace only runs for a command; start it with "millrace serve"'),
    )
  }

  return {
    read,
    /** If the tunnel is on, it restarts with the change. */
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
    /** Closes the tunnel for now; the next start of Millrace reopens it. */
    close: () => inTurn(end),
    /** The tunnel's URL, or else the one in the settings; null if there is none. */
    publicUrl: () => status.publicUrl ?? savedUrl(),
    /** The text that a test of the public URL expects at this path; null for all other paths. */
    proofAt: (path: string) => selfTest.proofAt(path),
  }
}

interface Copies {
  readonly sent: number
  readonly failed: number
  /** The reason why the latest copy failed; null if it didn't. */
  readonly problem: Said | null
}

const NO_COPIES: Copies = { sent: 0, failed: 0, problem: null }
const COPY_MS = 10_000

const shown = (said: Said | null) => (said === null ? { message: null } : spoken(said))

/** Forgets the host key if the server changes. */
function changedSettings(settings: TunnelSettings, change: TunnelChange): TunnelSettings {
  const names = Object.keys(settings) as (keyof TunnelSettings)[]
  const sent = sentKeys(Object.fromEntries(names.map((name) => [name, change[name]])))
  const changed: TunnelSettings = { ...settings, ...sent }
  const isSame = changed.ssh_host === settings.ssh_host && changed.ssh_port === settings.ssh_port
  return isSame || change.ssh_host_key !== undefined ? changed : { ...changed, ssh_host_key: null }
}

/** Null if no secret was sent. */
function changedSecrets(
  secrets: { readonly [N in TunnelSecret]?: string },
  change: TunnelChange,
): { readonly [N in TunnelSecret]?: string } | null {
  const sent = TUNNEL_SECRETS.filter((name) => change[name] !== undefined)
  if (sent.length === 0) return null
  const changed = { ...secrets, ...Object.fromEntries(sent.map((name) => [name, change[name]])) }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null && value !== ''))
}
