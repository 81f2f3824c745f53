/** Responds to the requests with which services verify a URL before they call it, as documented by each service. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { Handshake } from '../../../shared/contract/step-types/triggers/webhook.ts'
import { type Data, getKey, isDictionary, parseJson } from '@millrace/jinja/data'
import { SANDBOX_HEADERS } from './response-headers.ts'

export interface HandshakeRequest {
  readonly method: string
  /** The query as in the URL. */
  readonly query: string
  /** The decoded body; null before it was read. */
  readonly body: Buffer | null
}

export interface HandshakeKeys {
  /** The secret of the signature. */
  readonly secret: () => string
  readonly verifyToken: () => string
}

export interface HandshakeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Whether the URL is checked by a `GET`, which the flow may not accept. */
export function isHandshakeByUrl(
  service: Handshake | undefined,
  { method, query }: Pick<HandshakeRequest, 'method' | 'query'>,
): boolean {
  if (service === undefined || method !== 'GET') return false
  return GET_PARAMETERS[service]?.every((name) => only(query, name) !== null) === true
}

const GET_PARAMETERS: { readonly [S in Handshake]?: readonly string[] } = {
  dropbox: ['challenge'],
  meta: ['hub.mode', 'hub.challenge', 'hub.verify_token'],
  x: ['crc_token'],
}

/**
 * The response, or null if the request isn't such a check and is treated like any other.
 *
 * @throws AppError `validation` for a challenge that no service sends, `forbidden` for a wrong verify token
 */
export function answerHandshake(
  service: Handshake,
  request: HandshakeRequest,
  keys: HandshakeKeys,
): HandshakeReply | null {
  return request.body === null ? answerUrl(service, request, keys) : answerBody(service, request.body, keys)
}

/** Responds to checks that are in the URL alone, so that the body needn't be read. */
function answerUrl(
  service: Handshake,
  request: HandshakeRequest,
  keys: HandshakeKeys,
): HandshakeReply | null {
  const { method, query } = request
  if (service === 'microsoft_graph') {
    const token = method === 'POST' ? only(query, 'validationToken') : null
    return token === null ? null : plain(checked(token, TEXT))
  }
  if (!isHandshakeByUrl(service, request)) return null
  if (service === 'dropbox') return plain(checked(only(query, 'challenge'), TEXT))
  if (service === 'x') {
    const token = checked(only(query, 'crc_token'), CODE)
    return json({ response_token: `sha256=${hmac(keys.secret(), token, 'base64')}` })
  }
  if (only(query, 'hub.mode') !== 'subscribe') return null
  if (!isSame(only(query, 'hub.verify_token') ?? '', keys.verifyToken()))
    throw new AppError('forbidden', say("The verify token doesn't match the one of this webhook"))
  return plain(checked(only(query, 'hub.challenge'), TEXT))
}

function answerBody(service: Handshake, body: Buffer, keys: HandshakeKeys): HandshakeReply | null {
  if (body.length > LONGEST_BODY || !(service === 'slack' || service === 'discord' || service === 'zoom'))
    return null
  const sent = readJson(body)
  if (service === 'discord') {
    const type = field(sent, 'type')
    // Discord checks interactions with type 1, webhook events with type 0.
    if (type === 1 && field(sent, 'application_id') !== undefined) return json({ type: 1 })
    return type === 0 && field(sent, 'version') !== undefined
      ? { status: 204, headers: SANDBOX_HEADERS, body: null }
      : null
  }
  if (service === 'slack') {
    const challenge = field(sent, 'type') === 'url_verification' ? field(sent, 'challenge') : undefined
    return typeof challenge === 'string' ? plain(checked(challenge, TEXT)) : null
  }
  const token =
    field(sent, 'event') === 'endpoint.url_validation'
      ? field(field(sent, 'payload'), 'plainToken')
      : undefined
  if (typeof token !== 'string') return null
  const plainToken = checked(token, CODE)
  return json({ plainToken, encryptedToken: hmac(keys.secret(), plainToken, 'hex') })
}

/** The bodies of such checks are only a few hundred bytes long. */
const LONGEST_BODY = 16_384

const TEXT = /^[\u0020-\u007e\u00a0-\uffff]{1,2000}$/
/** A code that is signed for anybody who asks must never look like a body, because the same secret signs bodies. */
const CODE = /^[\w+/=.~-]{1,256}$/

function checked(challenge: string | null, form: RegExp): string {
  if (challenge !== null && form.test(challenge)) return challenge
  throw new AppError(
    'validation',
    say("The challenge is too long, empty, or has characters that the service doesn't send"),
  )
}

/** Null unless the query has exactly one parameter with that name. */
function only(query: string, name: string): string | null {
  const values = new URLSearchParams(query).getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}

function readJson(body: Buffer): Data {
  try {
    return parseJson(body.toString())
  } catch {
    return null
  }
}

const field = (value: Data | undefined, name: string): Data | undefined =>
  value !== undefined && isDictionary(value) ? getKey(value, name) : undefined

/** During a rotation, the first secret is the new one. */
const hmac = (secret: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret.split(/\r?\n/).find((line) => line !== '') ?? '')
    .update(text)
    .digest(encoding)

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

/** Sent as plain text, whatever it contains, because the page has the same origin as the app. */
const plain = (body: string): HandshakeReply => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...SANDBOX_HEADERS },
  body,
})

const json = (value: Readonly<Record<string, string | number>>): HandshakeReply => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...SANDBOX_HEADERS },
  body: JSON.stringify(value),
})
