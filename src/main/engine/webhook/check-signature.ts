/** Verifies the signatures of webhook requests, and makes new ones for requests that are sent again. */
import { say, Message, type Said } from '../../../shared/contract/base/message.ts'
import type { SignatureConfig } from '../../../shared/contract/step-types/triggers/webhook.ts'
import { SCHEMES, type SignedRequest } from './signature-schemes.ts'

export type { SignedRequest } from './signature-schemes.ts'

export type SignatureVerdict =
  /** @property id identifies this delivery, so that a repeat is recognized; null if the sender provides none */
  { readonly isGood: true; readonly id: string | null } | { readonly isGood: false; readonly reason: Said }

interface Signing {
  readonly request: SignedRequest
  /** One secret or, during a rotation, several, each on its own line. */
  readonly secret: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

export function checkSignature(config: SignatureConfig, { request, secret, now }: Signing): SignatureVerdict {
  const secrets = linesOf(secret)
  const claim = SCHEMES[config.scheme].claim(request, config, secrets)
  if (claim instanceof Message) return { isGood: false, reason: claim }
  const { timestamp, isSignedWith, id, mismatch = MISMATCH } = claim
  if (timestamp !== null) {
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN
    const { tolerance_seconds: tolerance } = config
    if (Number.isNaN(seconds))
      return { isGood: false, reason: say("The signature's timestamp isn't a Unix time in seconds") }
    const off = Math.abs(now / 1000 - seconds)
    if (off > tolerance)
      return {
        isGood: false,
        reason: say(
          "The signature's timestamp is {{seconds}} s off (limit {{limit}} s); check the clocks of the sender and of this computer",
          { seconds: Math.ceil(off), limit: tolerance },
        ),
      }
  }
  return secrets.some(isSignedWith) ? { isGood: true, id: id() } : { isGood: false, reason: mismatch }
}

const MISMATCH = say("The signature doesn't match the body and the secret")

/**
 * The headers of a new signature, by name. They replace those of the first signature; the delivery ID stays. Null
 * if the secret is missing, or is a public key, which can't sign.
 */
export function signatureOf(
  config: SignatureConfig,
  { request, secret, now }: Signing,
): Readonly<Record<string, string>> | null {
  const key = linesOf(secret).find((line) => !line.startsWith('whpk_'))
  if (key === undefined) return null
  const timestamp = String(Math.floor(now / 1000))
  return SCHEMES[config.scheme].sign?.(request, config, { secret: key, timestamp }) ?? null
}

function linesOf(secret: string): string[] {
  return secret.split(/\r?\n/).filter((line) => line !== '')
}
