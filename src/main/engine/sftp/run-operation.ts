/** Talks to SFTP servers with ssh2-sftp-client. */
import { say, type Said, sentenceOf } from '../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../shared/trim.ts'
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { posix } from 'node:path'
import type SftpClient from 'ssh2-sftp-client'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { pathBelow, type SftpAddress } from './address.ts'
import type { SftpContent, SftpOperation } from './operation.ts'
import { SftpError } from './sftp-error.ts'
import { SSH_ALGORITHMS } from './ssh-algorithms.ts'

export interface SftpPorts {
  /** Connects under the rules for outgoing calls. */
  readonly openSocket: (
    host: string,
    port: number,
    options: { readonly timeoutMs: number },
  ) => Promise<Socket>
  readonly readFile: (fileId: string) => Uint8Array | null
  /** Stores a file that was read. */
  readonly keepFile: (filename: string, content: AsyncIterable<Uint8Array>) => Promise<Data>
  readonly limits?: Partial<SftpLimits>
}

export interface SftpLimits {
  readonly connectMs: number
  readonly wholeMs: number
  /** The maximum size of a file that is read. */
  readonly fileBytes: number
  readonly entries: number
}

export const SFTP_LIMITS: SftpLimits = {
  connectMs: 10_000,
  wholeMs: 300_000,
  fileBytes: 50_000_000,
  entries: 50_000,
}

export interface SftpCall {
  readonly address: SftpAddress
  readonly operation: SftpOperation
  /** The fingerprint that the server's key must have, `SHA256:…`; empty on the first connection. */
  readonly hostKey: string
  /** Called after the first successful login to a server. */
  readonly pin: (fingerprint: string) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

/** @throws SftpError */
export async function runSftp(call: SftpCall, ports: SftpPorts): Promise<Data> {
  const limits = { ...SFTP_LIMITS, ...ports.limits }
  const { address, operation, signal } = call
  const { default: Client } = await import('ssh2-sftp-client')
  const place = `${address.host}:${address.port}`
  // Errors outside a call are already reported by the pending call, since the socket ends.
  const client = new Client('millrace', { error: () => {}, end: () => {}, close: () => {} })
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  const timer = setTimeout(
    () =>
      ended.reject(
        new SftpError(
          say('{{place}} took longer than {{seconds}} s', {
            place,
            seconds: Math.round(limits.wholeMs / 1000),
          }),
          {
            code: 'timeout',
          },
        ),
      ),
    limits.wholeMs,
  )
  const onAbort = () =>
    ended.reject(new SftpError(say('The call was cancelled'), { code: 'cancelled', cause: signal?.reason }))
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  let socket: Socket | undefined
  let what = ''
  try {
    socket = await Promise.race([
      ports.openSocket(address.host, address.port, { timeoutMs: limits.connectMs }),
      ended.promise,
    ])
    const seen = await Promise.race([logIn(client, socket, call, limits), ended.promise])
    if (call.hostKey === '') await call.pin(seen)
    what = `${operation.operation} "${operation.path.slice(0, 200)}": `
    return await Promise.race([perform(client, operation, address, { ...ports, limits }), ended.promise])
  } catch (error) {
    throw toSftpError(error, what, place)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    client.end().catch(() => {})
    socket?.destroy()
  }
}

/** Returns the fingerprint of the server's key. */
async function logIn(
  client: SftpClient,
  socket: Socket,
  { address, hostKey }: SftpCall,
  limits: SftpLimits,
): Promise<string> {
  let seen = ''
  try {
    await client.connect({
      sock: socket,
      username: address.username,
      ...(address.password === '' ? {} : { password: address.password }),
      ...(address.privateKey === '' ? {} : { privateKey: address.privateKey }),
      ...(address.passphrase === '' ? {} : { passphrase: address.passphrase }),
      readyTimeout: limits.connectMs,
      algorithms: SSH_ALGORITHMS,
      hostVerifier(key: Buffer) {
        seen = fingerprintOf(key)
        return hostKey === '' || seen === hostKey
      },
    })
  } catch (error) {
    if (hostKey !== '' && seen !== '' && seen !== hostKey) throw changedKey(address, hostKey, seen)
    throw error
  }
  return seen
}

/** The fingerprint in the format of `ssh-keygen -l`. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${trimEnd(createHash('sha256').update(key).digest('base64'), '=')}`
}

function changedKey({ host, port }: SftpAddress, known: string, seen: string): SftpError {
  return new SftpError(
    say(
      'The host key of {{host}}:{{port}} has changed: it was {{known}} and is {{seen}} now. Somebody may be intercepting the connection. If the server was reinstalled, clear the host key in the connector auth and try again',
      { host, port, known, seen },
    ),
    { code: 'host_key_changed' },
  )
}

type Ports = SftpPorts & { readonly limits: SftpLimits }

async function perform(
  client: SftpClient,
  operation: SftpOperation,
  address: SftpAddress,
  ports: Ports,
): Promise<Data> {
  const path = pathBelow(address, operation.path)
  const shown = operation.path
  switch (operation.operation) {
    case 'list':
      return list(client, path, shown, ports)
    case 'read':
      return read(client, path, operation, ports)
    case 'write': {
      const content = contentOf(operation.content, ports)
      if (operation.makeFolders) await makeFolder(client, posix.dirname(path))
      await (operation.append ? client.append(content, path) : client.put(content, path))
      return dictionaryOf([
        ['path', shown],
        ['size', content.length],
      ])
    }
    case 'move': {
      const to = pathBelow(address, operation.to)
      if (!operation.overwrite && (await client.exists(to)) !== false)
        throw new SftpError(
          say('"{{path}}" already exists; send "overwrite": true to replace it', { path: operation.to }),
        )
      await (operation.overwrite ? replace(client, path, to) : client.rename(path, to))
      return dictionaryOf([
        ['path', operation.to],
        ['moved_from', shown],
      ])
    }
    default: {
      const kind = await client.exists(path)
      if (kind === false) throw new SftpError(say('"{{path}}" doesn\'t exist', { path: shown }))
      await (kind === 'd' ? client.rmdir(path, operation.recursive) : client.delete(path))
      return dictionaryOf([
        ['path', shown],
        ['deleted', true],
      ])
    }
  }
}

/** Replaces a file, atomically if the server supports it. */
async function replace(client: SftpClient, path: string, to: string): Promise<void> {
  try {
    await client.posixRename(path, to)
  } catch (error) {
    if (!(error instanceof Error) || !/not support/i.test(error.message)) throw error
    await client.delete(to, true)
    await client.rename(path, to)
  }
}

const KINDS: Readonly<Record<string, string>> = { '-': 'file', d: 'folder', l: 'link' }

async function list(client: SftpClient, path: string, shown: string, { limits }: Ports): Promise<Data> {
  const entries = await client.list(path)
  if (entries.length > limits.entries)
    throw new SftpError(
      say('"{{path}}" has {{count}} entries; the limit is {{limit}}', {
        path: shown,
        count: entries.length,
        limit: limits.entries,
      }),
      {
        code: 'too_large',
      },
    )
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) =>
      dictionaryOf([
        ['name', entry.name],
        ['path', posix.join(shown, entry.name)],
        ['type', KINDS[entry.type] ?? 'other'],
        ['size', entry.size],
        ['modified_at', new Date(entry.modifyTime).toISOString()],
      ]),
    )
}

async function read(
  client: SftpClient,
  path: string,
  { path: shown, as }: Extract<SftpOperation, { operation: 'read' }>,
  { limits, keepFile }: Ports,
): Promise<Data> {
  const { isFile, size } = await client.stat(path)
  if (!isFile) throw new SftpError(say('"{{path}}" isn\'t a file', { path: shown }))
  if (size > limits.fileBytes) throw tooLarge(shown, limits)
  const stream = client.createReadStream(path)
  // The stream closes its file after reading. If the connection breaks before the server confirms that, the error
  // doesn't matter.
  stream.on('error', () => {})
  const pieces = limited(stream, shown, limits)
  if (as === 'file') return keepFile(posix.basename(path), pieces)
  const chunks: Uint8Array[] = []
  for await (const piece of pieces) chunks.push(piece)
  const bytes = Buffer.concat(chunks)
  return dictionaryOf([
    ['path', shown],
    ['size', bytes.length],
    as === 'base64' ? ['base64', bytes.toString('base64')] : ['text', textOf(bytes, shown)],
  ])
}

/** The size that a server reports isn't trusted. */
async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  shown: string,
  limits: SftpLimits,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > limits.fileBytes) throw tooLarge(shown, limits)
    yield piece
  }
}

function tooLarge(shown: string, { fileBytes }: SftpLimits): SftpError {
  return new SftpError(
    say('"{{path}}" exceeds the limit of {{limit}} bytes', { path: shown, limit: fileBytes }),
    {
      code: 'too_large',
    },
  )
}

function textOf(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SftpError(say('"{{path}}" isn\'t UTF-8 text; read it as base64 or as a file', { path: shown }))
  }
}

function contentOf(content: SftpContent, { readFile }: Ports): Buffer {
  if (content.kind === 'bytes') return Buffer.from(content.bytes)
  const bytes = readFile(content.fileId)
  if (bytes === null)
    throw new SftpError(say('There is no file "{{id}}"', { id: content.fileId.slice(0, 60) }))
  return Buffer.from(bytes)
}

async function makeFolder(client: SftpClient, folder: string): Promise<void> {
  if (folder === '.' || folder === '/' || (await client.exists(folder)) !== false) return
  await client.mkdir(folder, true)
}

const REASONS: readonly (readonly [pattern: RegExp, reason: Said])[] = [
  [/authentication methods failed/i, say('rejected the login; check the username and the password or key')],
  [/passphrase/i, say("wasn't contacted: the passphrase of the private key is missing or wrong")],
  [
    /cannot parse privateKey|unsupported key format/i,
    say("wasn't contacted: can't read the private key; it must be in PEM or OpenSSH format"),
  ],
  [/no such file/i, say('has no such file or folder')],
  [/permission denied/i, say("doesn't permit it")],
  [/timed out while waiting for handshake|Timed out/i, say("didn't respond in time")],
  [/connection lost|ECONNRESET|socket|not connected/i, say('closed the connection')],
]

function toSftpError(error: unknown, what: string, place: string): Error {
  if (error instanceof SftpError || !(error instanceof Error)) return error as Error
  if ('delivered' in error) return new SftpError(sentenceOf(error), { cause: error }) // a RequestError of the connection
  const reason =
    REASONS.find(([pattern]) => pattern.test(error.message))?.[1] ??
    say('failed: {{reason}}', { reason: error.message.slice(0, 200) })
  return new SftpError(say('{{what}}{{place}} {{reason}}', { what, place, reason }), { cause: error })
}
