/** The schemes by which common services sign their webhook requests. */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { Message, say, type Said } from '../../../shared/contract/base/message.ts'
import type { SignatureConfig } from '../../../shared/contract/step-types/triggers/webhook.ts'
import { getKey, isDictionary, parseJson } from '@millrace/jinja/data'

export interface SignedRequest {
  /** Null if there is no such header, or it is empty. */
  readonly header: (name: string) => string | null
  /** The body as it was signed. */
  readonly body: Buffer
  /** The URL that was called, in each form that the sender may have signed, most likely first. */
  readonly urls: readonly string[]
}

/** The signature data that a request contains. */
export interface Claim {
  /** The time of the signature in seconds; null if the scheme has none. */
  readonly timestamp: string | null
  readonly isSignedWith: (secret: string) => boolean
  /** Identifies the delivery; null if the sender provides nothing that does. */
  readonly id: () => string | null
  /** Why no secret matches, if the body isn't the reason. */
  readonly mismatch?: Said
}

export interface Scheme {
  /** The claim, or which headers are missing. */
  claim(request: SignedRequest, config: SignatureConfig, secrets: readonly string[]): Claim | Message
  /** Returns the headers of a new signature, by name. Missing if only the service has the key. */
  sign?(request: SignedRequest, config: SignatureConfig, by: Signer): Readonly<Record<string, string>>
}

interface Signer {
  readonly secret: string
  /** The time of the signature in seconds. */
  readonly timestamp: string
}

/** An HMAC in a header. */
interface HmacShape {
  readonly header: string
  readonly prefix?: string
  readonly encoding?: Encoding
  readonly algorithm?: Algorithm
  readonly timestampHeader?: string | undefined
  /** The signed content. Defaults to the body. */
  readonly content?: (request: SignedRequest, timestamp: string, url: string) => Buffer
  readonly signsUrl?: boolean
  readonly id?: (request: SignedRequest) => string | null
}

type Algorithm = SignatureConfig['algorithm']
type Encoding = SignatureConfig['encoding']

function hmacScheme(shapeOf: (config: SignatureConfig, request: SignedRequest) => HmacShape): Scheme {
  return {
    claim(request, config) {
      const shape = shapeOf(config, request)
      const signature = request.header(shape.header)
      const timestamp = shape.timestampHeader ? request.header(shape.timestampHeader) : null
      const absent = [
        ...(signature ? [] : [shape.header]),
        ...(shape.timestampHeader && !timestamp ? [shape.timestampHeader] : []),
      ]
      if (!signature || absent.length > 0) return missing(absent.join(' and '))
      const { prefix = '', encoding = 'hex', algorithm = 'sha256', content = bodyOf } = shape
      const given = versions([signature], prefix, encoding)
      const contents = (shape.signsUrl ? request.urls : ['']).map((url) =>
        content(request, timestamp ?? '', url),
      )
      return {
        timestamp,
        isSignedWith: (secret) =>
          contents.some((signed) => isOneOf(given, createHmac(algorithm, secret).update(signed).digest())),
        id: () => shape.id?.(request) ?? null,
        ...(shape.signsUrl && { mismatch: wrongUrl(request.urls[0] ?? '') }),
      }
    },
    sign(request, config, { secret, timestamp }) {
      const shape = shapeOf(config, request)
      const { prefix = '', encoding = 'hex', algorithm = 'sha256', content = bodyOf } = shape
      const signed = content(request, timestamp, request.urls[0] ?? '')
      return {
        [shape.header]: prefix + createHmac(algorithm, secret).update(signed).digest(encoding),
        ...(shape.timestampHeader && { [shape.timestampHeader]: timestamp }),
      }
    },
  }
}

const standardWebhooks: Scheme = {
  claim({ header, body }) {
    const [id, timestamp, signature] = STANDARD_PARTS.map(
      (part) => header(`webhook-${part}`) ?? header(`svix-${part}`),
    )
    if (!id || !timestamp || !signature) return missing('webhook-id, webhook-timestamp and webhook-signature')
    const texts = signature.split(/\s+/)
    const signed = standardContent(id, timestamp, body)
    // Decides by the kind of key, so that a public key never serves as the secret of an HMAC.
    const isSignedWith = (secret: string) =>
      secret.startsWith(PUBLIC_KEY)
        ? versions(texts, 'v1a,', 'base64').some((given) =>
            isSignedByKey(Buffer.from(secret.slice(PUBLIC_KEY.length), 'base64'), signed, given),
          )
        : isOneOf(versions(texts, 'v1,', 'base64'), standardHmac(secret, signed))
    return { timestamp, isSignedWith, id: () => id }
  },
  sign({ header, body }, _config, { secret, timestamp }) {
    const family = header('webhook-id') === null && header('svix-id') !== null ? 'svix' : 'webhook'
    const id = header(`${family}-id`) ?? `msg_${timestamp}`
    return {
      [`${family}-id`]: id,
      [`${family}-timestamp`]: timestamp,
      [`${family}-signature`]: `v1,${standardHmac(secret, standardContent(id, timestamp, body)).toString('base64')}`,
    }
  },
}

const STANDARD_PARTS = ['id', 'timestamp', 'signature']
const SIGNING_KEY = 'whsec_'
const PUBLIC_KEY = 'whpk_'

const standardContent = (id: string, timestamp: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])

const standardHmac = (secret: string, signed: Buffer) =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(signed)
    .digest()

export const SCHEMES: { readonly [S in SignatureConfig['scheme']]: Scheme } = {
  /** standardwebhooks.com; senders that began with Svix use its name in the headers. */
  standard_webhooks: standardWebhooks,

  /** docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
  github: hmacScheme(() => ({
    header: 'X-Hub-Signature-256',
    prefix: 'sha256=',
    id: ({ header }) => header('x-github-delivery'),
  })),

  /** docs.stripe.com/webhooks#verify-manually */
  stripe: {
    claim({ header, body }) {
      const parts = header('stripe-signature')?.split(',') ?? []
      const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2)
      if (!timestamp) return missing('Stripe-Signature')
      const given = versions(parts, 'v1=', 'hex')
      return {
        timestamp,
        isSignedWith: (secret) => isOneOf(given, stripeHmac(secret, timestamp, body)),
        id: () => textIn(body, 'id'),
      }
    },
    sign: ({ body }, _config, { secret, timestamp }) => ({
      'Stripe-Signature': `t=${timestamp},v1=${stripeHmac(secret, timestamp, body).toString('hex')}`,
    }),
  },

  /** docs.slack.dev/authentication/verifying-requests-from-slack */
  slack: hmacScheme(() => ({
    ...versionZero('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
    id: ({ body }) => textIn(body, 'event_id'),
  })),

  /** docs.discord.com/developers/interactions/overview: Discord signs with a key that only it has. */
  discord: {
    claim({ header, body }) {
      const [signature, timestamp] = [header('x-signature-ed25519'), header('x-signature-timestamp')]
      if (!signature || !timestamp) return missing('X-Signature-Ed25519 and X-Signature-Timestamp')
      const signed = Buffer.concat([Buffer.from(timestamp), body])
      const [given] = versions([signature], '', 'hex')
      return {
        timestamp,
        isSignedWith: (key) => given !== undefined && isSignedByKey(Buffer.from(key, 'hex'), signed, given),
        id: () => textIn(body, 'id'),
      }
    },
  },

  /**
   * docs.gitlab.com/user/project/integrations/webhooks: a signing token, or the older token, which is sent
   * unchanged.
   */
  gitlab: {
    claim(request, config, secrets) {
      const token = request.header('x-gitlab-token')
      const canSign = secrets.some((secret) => secret.startsWith(SIGNING_KEY))
      const canSendToken = secrets.some((secret) => !secret.startsWith(SIGNING_KEY))
      if (canSign && (request.header('webhook-signature') !== null || !canSendToken)) {
        const claim = standardWebhooks.claim(request, config, secrets)
        if (claim instanceof Message) return claim
        return {
          ...claim,
          isSignedWith: (secret) => secret.startsWith(SIGNING_KEY) && claim.isSignedWith(secret),
        }
      }
      if (!token) return missing('X-Gitlab-Token')
      return {
        timestamp: null,
        isSignedWith: (secret) => !secret.startsWith(SIGNING_KEY) && isSameText(token, secret),
        id: () => request.header('idempotency-key'),
        mismatch: say('The token in X-Gitlab-Token is wrong'),
      }
    },
    sign(request, config, by) {
      if (by.secret.startsWith(SIGNING_KEY)) return standardWebhooks.sign?.(request, config, by) ?? {}
      return { 'X-Gitlab-Token': by.secret }
    },
  },

  /** developers.facebook.com/docs/graph-api/webhooks: WhatsApp, Instagram and Messenger use it too. */
  meta: hmacScheme(() => ({ header: 'X-Hub-Signature-256', prefix: 'sha256=' })),

  /** shopify.dev/docs/apps/build/webhooks/subscribe/https */
  shopify: hmacScheme(() => ({
    header: 'X-Shopify-Hmac-Sha256',
    encoding: 'base64',
    id: ({ header }) => header('x-shopify-webhook-id'),
  })),

  /** developer.squareup.com/docs/webhooks/step3validate */
  square: hmacScheme(() => ({
    header: 'X-Square-HmacSha256-Signature',
    encoding: 'base64',
    signsUrl: true,
    content: ({ body }, _timestamp, url) => Buffer.concat([Buffer.from(url), body]),
    id: ({ body }) => textIn(body, 'event_id'),
  })),

  /** twilio.com/docs/usage/webhooks/webhooks-security */
  twilio: hmacScheme((_config, { header }) => ({
    header: 'X-Twilio-Signature',
    encoding: 'base64',
    algorithm: /\balgorithm=HMAC_SHA256\b/.test(header('x-twilio-webhooks-signature-settings') ?? '')
      ? 'sha256'
      : 'sha1',
    signsUrl: true,
    content: twilioContent,
    id: ({ header }) => header('i-twilio-idempotency-token'),
  })),

  /** docs.x.com/x-api/webhooks/quickstart */
  x: hmacScheme(() => ({ header: 'X-Twitter-Webhooks-Signature', prefix: 'sha256=', encoding: 'base64' })),

  /** developers.zoom.us/docs/api/webhooks */
  zoom: hmacScheme(() => versionZero('X-Zm-Signature', 'X-Zm-Request-Timestamp')),

  hmac: hmacScheme(({ header = '', timestamp_header: timestampHeader, id_header: idHeader, ...config }) => ({
    header,
    prefix: config.prefix,
    encoding: config.encoding,
    algorithm: config.algorithm,
    timestampHeader,
    ...(timestampHeader && { content: timedBody }),
    id: (request) => (idHeader ? request.header(idHeader) : null),
  })),
}

/** Slack's format, which Zoom also uses. */
const versionZero = (header: string, timestampHeader: string): HmacShape => ({
  header,
  timestampHeader,
  prefix: 'v0=',
  content: ({ body }, timestamp) => Buffer.concat([Buffer.from(`v0:${timestamp}:`), body]),
})

const bodyOf = ({ body }: SignedRequest) => body

const timedBody = ({ body }: SignedRequest, timestamp: string) =>
  Buffer.concat([Buffer.from(`${timestamp}.`), body])

const stripeHmac = (secret: string, timestamp: string, body: Buffer) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()

/** The URL with the sorted fields of the form. For any other body, the URL contains its hash. */
function twilioContent({ body }: SignedRequest, _timestamp: string, url: string): Buffer {
  const at = url.indexOf('?')
  const hash = at === -1 ? null : new URLSearchParams(url.slice(at)).get('bodySHA256')
  if (hash !== null) {
    const isBody = isSameText(hash.toLowerCase(), createHash('sha256').update(body).digest('hex'))
    // If the body isn't the one that was hashed, this returns something that Twilio never signs.
    return Buffer.from(isBody ? url : '')
  }
  const fields = new URLSearchParams(body.toString())
  const names = [...new Set(fields.keys())].toSorted(byCodeUnits)
  const pairs = names.map((name) =>
    [...new Set(fields.getAll(name))].toSorted(byCodeUnits).map((one) => name + one),
  )
  return Buffer.from([url, ...pairs.flat()].join(''))
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const missing = (names: string) => say('The signature is missing: {{names}}', { names })

const wrongUrl = (url: string) =>
  say(
    "The signature doesn't match the body, the secret and the URL {{url}}; if the service calls another URL, set it as the public URL in the settings",
    { url: url.slice(0, 500) },
  )

function isOneOf(given: readonly Buffer[], expected: Buffer): boolean {
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}

/** Takes the same time for any two texts, of any length. */
function isSameText(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

function isSignedByKey(key: Buffer, signed: Buffer, signature: Buffer): boolean {
  if (key.length !== 32 || signature.length !== 64) return false
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  } catch {
    return false // not a point of the curve
  }
}

/** The items with this prefix, as bytes without the prefix. */
function versions(texts: readonly string[], prefix: string, encoding: Encoding): Buffer[] {
  return texts
    .map((text) => text.trim())
    .filter((text) => text.startsWith(prefix))
    .slice(0, MOST_SIGNATURES)
    .map((text) => text.slice(prefix.length))
    .filter((text) => DIGITS[encoding].test(text))
    .map((text) => Buffer.from(text, encoding))
}

const MOST_SIGNATURES = 10

/** Node would ignore everything after the first other character. */
const DIGITS: { readonly [E in Encoding]: RegExp } = {
  hex: /^[0-9a-f]+$/i,
  base64: /^[\w+/-]+={0,2}$/,
}

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
