/** Verifies the signature of a webhook request in the schemes of common services. */
import { say, Message, type Said } from '../../../shared/contract/base/message.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignatureConfig } from '../../../shared/contract/step-types/triggers/webhook.ts'
import { getKey, isDictionary, parseJson } from '@millrace/jinja/data'

export interface SignedRequest {
  /** Null if there is no such header, or it is empty. */
  readonly header: (name: string) => string | null
  /** As it was signed. */
  readonly body: Buffer
}

export type SignatureVerdict =
  /** @property id identifies this delivery, so that a repeated one is recognized; null if the sender provides none */
  { readonly isGood: true; readonly id: string | null } | { readonly isGood: false; readonly reason: Said }

/**
 * @param secret one or, during a rotation, several, each on its own line
 * @param now milliseconds since the Unix epoch
 */
export function checkSignature(
  config: SignatureConfig,
  {
    request,
    secret,
    now,
  }: { readonly request: SignedRequest; readonly secret: string; readonly now: number },
): SignatureVerdict {
  const claim = SCHEMES[config.scheme](request, config)
  if (claim instanceof Message) return { isGood: false, reason: claim }
  const { timestamp, signatures, signed, algorithm = 'sha256', keyOf = plainKey, id } = claim
  if (timestamp !== null) {
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN
    const { tolerance_seconds: tolerance } = config
    if (!(Math.abs(now / 1000 - seconds) <= tolerance))
      return {
        isGood: false,
        reason: say("The signature's timestamp is more than {{seconds}} seconds off", { seconds: tolerance }),
      }
  }
  const isSigned = secret
    .split(/\r?\n/)
    .filter((one) => one !== '')
    .some((one) => {
      const expected = createHmac(algorithm, keyOf(one)).update(signed).digest()
      return signatures.some((given) => given.length === expected.length && timingSafeEqual(given, expected))
    })
  if (!isSigned) return { isGood: false, reason: say("The signature doesn't match the body and the secret") }
  return { isGood: true, id: id() }
}

/** The signature in the request and what it covers. */
interface Claim {
  /** In seconds; null if the scheme has none. */
  readonly timestamp: string | null
  readonly signatures: readonly Buffer[]
  readonly signed: Buffer
  readonly algorithm?: SignatureConfig['algorithm']
  readonly keyOf?: (secret: string) => Buffer
  readonly id: () => string | null
}

type Scheme = (request: SignedRequest, config: SignatureConfig) => Claim | Message

const SCHEMES: { readonly [S in SignatureConfig['scheme']]: Scheme } = {
  /** standardwebhooks.com; senders that began with Svix use its name in the headers. */
  standard_webhooks({ header, body }) {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (part) => header(`webhook-${part}`) ?? header(`svix-${part}`),
    )
    if (!id || !timestamp || !signature) return missing('webhook-id, webhook-timestamp and webhook-signature')
    return {
      timestamp,
      signatures: versions(signature.split(/\s+/), 'v1,', 'base64'),
      signed: Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
      keyOf: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
      id: () => id,
    }
  },

  /** docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
  github({ header, body }) {
    const signature = header('x-hub-signature-256')
    if (!signature) return missing('X-Hub-Signature-256')
    return {
      timestamp: null,
      signatures: versions([signature], 'sha256=', 'hex'),
      signed: body,
      id: () => header('x-github-delivery'),
    }
  },

  /** docs.stripe.com/webhooks#verify-manually */
  stripe({ header, body }) {
    const parts = header('stripe-signature')?.split(',') ?? []
    const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2)
    if (!timestamp) return missing('Stripe-Signature')
    return {
      timestamp,
      signatures: versions(parts, 'v1=', 'hex'),
      signed: Buffer.concat([Buffer.from(`${timestamp}.`), body]),
      id: () => textIn(body, 'id'),
    }
  },

  /** docs.slack.dev/authentication/verifying-requests-from-slack */
  slack({ header, body }) {
    const [timestamp, signature] = [header('x-slack-request-timestamp'), header('x-slack-signature')]
    if (!timestamp || !signature) return missing('X-Slack-Request-Timestamp and X-Slack-Signature')
    return {
      timestamp,
      signatures: versions([signature], 'v0=', 'hex'),
      signed: Buffer.concat([Buffer.from(`v0:${timestamp}:`), body]),
      id: () => textIn(body, 'event_id'),
    }
  },

  hmac({ header, body }, config) {
    const { header: name = '', prefix, encoding, timestamp_header: timeName, id_header: idName } = config
    const signature = header(name)
    if (!signature) return missing(name)
    const timestamp = timeName ? header(timeName) : null
    if (timeName && !timestamp) return missing(timeName)
    return {
      timestamp,
      signatures: versions([signature], prefix, encoding),
      signed: timestamp === null ? body : Buffer.concat([Buffer.from(`${timestamp}.`), body]),
      algorithm: config.algorithm,
      id: () => (idName ? header(idName) : null),
    }
  },
}

const missing = (names: string) => say('The signature is missing: {{names}}', { names })

const plainKey = (secret: string) => Buffer.from(secret)

/** The items with this prefix, without it, as bytes. */
function versions(texts: readonly string[], prefix: string, encoding: 'hex' | 'base64'): Buffer[] {
  return texts
    .map((text) => text.trim())
    .filter((text) => text.startsWith(prefix))
    .slice(0, MOST_SIGNATURES)
    .map((text) => Buffer.from(text.slice(prefix.length), encoding))
}

const MOST_SIGNATURES = 10

/** The string under a key of a JSON body; null if there is none. */
function textIn(body: Buffer, key: string): string | null {
  try {
    const value = parseJson(body.toString('utf8'))
    const found = isDictionary(value) ? getKey(value, key) : null
    return typeof found === 'string' && found !== '' ? found : null
  } catch {
    return null
  }
}
