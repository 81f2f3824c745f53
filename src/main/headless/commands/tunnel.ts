import { setTimeout as sleep } from 'node:timers/promises'
import {
  readTunnelRoute,
  startTunnelRoute,
  stopTunnelRoute,
  type Tunnel,
  TUNNEL_PROVIDERS,
  type TunnelChange,
  type TunnelProviderName,
} from '../../../shared/contract/reach/tunnel.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { readText } from '../support/text-file.ts'
import { requireRunningHost } from '../support/with-host.ts'

export interface TunnelOptions {
  readonly provider?: string
  readonly tokenFile?: string
  readonly url?: string
  readonly domain?: string
  readonly ssh?: string
  readonly keyFile?: string
  readonly passwordFile?: string
  readonly hostKey?: string
  readonly bind?: string
  readonly header?: string
  readonly localPort?: string
  readonly copyTo?: string
  readonly offAfter?: string
}

const LOOK_EVERY_MS = 100

/** Waits until there is a URL, or a reason why there is none. */
export async function startTunnel(
  { config, output }: CommandContext,
  options: TunnelOptions,
): Promise<ExitCode> {
  const host = await requireRunningHost(config)
  const before = await host.call(readTunnelRoute)
  const provider = readProvider(options.provider) ?? before.settings.provider
  let tunnel = await host.call(startTunnelRoute, { body: readChange(provider, options) })
  while (tunnel.state === 'starting') {
    output.progress({ text: 'Waiting for the public URL' })
    await sleep(LOOK_EVERY_MS)
    tunnel = await host.call(readTunnelRoute)
  }
  output.answer(tunnel, tunnel.public_url ?? describe(tunnel))
  if (tunnel.state === 'on') output.note(listOf(tunnel))
  return tunnel.state === 'on' ? EXIT.ok : EXIT.failed
}

export async function stopTunnel({ config, output }: CommandContext): Promise<void> {
  const host = await requireRunningHost(config)
  const tunnel = await host.call(stopTunnelRoute)
  output.answer(tunnel, describe(tunnel))
}

export async function showTunnel({ config, output }: CommandContext): Promise<ExitCode> {
  const host = await requireRunningHost(config)
  const tunnel = await host.call(readTunnelRoute)
  output.answer(tunnel, [describe(tunnel), ...(tunnel.state === 'off' ? [] : [listOf(tunnel)])].join('\n'))
  return tunnel.state === 'on' ? EXIT.ok : EXIT.failed
}

function describe({
  state,
  public_url: url,
  since,
  ends_at: end,
  problem,
  retry_at: retry,
  test,
}: Tunnel): string {
  if (state === 'off') return 'The public URL is off'
  if (state === 'starting') return 'The public URL is being turned on'
  if (problem !== null)
    return `No public URL: ${problem.message}. ${problem.hint}.${retry === null ? '' : ` Next try at ${retry}`}`
  const lastAnswer = test.answered_at === null ? 'No response yet' : `Last response at ${test.answered_at}`
  return [
    `${url} since ${since}${end === null ? '' : `, until ${end}`}`,
    test.message === null ? lastAnswer : `${lastAnswer}; now: ${test.message}`,
  ].join('\n')
}

function listOf({ exposed, public_url: publicUrl }: Tunnel): string {
  if (exposed.length === 0) return 'No flow can be reached: none has a webhook'
  const lines = exposed.map(({ name, url, protection }) => {
    const flow = `${name} (${protection.length === 0 ? 'open to anyone' : protection.join(' and ')})`
    return publicUrl === null ? `  ${flow}` : `  ${url}  ${flow}`
  })
  return [publicUrl === null ? 'Once there is one, others can reach:' : 'Others can reach:', ...lines].join(
    '\n',
  )
}

function readChange(provider: TunnelProviderName, options: TunnelOptions): TunnelChange {
  const { url, domain, header, hostKey, localPort, copyTo, offAfter } = options
  const token = readSecret(options.tokenFile)
  const key = readSecret(options.keyFile)
  const password = readSecret(options.passwordFile)
  const hasKey = key !== undefined
  return {
    provider,
    ...readSsh(options.ssh),
    ...readBind(options.bind),
    ...(token !== undefined &&
      (provider === 'ngrok' ? { ngrok_token: token } : { cloudflared_token: token })),
    ...(hasKey && { ssh_private_key: `${key}\n`, ssh_password: null }),
    ...(password !== undefined &&
      (hasKey ? { ssh_passphrase: password } : { ssh_password: password, ssh_private_key: null })),
    ...(url !== undefined && { [URL_OF[provider]]: url }),
    ...(domain !== undefined && { ngrok_domain: domain }),
    ...(header !== undefined && { own_header: header.toLowerCase() }),
    ...(hostKey !== undefined && { ssh_host_key: hostKey }),
    ...(localPort !== undefined && { local_port: readNumber('--local-port', localPort, 'any') }),
    ...(copyTo !== undefined && { copy_port: readNumber('--copy-to', copyTo, 'off') }),
    ...(offAfter !== undefined && { off_after_minutes: readNumber('--off-after', offAfter, 'never') }),
  }
}

const URL_OF = {
  cloudflared: 'cloudflared_url',
  ngrok: 'ngrok_domain',
  ssh: 'ssh_url',
  own: 'own_url',
} as const

function readProvider(text: string | undefined): TunnelProviderName | undefined {
  if (text === undefined) return undefined
  const provider = TUNNEL_PROVIDERS.find((name) => name === text)
  if (provider !== undefined) return provider
  throw usage(`--provider is "${text}", but must be one of ${TUNNEL_PROVIDERS.join(', ')}`)
}

function readSsh(text: string | undefined): TunnelChange {
  if (text === undefined) return {}
  const [, username, bracketed, plain, port = '22'] =
    /^([^@\s]+)@(?:\[([^\]]+)\]|([^:\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (username === undefined || host === undefined)
    throw usage(`--ssh is "${text}", but must read user@host or user@host:port`)
  return { ssh_username: username, ssh_host: host, ssh_port: Number(port) }
}

function readBind(text: string | undefined): TunnelChange {
  if (text === undefined) return {}
  const [, address, port] = /^(?:([^\s]*):)?(\d{1,5})$/.exec(text) ?? []
  if (port === undefined) throw usage(`--bind is "${text}", but must read address:port, :port or port`)
  return { ssh_bind_address: address ?? '', ssh_bind_port: Number(port) }
}

function readNumber(option: string, text: string, none: string): number | null {
  if (text === none) return null
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw usage(`${option} is "${text}", but must be a number or "${none}"`)
}

function readSecret(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readText(file).trim()
}

const usage = (message: string) => new HostError(EXIT.usage, message)
