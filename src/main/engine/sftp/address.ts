import { say } from '../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../shared/trim.ts'
import { posix } from 'node:path'
import type { OpenAuth } from '../connector/open-auth.ts'
import { SftpError } from './sftp-error.ts'

/** The location of an SFTP server, and the login for it. */
export interface SftpAddress {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  /** PEM or OpenSSH format; empty if there is none. */
  readonly privateKey: string
  readonly passphrase: string
  /** The folder that paths are relative to and can't leave; empty for the login's home folder. */
  readonly root: string
}

export const isSftpAddress = (address: string) => /^sftp:\/\//i.test(address.trim())

/**
 * Reads `sftp://user:password@host:22/folder`. The fields of the auth take precedence over the login in the URL.
 *
 * @throws SftpError
 */
export function readSftpAddress(address: string, auth: OpenAuth | null): SftpAddress {
  // With a scheme that the URL class knows, hosts are parsed as in http URLs.
  const url = URL.parse(address.trim().replace(/^sftp:/i, 'http:'))
  if (url === null || url.hostname === '')
    throw new SftpError(say('Invalid SFTP URL; write sftp://user@host/folder'))
  const input = (auth?.user_input ?? {}) as Readonly<Record<string, unknown>>
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '')
  const portOfInput = Number(input['port'] ?? 0)
  const username = auth?.username || decode(url.username)
  if (username === '')
    throw new SftpError(
      say('No username for {{hostname}}; add one to the connector auth', { hostname: url.hostname }),
    )
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (/^sftp:\/\/[^/]*:80(?:\/|$)/i.test(address) ? 80 : portOfInput || 22),
    username,
    password: auth?.password || decode(url.password),
    privateKey: text('private_key'),
    passphrase: text('passphrase'),
    root: trimEnd(decode(url.pathname), '/'),
  }
}

/**
 * The path on the server. A leading `/` is relative to the folder of the URL too.
 *
 * @throws SftpError if it leads out of that folder, because paths come from data
 */
export function pathBelow({ root }: SftpAddress, path: string): string {
  if (path.includes('\0') || path.length > MAX_PATH)
    throw new SftpError(say('A path contains a NUL character or is too long'))
  if (root === '') return path === '' ? '.' : posix.normalize(path)
  const whole = posix.normalize(posix.join(root, path))
  if (whole === root || whole === `${root}/` || whole.startsWith(`${root}/`)) return whole
  throw new SftpError(
    say('The path "{{path}}" is outside of the folder {{root}} of the URL', {
      path: path.slice(0, 200),
      root,
    }),
  )
}

const MAX_PATH = 4_096

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
