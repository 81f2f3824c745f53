import { createHash, createHmac, randomUUID } from 'node:crypto'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { mustBe } from '../../../../shared/contract/base/validate.ts'
import { renderTemplate } from '@millrace/jinja'
import { TemplateError } from '@millrace/jinja/environment'
import { dictionaryOf, type Data, type DataMap } from '@millrace/jinja/data'
import type { OutgoingRequest } from '../../ports.ts'
import { isHeaderName, isHeaderValue } from '../../request/headers.ts'
import { RequestError } from '../../request/request-error.ts'
import { authContext } from '../credentials.ts'
import { type SigningContext, withHeaders } from './parts.ts'

const ALGORITHMS = ['sha256', 'sha1', 'sha384', 'sha512', 'md5'] as const
const ENCODINGS = ['hex', 'base64', 'base64url'] as const

interface Signing {
  readonly algorithm: (typeof ALGORITHMS)[number]
  readonly encoding: (typeof ENCODINGS)[number]
  readonly keyEncoding: 'utf8' | 'hex' | 'base64'
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/**
 * Computes an HMAC of the rendered template `auth_config.signing.message`, keyed with the auth's password, and adds
 * the headers and query parameters of `signing.headers` and `signing.query`. All are templates with the variables
 * `request` (`method`, `url`, `path`, `query`, `body`, `body_sha256`), `timestamp` (seconds), `timestamp_ms`,
 * `timestamp_iso`, `nonce` and `auth`; those of headers and parameters can also use `signature`.
 *
 * @throws RequestError naming the key that is missing or wrong
 */
export function signByTemplate(request: OutgoingRequest, context: SigningContext): OutgoingRequest {
  const { auth, connector, clock } = context
  const signing = readSigning(auth.user_input, () => connector().auth_config)
  if (auth.password === '')
    throw wrong('password', say('is missing in the connector auth: the secret that requests are signed with'))
  const parts = { ...partsOf(request, clock.now()), auth: authContext(auth) }
  const signature = createHmac(signing.algorithm, Buffer.from(auth.password, signing.keyEncoding))
    .update(rendered('message', signing.message, parts))
    .digest(signing.encoding)
  const signed = { ...parts, signature }
  const headers = Object.entries(signing.headers).map(([name, template]) => {
    const value = rendered(`headers.${name}`, template, signed)
    if (!isHeaderName(name) || !isHeaderValue(value))
      throw wrong(`headers.${name}`, say("isn't a valid header: no line breaks or other control characters"))
    return [name, value] as const
  })
  return withHeaders(withQuery(request, signing.query, signed), headers)
}

function withQuery(request: OutgoingRequest, query: Signing['query'], context: DataMap): OutgoingRequest {
  const added = Object.entries(query)
  if (added.length === 0) return request
  const url = new URL(request.url)
  // The query was signed as it is, so it must not be encoded differently now.
  const more = added.map(
    ([name, template]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(rendered(`query.${name}`, template, context))}`,
  )
  url.search = [url.search.slice(1), ...more].filter((part) => part !== '').join('&')
  return { ...request, url: url.href }
}

function partsOf({ method, url, body }: OutgoingRequest, now: number): Readonly<Record<string, Data>> {
  const { href, pathname, search } = new URL(url)
  const bytes = body === null ? Buffer.alloc(0) : Buffer.from(body)
  return {
    request: dictionaryOf([
      ['method', method],
      ['url', href],
      ['path', pathname],
      ['query', search.slice(1)],
      ['body', bytes.toString('utf8')],
      ['body_sha256', createHash('sha256').update(bytes).digest('hex')],
    ]),
    timestamp: Math.floor(now / 1000),
    timestamp_ms: now,
    timestamp_iso: new Date(now).toISOString(),
    nonce: randomUUID(),
  }
}

/** An auth of a connector for any URL has its own `signing`. */
function readSigning(input: DataMap, config: () => Readonly<Record<string, unknown>>): Signing {
  const own = (input as Readonly<Record<string, unknown>>)['signing']
  const signing = isObject(own) ? own : config()['signing']
  if (!isObject(signing))
    throw wrong('signing', say('is missing: an object with "message" and "headers" or "query"'))
  const { message } = signing
  if (typeof message !== 'string' || message === '')
    throw wrong('signing.message', say('is missing: the template of what is signed'))
  return {
    algorithm: oneOf('algorithm', signing, ALGORITHMS),
    encoding: oneOf('encoding', signing, ENCODINGS),
    keyEncoding: oneOf('key_encoding', signing, ['utf8', 'hex', 'base64'] as const),
    message,
    headers: templatesOf('headers', signing['headers']),
    query: templatesOf('query', signing['query']),
  }
}

function oneOf<const T extends string>(
  key: string,
  signing: Readonly<Record<string, unknown>>,
  known: readonly [T, ...T[]] | readonly T[],
): T {
  const value = signing[key] ?? known[0]
  const found = known.find((one) => one === value)
  if (found === undefined) throw wrong(`signing.${key}`, mustBe(known, value))
  return found
}

function templatesOf(key: string, value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (!isObject(value) || Object.values(value).some((one) => typeof one !== 'string'))
    throw wrong(`signing.${key}`, say('must be an object with a template for each name'))
  return value as Readonly<Record<string, string>>
}

function rendered(key: string, template: string, context: DataMap): string {
  try {
    return renderTemplate(template, context)
  } catch (error) {
    if (error instanceof TemplateError) throw wrong(`signing.${key}`, error.said)
    throw error
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function wrong(key: string, reason: Said): RequestError {
  return new RequestError(
    'http_error',
    say('The signature of the request, {{key}}: {{reason}}', { key, reason }),
    { delivered: false },
  )
}
