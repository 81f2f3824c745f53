/** The expiry of credentials that a user entered, if they contain it. */
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { asPem, inputOf } from '../../../engine/connector/signing/parts.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'

/** In ISO 8601; null if unknown. Tokens from a sign-in come with an expiry of their own. */
export function expiryOf(auth: OpenAuth): string | null {
  if (auth.auth_type === 'oauth2') return null
  const ends = [endOfToken(auth.auth_token)]
  if (auth.auth_type === 'client_certificate') ends.push(endOfCertificate(auth))
  const known = ends.filter((end) => end !== null && Number.isFinite(end) && Math.abs(end) < LATEST_MS)
  return known.length === 0 ? null : new Date(Math.min(...(known as number[]))).toISOString()
}

/** The last time that a date can hold. */
const LATEST_MS = 8.64e15

/** `exp` of a JWT. */
function endOfToken(token: string): number | null {
  const [, claims = '', signature] = token.split('.')
  if (signature === undefined) return null
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1_000 : null
  } catch {
    return null
  }
}

function endOfCertificate(auth: OpenAuth): number | null {
  const pfx = inputOf(auth, 'pfx')
  try {
    const certificate =
      pfx === '' ? asPem(inputOf(auth, 'certificate')) : certificateIn(pfx, inputOf(auth, 'passphrase'))
    return Date.parse(new X509Certificate(certificate).validTo)
  } catch {
    return null // the call that uses the certificate reports the error
  }
}

/** Node can only load a PKCS #12 file into a TLS context, from which the certificate can be read. */
function certificateIn(pfx: string, passphrase: string): Uint8Array {
  const { context } = createSecureContext({ pfx: Buffer.from(pfx, 'base64'), passphrase })
  return (context as { getCertificate: () => Uint8Array }).getCertificate()
}
