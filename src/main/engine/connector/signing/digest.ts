/**
 * HTTP Digest authentication (RFC 7616): the server sends a challenge with a nonce, which later requests use
 * preemptively.
 */
import { createHash, randomBytes } from 'node:crypto'
import { say } from '../../../../shared/contract/base/message.ts'
import type { HeaderLine, OutgoingRequest, SendRequest } from '../../ports.ts'
import { isHeaderValue } from '../../request/headers.ts'
import { RequestError } from '../../request/request-error.ts'
import type { OpenAuth } from '../open-auth.ts'
import { withHeaders } from './parts.ts'

interface Challenge {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | undefined
  readonly hash: 'sha256' | 'sha512-256' | 'md5'
  /** The algorithm as the server wrote it: `SHA-256-sess`. */
  readonly algorithm: string | undefined
  readonly qop: 'auth' | 'auth-int' | null
  readonly userhash: boolean
  uses: number
}

export type DigestChallenges = Map<string, Challenge>

/** The most pairs of origin and auth whose challenges are kept. */
const MOST_CHALLENGES = 1_000

/**
 * Sends the request with a response to the server's last challenge. If it is rejected, sends it once more with a
 * response to the new challenge.
 */
export function withDigest(
  send: SendRequest,
  auth: Pick<OpenAuth, 'id' | 'username' | 'password'>,
  challenges: DigestChallenges,
): SendRequest {
  const keyOf = (url: string) => `${auth.id} ${new URL(url).origin}`
  const sign = (request: OutgoingRequest) => {
    const challenge = challenges.get(keyOf(request.url))
    return challenge === undefined ? request : answered(request, challenge, auth)
  }
  return async (request, options) => {
    const signed = { ...options, identity: { ...options?.identity, sign } }
    const known = challenges.get(keyOf(request.url))
    const response = await send(request, signed)
    if (response.status !== 401) return response
    const challenge = challengeIn(response.headers)
    // If the server repeats the nonce of the rejected request, it wasn't stale, so the login is wrong.
    if (challenge === null || (known !== undefined && known.nonce === challenge.nonce)) return response
    if (challenges.size >= MOST_CHALLENGES) challenges.clear()
    challenges.set(keyOf(response.url), challenge)
    return send(request, signed)
  }
}

const HASHES: Readonly<Record<string, Challenge['hash']>> = {
  'sha-256': 'sha256',
  'sha-512-256': 'sha512-256',
  md5: 'md5',
}

/** The strongest supported challenge; null if there is none. */
function challengeIn(headers: readonly HeaderLine[]): Challenge | null {
  const found = headers
    .filter(([name]) => name.toLowerCase() === 'www-authenticate')
    .flatMap(([, value]) => challengesOf(value))
    .filter(({ scheme }) => scheme === 'digest')
    .map(({ values }) => readChallenge(values))
    .filter((one) => one !== null)
  const order = Object.values(HASHES)
  return found.toSorted((a, b) => order.indexOf(a.hash) - order.indexOf(b.hash))[0] ?? null
}

interface AnyChallenge {
  readonly scheme: string
  readonly values: Map<string, string>
}

/** One header can hold several challenges: `Basic realm="a", Digest realm="b", nonce="c"`. */
function challengesOf(header: string): readonly AnyChallenge[] {
  const found: AnyChallenge[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const text = pattern.exec(header)?.[0]
    if (text !== undefined) at = pattern.lastIndex
    return text
  }
  for (;;) {
    take(/[\s,]+/y)
    const name = take(/[^\s,="]+/y)
    if (name === undefined) return found
    if (take(/\s*=/y) === undefined) {
      found.push({ scheme: name.toLowerCase(), values: new Map() })
      continue
    }
    take(/\s+/y)
    const value = take(/"(?:[^"\\]|\\.)*"/y) ?? take(/[^\s,"]+/y) ?? ''
    const isQuoted = value.startsWith('"')
    found
      .at(-1)
      ?.values.set(name.toLowerCase(), isQuoted ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value)
  }
}

function readChallenge(values: ReadonlyMap<string, string>): Challenge | null {
  const algorithm = values.get('algorithm')
  const hash = HASHES[(algorithm ?? 'md5').toLowerCase().replace(/-sess$/, '')]
  const nonce = values.get('nonce')
  const offered = values
    .get('qop')
    ?.toLowerCase()
    .split(',')
    .map((one) => one.trim())
  const qop =
    offered === undefined ? null : (['auth', 'auth-int'] as const).find((one) => offered.includes(one))
  if (hash === undefined || nonce === undefined || qop === undefined) return null
  return {
    realm: values.get('realm') ?? '',
    nonce,
    opaque: values.get('opaque'),
    hash,
    algorithm,
    qop,
    userhash: values.get('userhash')?.toLowerCase() === 'true',
    uses: 0,
  }
}

function answered(
  request: OutgoingRequest,
  challenge: Challenge,
  { id, username, password }: Pick<OpenAuth, 'id' | 'username' | 'password'>,
): OutgoingRequest {
  const { hash, algorithm, realm, nonce, opaque, qop, userhash } = challenge
  if (!isHeaderValue(username))
    throw new RequestError(
      'http_error',
      say('The username of the connector auth {{id}} contains a line break or another control character', {
        id,
      }),
      { delivered: false },
    )
  const { pathname, search } = new URL(request.url)
  const uri = `${pathname}${search}`
  const digest = (value: string | Uint8Array) => createHash(hash).update(value).digest('hex')
  const count = (challenge.uses += 1).toString(16).padStart(8, '0')
  const cnonce = randomBytes(16).toString('base64url')
  const login = digest(`${username}:${realm}:${password}`)
  const isSession = algorithm?.toLowerCase().endsWith('-sess') === true
  const key = isSession ? digest(`${login}:${nonce}:${cnonce}`) : login
  const called =
    qop === 'auth-int'
      ? digest(`${request.method}:${uri}:${digest(request.body ?? '')}`)
      : digest(`${request.method}:${uri}`)
  const response = digest(
    qop === null ? `${key}:${nonce}:${called}` : `${key}:${nonce}:${count}:${cnonce}:${qop}:${called}`,
  )
  const fields = [
    `username=${quote(userhash ? digest(`${username}:${realm}`) : username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(qop === null && !isSession ? [] : [`cnonce="${cnonce}"`]),
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${count}`]),
    ...(userhash ? ['userhash=true'] : []),
  ]
  return withHeaders(request, [['Authorization', `Digest ${fields.join(', ')}`]])
}

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
