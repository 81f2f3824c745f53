/**
 * The encryption and checks of a connection to a database server: from `sslmode` in the URL and the auth's
 * certificates.
 */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'

export interface DatabaseTls {
  readonly servername?: string
  readonly rejectUnauthorized: boolean
  /** Whether the certificate must be for this host. */
  readonly checksHost: boolean
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined
  /** In PEM format. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
}

export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof SSL_MODES)[number]

/**
 * Null means no TLS. If the URL asks for nothing, a login is never sent in plain text, except to a server on this
 * machine.
 */
export function tlsOf(
  wanted: SslMode | null,
  name: string,
  isLocal: boolean,
  auth: OpenAuth,
): DatabaseTls | null {
  const certificates = readCertificates(auth)
  const isPlain = isLocal && certificates === null
  const mode = wanted ?? (isPlain ? 'disable' : 'verify-full')
  if (mode === 'disable') return null
  const checksHost = mode === 'verify-full'
  return {
    // A server name isn't allowed for an IP address.
    ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
    // As in PostgreSQL's own programs, a given certificate authority is always checked.
    rejectUnauthorized: mode !== 'require' || certificates?.ca !== undefined,
    checksHost,
    checkServerIdentity: (_, certificate) =>
      checksHost ? checkServerIdentity(name, certificate) : undefined,
    ...certificates,
  }
}

type Certificates = Pick<DatabaseTls, 'ca' | 'cert' | 'key' | 'passphrase'>

function readCertificates({ user_input: input }: OpenAuth): Certificates | null {
  const field = (name: string) => {
    const value = (input as Readonly<Record<string, unknown>>)[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
  }
  const [ca, cert, key] = [field('ca_certificate'), field('client_certificate'), field('private_key')]
  if (ca === undefined && cert === undefined && key === undefined) return null
  if ((cert === undefined) !== (key === undefined)) {
    throw new AppError(
      'validation',
      say('The connector auth has a {{what}}; enter both or none', {
        what:
          cert === undefined
            ? say('private key without its client certificate')
            : say('client certificate without its private key'),
      }),
    )
  }
  requireCertificate(say('CA certificate'), ca)
  requireCertificate(say('client certificate'), cert)
  const passphrase = field('passphrase')
  const client = cert !== undefined && key !== undefined && { cert, key, ...(passphrase && { passphrase }) }
  try {
    if (client) createSecureContext(client)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.replace(/^.*::/, '') : String(cause)
    throw new AppError(
      'validation',
      say(
        "The private key of the connector auth can't be used ({{reason}}); enter it in PEM, with its passphrase if it has one, and check that it belongs to the client certificate",
        { reason: said.slice(0, 100) },
      ),
      { cause },
    )
  }
  return { ...(ca !== undefined && { ca }), ...client }
}

function requireCertificate(what: Said, pem: string | undefined): void {
  if (pem === undefined) return
  try {
    if (pem.startsWith('-----BEGIN')) return void new X509Certificate(pem)
  } catch {
    // Reported below.
  }
  throw new AppError(
    'validation',
    say(
      "The {{what}} of the connector auth isn't a PEM certificate, which begins with -----BEGIN CERTIFICATE-----",
      { what },
    ),
  )
}
