/** Arguments and environment, validated once at startup. */
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { isAddressRange, isPageUrl } from '../../shared/contract/settings.ts'
import { readDataLocation } from './folder/data-location.ts'
import { defaultFolders, type DefaultFolders } from './folder/default-folders.ts'
import { EXIT, HostError } from './machine/exit-codes.ts'
import { readGivenMasterKey } from './key/master-key-source.ts'
import { readPortFile } from './machine/tcp-port.ts'

export const DEFAULT_PORT = 4747

/** A second listener, for webhooks only, that other computers can reach. */
export interface WebhookListen {
  readonly host: string
  readonly port: number
  /** Rejects callers other than the trusted proxies and this computer, because the connection has no TLS. */
  readonly onlyProxies: boolean
}

/** Requests per IP address in a window of the given number of seconds; null means no limit. */
export type RateLimit = { readonly requests: number; readonly seconds: number } | null

export interface Config {
  readonly port: number
  /** Whether the port comes from an argument or the environment, which override the settings screen. */
  readonly portIsGiven: boolean
  readonly dataDir: string
  /**
   * Whether the folder comes from an argument or the environment, which override the folder that the data was
   * moved to.
   */
  readonly dataDirIsGiven: boolean
  /** The file in which a host without a keychain stores the master key, never inside the data folder. */
  readonly keyFile: string
  /** The key from the environment; null if it names none. */
  readonly masterKey: Buffer | null
  /** The unlocked key of a key file that a passphrase protects, once that is known (unlock-key.ts). */
  readonly unlockedKey: Buffer | null
  /** The file that the key came from; null if the environment has the key itself, or there is none. */
  readonly masterKeyFile: string | null
  /** Undefined if the settings decide. */
  readonly webhookRateLimit: RateLimit | undefined
  /** Whether Millrace was started by `npm run dev`. */
  readonly isDevelopment: boolean
  /** Null if there is no such listener. */
  readonly webhookListen: WebhookListen | null
  /** Addresses and ranges of the proxies in front of Millrace; undefined if the settings decide. */
  readonly trustedProxies: readonly string[] | undefined
  /** The URL at which a proxy serves the app; undefined if the settings decide. */
  readonly pageUrl: string | undefined
}

export interface ConfigSource {
  readonly arguments?: {
    readonly port?: string | undefined
    readonly dataDir?: string | undefined
    readonly webhookListen?: string | undefined
    readonly insecure?: boolean | undefined
  }
  readonly environment?: NodeJS.ProcessEnv
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/**
 * Arguments override the environment, which overrides the saved port, which overrides the defaults.
 *
 * @throws HostError `usage` naming the argument or variable and what it should be
 */
export function readConfig({
  arguments: given = {},
  environment = process.env,
  platform = process.platform,
  home = homedir(),
}: ConfigSource = {}): Config {
  const paths = pathsOf(platform)
  const folders = defaultFolders(platform, environment, home)
  const givenDir = given.dataDir ?? (environment.MILLRACE_DATA_DIR || null)
  const dataDir = paths.resolve(givenDir ?? readDataLocation(folders) ?? folders.data)
  if (paths.dirname(dataDir) === dataDir)
    throw usage(`The data folder is ${dataDir}, a whole disk; choose a folder on it with --data-dir`)
  const port = readPort(given.port, environment.MILLRACE_PORT)
  const masterKey = readGivenMasterKey(environment, platform)
  if (masterKey !== null && masterKey.file !== null && isInside(dataDir, masterKey.file, platform)) {
    throw usage(
      `The master key is in the data folder (${masterKey.file}), so a copy of the data would include it; move it elsewhere`,
    )
  }
  const trustedProxies = readTrustedProxies(environment.MILLRACE_TRUSTED_PROXIES)
  return {
    port: port ?? readPortFile(dataDir) ?? DEFAULT_PORT,
    portIsGiven: port !== null,
    dataDir,
    dataDirIsGiven: givenDir !== null,
    keyFile: keyFileOf(dataDir, folders, platform),
    masterKey: masterKey?.key ?? null,
    unlockedKey: null,
    masterKeyFile: masterKey?.file ?? null,
    webhookRateLimit: readRateLimit(environment.MILLRACE_WEBHOOK_RATE_LIMIT),
    isDevelopment: environment.NODE_ENV === 'development',
    webhookListen: readWebhookListen(given.webhookListen, environment.MILLRACE_WEBHOOK_LISTEN, {
      insecure: given.insecure === true || isOn(environment.MILLRACE_INSECURE),
      hasProxies: trustedProxies !== undefined,
    }),
    trustedProxies,
    pageUrl: readPageUrl(environment.MILLRACE_PAGE_URL),
  }
}

const pathsOf = (platform: NodeJS.Platform) => (platform === 'win32' ? win32 : posix)

/** A copy of the data folder must not include its key. */
export function keyFileOf(
  dataDir: string,
  { config }: Pick<DefaultFolders, 'config'>,
  platform: NodeJS.Platform,
): string {
  const keyFile = pathsOf(platform).join(config, 'master.key')
  return isInside(dataDir, keyFile, platform) ? `${dataDir}.key` : keyFile
}

/** Disks on macOS usually ignore case. So do those on Windows, where `relative` takes care of it. */
function isInside(folder: string, file: string, platform: NodeJS.Platform): boolean {
  const paths = pathsOf(platform)
  const path =
    platform === 'darwin'
      ? paths.relative(folder.toLowerCase(), file.toLowerCase())
      : paths.relative(folder, file)
  return path !== '..' && !path.startsWith(`..${paths.sep}`) && !paths.isAbsolute(path)
}

function readPort(argument: string | undefined, variable: string | undefined): number | null {
  const [name, text] = argument === undefined ? ['MILLRACE_PORT', variable] : ['--port', argument]
  if (!text) return null
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw usage(`${name} is "${shown(text)}", but must be a whole number from 0 to 65535 (0 for any free port)`)
}

function readRateLimit(text: string | undefined): RateLimit | undefined {
  if (!text) return undefined
  if (text === 'off') return null
  const [, requests, seconds] = /^(\d{1,7})\/(\d{1,5})$/.exec(text) ?? []
  const limit = { requests: Number(requests), seconds: Number(seconds) }
  if (limit.requests >= 1 && limit.seconds >= 1 && limit.seconds <= 86_400) return limit
  throw usage(
    `MILLRACE_WEBHOOK_RATE_LIMIT is "${shown(text)}", but must read requests/seconds, like 300/300, or off`,
  )
}

/** @throws HostError `usage` for an address that other computers can reach, unless a proxy provides TLS or `insecure` is set */
function readWebhookListen(
  argument: string | undefined,
  variable: string | undefined,
  { insecure, hasProxies }: { readonly insecure: boolean; readonly hasProxies: boolean },
): WebhookListen | null {
  const [name, text] =
    argument === undefined ? ['MILLRACE_WEBHOOK_LISTEN', variable] : ['--webhook-listen', argument]
  if (!text) return null
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535))
    throw usage(`${name} is "${shown(text)}", but must read HOST:PORT, like 127.0.0.1:4750 or [::1]:4750`)
  const isLocal = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  if (!isLocal && !insecure && !hasProxies) {
    throw usage(
      `${name} is ${shown(text)}, which other computers reach without TLS: put a proxy with TLS in front and name its IP address in MILLRACE_TRUSTED_PROXIES, or add --insecure`,
    )
  }
  return { host, port, onlyProxies: !isLocal && !insecure }
}

function readTrustedProxies(text: string | undefined): readonly string[] | undefined {
  if (!text) return undefined
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => !isAddressRange(entry))
  if (wrong === undefined) return entries
  throw usage(
    `MILLRACE_TRUSTED_PROXIES has "${shown(wrong)}", but must have IP addresses and ranges, separated by commas, like 10.0.0.2,172.16.0.0/12`,
  )
}

function readPageUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (isPageUrl(text)) return text
  throw usage(
    `MILLRACE_PAGE_URL is "${shown(text)}", but must be https:// and the name of a host, like https://box.example.com`,
  )
}

function isOn(text: string | undefined): boolean {
  return text === '1' || text === 'true'
}

const usage = (message: string) => new HostError(EXIT.usage, message)
const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
