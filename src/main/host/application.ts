/** Assembles Millrace from store, services and server, for any host. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Settings } from '../../shared/contract/settings.ts'
import { SIGN_IN_FRAGMENT } from '../../shared/contract/page-sessions.ts'
import type { Config } from './config.ts'
import { EXIT, HostError } from './machine/exit-codes.ts'
import { giveBackWhileIdle } from './machine/give-back-memory.ts'
import { createMasterKey, openKeyFile } from './key/master-key.ts'
import { CATALOGUE_DIR, DOCS_DIR, RENDERER_DIR, SAMPLES_DIR } from './machine/paths.ts'
import { readPortFile, whyNoPort, writePortFile } from './machine/tcp-port.ts'
import { canMakeCode } from './machine/process-flags.ts'
import { createPublicListener, createTunnelHost } from './public-listener.ts'
import { createServer } from '../server/create-server.ts'
import { createHostServer, type HostServer } from '../server/listen/host-server.ts'
import { listRefused } from '../server/routes/flow-webhook.ts'
import { mountRoutes } from '../server/routes/index.ts'
import { createOutgoing } from '../services/reaching/sending/outgoing.ts'
import { createServices, type Services } from '../services/index.ts'
import { logFolder } from '../services/serving/logs/logs.ts'
import { storedJson } from '../services/kit/json-codec.ts'
import type { Log } from '../services/kit/ports.ts'
import type { RestoreHost } from '../services/serving/host/data-folder.ts'
import { startPlayground } from '../services/serving/playground/index.ts'
import type { FailureNotice } from '../services/running/runs/failure-notices.ts'
import { type MasterKey, openStore } from '../store/index.ts'
import { type LogKeeping, systemClock, systemRandom } from './machine/system.ts'
import { trustSystemCertificates } from './machine/system-certificates.ts'
import { VERSION } from './machine/version.ts'

export interface ApplicationOptions {
  readonly config: Config
  readonly log: Log
  /** Keeps the log in files. If missing, the log is only on stderr. */
  readonly keepLog?: (options: LogKeeping) => void
  /** The host's own key storage. Defaults to the key from the environment or the key file. */
  readonly masterKey?: MasterKey
  /** True for a command that only opens the folder for a moment, so that nothing starts by itself. */
  readonly isCommand?: boolean
  /** The bearer of the previous start, so that pages stay signed in. Defaults to a new one. */
  readonly sessionBearer?: string
  /** Called to restore a backup. The host stops this application, restores and starts again. */
  readonly onRestore?: RestoreHost
  /** Keys that came with a restored backup, to be stored with the master key of this computer. */
  readonly dataKeys?: readonly Uint8Array[]
  /** Called if the key file can't be opened, with what to do. If missing, the log says so. */
  readonly onLockedKey?: (why: string) => void
  /** Called when the user stops Millrace. If missing, the user can't do that. */
  readonly onStop?: () => void
}

export interface Application {
  /** The app's URL, such as `http://127.0.0.1:4747`. It changes with the port. */
  readonly url: string
  /** URL at which other computers reach webhooks (`--webhook-listen`); null if there is none. */
  readonly webhookUrl: string | null
  /** Lets the page act as the local user until the program ends. */
  readonly sessionBearer: string
  /** The page's URL with its session in the fragment, which servers and logs never see. */
  readonly sessionUrl: string
  /**
   * The page's URL with a code that signs in one browser. It contains no session, because other users can see the
   * arguments with which a browser is opened.
   */
  signInUrl(): string
  readonly dataDir: string
  /** Reports failed runs, in groups. */
  onFailure(listener: (notice: FailureNotice) => void): void
  /** Reports whether runs are being executed, immediately and whenever that changes. */
  onBusy(listener: (isBusy: boolean) => void): void
  /** Reports the settings, immediately and whenever they change. */
  onSettings(listener: (settings: Settings) => void): void
  /** Creates a backup before a newer version takes over. */
  backUp(): Promise<void>
  /** Starts everything that is due. This also happens automatically; a host calls it when the machine wakes up. */
  look(): Promise<void>
  /** Accepts no new requests, gives those in progress ten seconds, and then unlocks the folder. */
  stop(): Promise<void>
}

/**
 * Resolves once requests are served.
 *
 * @throws HostError if the port is taken, StoreOpenError if the folder can't be opened
 */
export async function startApplication(options: ApplicationOptions): Promise<Application> {
  const { config, log, isCommand = false, sessionBearer = newBearer(), onRestore, onStop } = options
  trustSystemCertificates()
  const ownerSecret = newBearer()
  const ownPorts = new Set<number>()
  // Closed in reverse order: the server first, the store last.
  const opened = new AsyncDisposableStack()
  try {
    // Opened before the folder, so that callers during a migration are told to retry.
    const loopback = createHostServer({ log, random: systemRandom })
    opened.defer(() => loopback.close({ graceMs: 0 }))
    const { webhookListen } = config
    const publicListener =
      webhookListen === null || isCommand ? null : createPublicListener(webhookListen, log)
    opened.defer(() => publicListener?.server.close({ graceMs: 0 }))
    const store = await openStore({
      dataDir: config.dataDir,
      clock: systemClock,
      appVersion: VERSION,
      json: storedJson,
      masterKey:
        options.masterKey ??
        fileKey(config, options.onLockedKey ?? ((why) => log.warn({ keyFile: config.keyFile }, why))),
      onWriterLost: (err) =>
        log.error(
          { err },
          'The thread that writes runs ended; callers whose runs it was writing are told to send them again',
        ),
      async onLocked() {
        ownPorts.add(await listen(loopback, config.port))
        if (publicListener !== null && webhookListen !== null)
          ownPorts.add(await listen(publicListener.server, webhookListen.port, webhookListen.host))
      },
    })
    opened.defer(() => store.close())
    if (options.dataKeys?.length) await store.dataKeys.importKeys(options.dataKeys, systemClock.now())
    const publish = () => store.lock.publish({ port: Number(new URL(loopback.url).port), ownerSecret })
    const outgoing = createOutgoing({
      clock: systemClock,
      random: Math.random,
      userAgent: `Millrace/${VERSION}`,
      ownPorts: () => ownPorts,
    })
    opened.defer(() => outgoing.close())
    const playground = await startPlayground({
      port: beside(config.port),
      now: () => systemClock.monotonic(),
    })
    opened.defer(() => playground.close())
    const services: Services = createServices({
      store,
      clock: systemClock,
      random: systemRandom,
      log,
      host: {
        version: VERSION,
        refusesCode: !canMakeCode(),
        startedAt: new Date(systemClock.now()),
        url: () => loopback.url,
        keyFile: options.masterKey || config.masterKey !== null ? null : config.keyFile,
        playgroundUrl: () => playground.url,
        port: {
          isGiven: config.portIsGiven,
          saved: () => readPortFile(config.dataDir),
          save: (port) => writePortFile(config.dataDir, port),
          async move(port) {
            await loopback.move(port)
            ownPorts.add(port)
            if (!isCommand) publish()
          },
        },
        ...(!isCommand && { tunnel: createTunnelHost({ services: () => services, ownPorts, log }) }),
        ...(onRestore && { restore: onRestore }),
        ...(onStop && { stop: onStop }),
      },
      outgoing,
      sessionBearers: [sessionBearer, ownerSecret],
      catalogue: readCatalogue(),
      samples: readSamples(),
      docs: readDocs,
      keyFiles: [config.keyFile, ...(config.masterKeyFile === null ? [] : [config.masterKeyFile])],
      settingOverrides: settingsOf(config),
    })
    options.keepLog?.({ folder: logFolder(config.dataDir), redact: services.logs.redactLine })
    opened.defer(() => services.calls.close())
    opened.defer(() => services.housekeeping.stop())
    opened.defer(() => services.runIndexing.stop())
    opened.defer(() => services.imports.close())
    opened.defer(() => services.runtime.stop({ graceMs: RUNS_GRACE_MS }))
    const server = createServer({
      services,
      mount: mountRoutes,
      log,
      random: systemRandom,
      rendererDir: RENDERER_DIR,
      loopback,
      showsTimings: config.isDevelopment,
    })
    opened.defer(async () => {
      await Promise.all([server.close(), publicListener?.server.close(), services.tunnel.close()])
    })
    listRefused(loopback, services)
    if (store.isNew) await plantFirstSample(services, store.users.local().id)
    // A command stops before anybody else could use its host, so nothing starts by itself.
    if (!isCommand) {
      await services.runtime.start()
      services.housekeeping.start()
      services.runIndexing.start()
    }
    server.ready()
    publicListener?.open(services)
    if (!isCommand) {
      services.tunnel.resume()
      opened.defer(giveBackWhileIdle({ onBusy: (listener) => services.runtime.onBusy(listener) }))
    }
    if (!isCommand) publish()
    log.info({ version: VERSION, url: server.url }, 'Millrace started')
    return {
      get url() {
        return server.url
      },
      webhookUrl: publicListener?.server.url ?? null,
      sessionBearer,
      get sessionUrl() {
        return `${server.url}/#session=${sessionBearer}`
      },
      signInUrl: () => `${server.url}/${SIGN_IN_FRAGMENT}${services.signInCodes.create().code}`,
      onFailure(listener) {
        services.events.listen((event) => {
          // Events can carry any fields; these are the fields of a notice (`startFailureNotices`).
          if (event.noun === 'notice') listener(event as unknown as FailureNotice)
        })
      },
      dataDir: config.dataDir,
      onBusy: (listener) => services.runtime.onBusy(listener),
      onSettings(listener) {
        listener(services.settings.current())
        services.events.listen(({ noun }) => {
          if (noun === 'settings') listener(services.settings.current())
        })
      },
      async backUp() {
        await store.backups.takeBeforeUpdate()
      },
      async look() {
        await Promise.all([services.scheduler.look(), services.alarms.look()])
      },
      async stop() {
        services.runtime.beginStop()
        await opened.disposeAsync()
        log.info({}, 'Millrace stopped')
      },
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The time that runs get to finish their current step, if their callers already have their response. */
const RUNS_GRACE_MS = 3_000

/** The next port, so that the playground's URL stays the same across restarts; any port if none is set. */
const beside = (port: number) => (port === 0 || port === 65_535 ? 0 : port + 1)

/** Null if the key isn't available. In that case, everything works except stored credentials. */
function fileKey(
  { masterKey, unlockedKey, keyFile }: Config,
  onLocked: (why: string) => void,
): MasterKey | null {
  const given = masterKey ?? unlockedKey
  if (given !== null) return createMasterKey(given)
  try {
    return createMasterKey(openKeyFile(keyFile, (count) => systemRandom.bytes(count)))
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
    onLocked(
      `Stored credentials stay locked, because the master key in ${keyFile} can be neither read nor created (${reason}). If a service has the key, start the service, or name the key file with MILLRACE_MASTER_KEY_FILE`,
    )
    return null
  }
}

/** Gives a new user a draft that runs unchanged. */
async function plantFirstSample({ flowSamples }: Services, userId: string): Promise<void> {
  await flowSamples.plant({ kind: 'session', userId, scopes: [], tokenId: null }, 'receive-an-order')
}

/** The sample flows, by file name. */
function readSamples(): ReadonlyMap<string, unknown> {
  const names = readdirSync(SAMPLES_DIR)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  return new Map(
    names.map((name) => [
      name.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(SAMPLES_DIR, name), 'utf8')) as unknown,
    ]),
  )
}

/** The documentation for users, by file name. */
function readDocs(): ReadonlyMap<string, string> {
  const paths = readdirSync(DOCS_DIR, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('internals'),
  )
  return new Map(paths.map((path) => [basename(path, '.md'), readFileSync(join(DOCS_DIR, path), 'utf8')]))
}

/** The built-in connectors, one per file. */
function readCatalogue(): unknown[] {
  const files = readdirSync(CATALOGUE_DIR).filter((name) => name.endsWith('.json'))
  return files.map((name) => JSON.parse(readFileSync(join(CATALOGUE_DIR, name), 'utf8')) as unknown)
}

/** The environment overrides the settings. */
function settingsOf({ webhookRateLimit: limit, trustedProxies, pageUrl }: Config): Partial<Settings> {
  return {
    ...(limit === null && { webhook_rate_limit_requests: null }),
    ...(limit && {
      webhook_rate_limit_requests: limit.requests,
      webhook_rate_limit_seconds: limit.seconds,
    }),
    ...(trustedProxies && { trusted_proxies: [...trustedProxies] }),
    ...(pageUrl !== undefined && { page_url: pageUrl }),
  }
}

const newBearer = () => Buffer.from(systemRandom.bytes(32)).toString('base64url')

/** @param host defaults to that of the main listener */
async function listen(server: Pick<HostServer, 'listen'>, port: number, host?: string): Promise<number> {
  const option = host === undefined ? '--port' : '--webhook-listen'
  try {
    return await server.listen(port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = whyNoPort(port, code)
    if (why !== null) {
      const anyPort = `${host === undefined ? '' : `${host}:`}0`
      throw new HostError(
        EXIT.portTaken,
        `${why}; choose another with ${option}, or any free one with ${option} ${anyPort}`,
        { cause: error },
      )
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new HostError(
        EXIT.usage,
        `${option} has the host "${host}", which isn't an address of this computer; 0.0.0.0 stands for all of them`,
        { cause: error },
      )
    }
    throw error
  }
}
