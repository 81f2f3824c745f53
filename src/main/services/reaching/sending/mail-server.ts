import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { parseApiEndpoint } from './api-endpoint.ts'
import { resolveHost } from './resolve-host.ts'
import { serverUnusable } from './server-unusable.ts'

export interface MailServer {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly secure: boolean
  /** Whether the server is on this machine. */
  readonly isLocal: boolean
  readonly user: string
  readonly pass: string
}

const PROTOCOLS = {
  smtp: {
    port: 587,
    securePort: 465,
    invalid: say(
      'Invalid mail server URL; write it as smtp://smtp.example.com:587, or smtps://smtp.example.com:465',
    ),
  },
  imap: {
    port: 143,
    securePort: 993,
    invalid: say(
      'Invalid mailbox URL; write it as imaps://imap.example.com:993, or imap://imap.example.com:143',
    ),
  },
} as const

/** The server in an auth's URL. The auth's own fields override the login in the URL. */
export async function findMailServer(auth: OpenAuth, protocol: keyof typeof PROTOCOLS): Promise<MailServer> {
  const { port, securePort, invalid } = PROTOCOLS[protocol]
  const endpoint = parseApiEndpoint(auth.api_endpoint)
  const url = endpoint && URL.parse(`${endpoint.scheme}${endpoint.host}`)
  const scheme = endpoint?.scheme.toLowerCase()
  const secure = scheme === `${protocol}s://`
  if (!endpoint || !url || url.hostname === '' || (!secure && scheme !== `${protocol}://`)) {
    throw new AppError('validation', invalid)
  }
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const { address, isLocal } = await resolveHost(name, 'mail')
  return {
    name,
    address,
    port: Number(url.port) || (secure ? securePort : port),
    secure,
    isLocal,
    user: auth.username || decodeURIComponent(endpoint.user ?? ''),
    pass: auth.password || decodeURIComponent(endpoint.password ?? ''),
  }
}

export function loginRejected(cause: Error, { name }: MailServer, said: Said): AppError {
  return new AppError(
    'unauthorized',
    say(
      'The mail server {{name}} rejected the login: {{reason}}; check the username and the password. Many providers require an app password',
      { name, reason: said },
    ),
    { cause },
  )
}

export function mailServerUnusable(error: Error, { name, port }: MailServer, said: Said): AppError {
  return serverUnusable(error, {
    server: say('the mail server {{name}}', { name }),
    port,
    said,
    aboutCertificates: say('use the name that it was made for, or let this computer trust its authority'),
  })
}
