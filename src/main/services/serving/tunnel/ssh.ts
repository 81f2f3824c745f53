/** Remote forwarding through an SSH server: the user's own, or a service such as localhost.run. */
import { quoted, say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Client, ClientChannel } from 'ssh2'
import type { TunnelSettings } from '../../../../shared/contract/reach/tunnel.ts'
import { SSH_ALGORITHMS } from '../../../engine/sftp/ssh-algorithms.ts'
import type { Outgoing } from '../../reaching/sending/outgoing.ts'
import { type TunnelProvider, TunnelProblem, type TunnelRun, untilAborted } from './provider.ts'

export interface SshOptions {
  readonly settings: TunnelSettings
  readonly password: string | undefined
  readonly privateKey: string | undefined
  readonly passphrase: string | undefined
  readonly openSocket: Outgoing['openSocket']
  /** Called with a host key that hasn't been accepted. */
  readonly onHostKey: (fingerprint: string) => void
}

export function createSsh(options: SshOptions): TunnelProvider {
  return {
    // All callers count as one, because SSH only passes on bytes and can't add a header.
    clientHeader: null,
    async run(run) {
      const { settings } = options
      if (settings.ssh_host === '' || settings.ssh_username === '') {
        throw new TunnelProblem(say('The SSH server or its user is missing'), say('Enter both'), {
          needsUser: true,
        })
      }
      const ended = untilAborted(run.signal)
      const { default: ssh2 } = await import('ssh2')
      const client = new ssh2.Client()
      let socket: Socket | null = null
      try {
        socket = await options.openSocket(settings.ssh_host, settings.ssh_port, { timeoutMs: CONNECT_MS })
        client.on('close', () => ended.reject(lost(settings)))
        await logIn(client, socket, options)
        await forward(client, options, run)
        await ended.promise
      } catch (error) {
        if (error instanceof TunnelProblem) throw error
        throw new TunnelProblem(
          say('{{place}}: {{why}}', {
            place: `${settings.ssh_host}:${settings.ssh_port}`,
            why: error instanceof Error ? sentenceOf(error) : quoted(String(error)),
          }),
          say('Check the address of the SSH server and your network'),
          { cause: error },
        )
      } finally {
        client.on('error', () => {})
        client.destroy()
        socket?.destroy()
      }
    },
  }
}

const CONNECT_MS = 15_000
/** A dead connection is noticed after three unanswered messages. */
const KEEP_ALIVE_MS = 15_000
/** Time for the server to print its URL. */
const URL_WITHIN_MS = 20_000

function lost({ ssh_host: host, ssh_port: port }: TunnelSettings): TunnelProblem {
  return new TunnelProblem(
    say('The connection to {{host}}:{{port}} was lost', { host, port }),
    say('Check the SSH server and your network'),
  )
}

function logIn(client: Client, socket: Socket, options: SshOptions): Promise<void> {
  const { settings, password, privateKey, passphrase, onHostKey } = options
  let unaccepted: TunnelProblem | null = null
  return new Promise((resolve, reject) => {
    client.once('ready', resolve)
    client.on('error', (cause) => reject(unaccepted ?? refused(cause, settings)))
    client.once('close', () => reject(unaccepted ?? lost(settings)))
    try {
      client.connect({
        sock: socket,
        username: settings.ssh_username,
        ...(password !== undefined && { password }),
        ...(privateKey !== undefined && { privateKey }),
        ...(passphrase !== undefined && { passphrase }),
        readyTimeout: CONNECT_MS,
        algorithms: SSH_ALGORITHMS,
        keepaliveInterval: KEEP_ALIVE_MS,
        hostVerifier(key: Buffer) {
          const seen = fingerprintOf(key)
          if (seen === settings.ssh_host_key) return true
          unaccepted = unknownKey(settings, seen)
          onHostKey(seen)
          return false
        },
      })
    } catch (cause) {
      reject(
        new TunnelProblem(
          say("The private key can't be used: {{reason}}", { reason: (cause as Error).message }),
          say('Enter the key again, with its passphrase if it has one'),
          { needsUser: true, cause },
        ),
      )
    }
  })
}

/** The fingerprint in the form of `ssh-keygen -l`. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${trimEnd(createHash('sha256').update(key).digest('base64'), '=')}`
}

function unknownKey({ ssh_host: host, ssh_host_key: known }: TunnelSettings, seen: string): TunnelProblem {
  return known === null
    ? new TunnelProblem(
        say("The host key of {{host}} is {{key}}, which hasn't been accepted yet", { host, key: seen }),
        say('Compare it with the fingerprint that the server or its operator shows, then accept it'),
        { needsUser: true },
      )
    : new TunnelProblem(
        say('The host key of {{host}} has changed: it was {{known}} and is {{seen}} now', {
          host,
          known,
          seen,
        }),
        say(
          'Somebody may be intercepting the connection. Accept the new key only if you know that it was replaced on the server',
        ),
        { needsUser: true },
      )
}

function refused(cause: Error & { readonly level?: string }, settings: TunnelSettings): TunnelProblem {
  const { ssh_host: host, ssh_username: username } = settings
  return cause.level === 'client-authentication'
    ? new TunnelProblem(
        say('{{host}} rejected the login for {{user}}', { host, user: username }),
        say('Check the user, and the password or key'),
        { needsUser: true, cause },
      )
    : new TunnelProblem(
        say('{{place}}: {{why}}', { place: host, why: sentenceOf(cause) }),
        say('Check the SSH server and your network'),
        { cause },
      )
}

async function forward(
  client: Client,
  { settings }: SshOptions,
  { localPort, signal, onUrl }: TunnelRun,
): Promise<void> {
  client.on('tcp connection', (_details, accept) => join(accept(), localPort))
  // Opened first: services print the URL as soon as the port is bound.
  const printed = settings.ssh_url === null ? await openShell(client) : null
  const bound = await bind(client, settings)
  const url = settings.ssh_url?.replace('{port}', String(bound)) ?? (await urlFrom(printed))
  if (url === null) {
    throw new TunnelProblem(
      say('{{ssh_host}} opened port {{bound}} but returned no URL', { ssh_host: settings.ssh_host, bound }),
      say('Enter the public URL of that port; {port} stands for its number'),
      { needsUser: true },
    )
  }
  if (!signal.aborted) onUrl(url)
}

/** Joins a caller's connection with one to the local port. */
function join(channel: ClientChannel, localPort: number): void {
  const local = connect({ host: '127.0.0.1', port: localPort, noDelay: true })
  const end = () => {
    channel.destroy()
    local.destroy()
  }
  channel.on('error', end)
  local.on('error', end)
  channel.on('close', () => local.destroy())
  channel.pipe(local).pipe(channel)
}

function bind(client: Client, settings: TunnelSettings): Promise<number> {
  const { ssh_bind_address: address, ssh_bind_port: port, ssh_host: host } = settings
  return new Promise((resolve, reject) => {
    client.forwardIn(address, port, (error, bound) => {
      if (error === undefined || error === null) resolve(bound || port)
      else
        reject(
          new TunnelProblem(
            say("{{host}} doesn't forward port {{port}}: {{error}}", { host, port, error: error.message }),
            say(
              'Choose another port, or permit remote forwarding on the server (AllowTcpForwarding, GatewayPorts)',
            ),
            { cause: error },
          ),
        )
    })
  })
}

/** Null if the server offers no shell; it may still forward. */
function openShell(client: Client): Promise<ClientChannel | null> {
  return new Promise((resolve) => {
    client.shell(false, (error, channel) => resolve(error ? null : channel))
  })
}

function urlFrom(channel: ClientChannel | null): Promise<string | null> {
  if (channel === null) return Promise.resolve(null)
  return new Promise((resolve) => {
    let text = ''
    const timer = setTimeout(() => resolve(null), URL_WITHIN_MS)
    const read = (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-20_000)
      const url = tunnelUrlIn(text)
      if (url === null) return
      clearTimeout(timer)
      resolve(url)
    }
    channel.on('data', read)
    channel.stderr.on('data', read)
    channel.once('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
  })
}

/**
 * Finds the URL as serveo (`Forwarding HTTP traffic from …`) and localhost.run (`… tunneled with tls termination, …`)
 * print it.
 */
export function tunnelUrlIn(text: string): string | null {
  // oxlint-disable-next-line no-control-regex -- colors of terminals
  const plain = text.replaceAll(/\u001b\[[\d;]*m/g, '')
  // linear: looks at one character
  for (const line of plain.split(/(?<=\n)/)) {
    const from = line.search(/(?:forwarding|tunneled)\b/i)
    // The line may not be complete yet, so a character has to follow the URL.
    const [url] =
      (from === -1 ? null : /https?:\/\/[a-z0-9.-]+(?::\d+)?[^a-z0-9.:-]/i.exec(line.slice(from))) ?? []
    if (url !== undefined) return url.slice(0, -1)
  }
  return null
}
