/** Converts security schemes to the credentials of a connector. */
import { Message, say, type Said } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { OAuthGrant } from '../../../shared/contract/connectors.ts'
import { type AuthType, connectorOf, type Credential, RANK, readExtra } from './connector-credentials.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import type { References } from './openapi-references.ts'
import { listOf } from './openapi-schemas.ts'

export type Security = ReturnType<typeof securityOf>

export interface SecurityOf {
  readonly document: Plain
  readonly operations: readonly Plain[]
  readonly references: References
  readonly base: string
  readonly leave: (item: string, reason: Said) => void
  readonly note: (item: string, note: Said) => void
}

/**
 * A connector has one credential of each kind, and a call has one auth. The combination that most operations accept
 * comes first; others are added if their credentials are of another kind.
 */
export function securityOf({ document, operations, references, base, leave, note }: SecurityOf) {
  const schemes = new Map<string, Credential | Message>()
  const definitions = childOf(childOf(document, 'components'), 'securitySchemes')
  for (const [name, value] of Object.entries(definitions))
    schemes.set(name, credentialOf(name, references.resolve(value), { base, note }))
  const requirementsOf = (operation: Plain): readonly (readonly string[])[] =>
    listOf('security' in operation ? operation : document, 'security')
      .filter(isRecord)
      .map((one) => Object.keys(one).map(schemeName))
  const isUsed = operations.some((operation) => requirementsOf(operation).length > 0)
  const counts = new Map<string, { readonly names: readonly string[]; count: number }>()
  for (const names of isUsed
    ? operations.flatMap(requirementsOf)
    : [...schemes.keys()].map((name) => [name])) {
    if (names.length === 0) continue
    const key = names.toSorted().join('\n')
    const found = counts.get(key)
    if (found === undefined) counts.set(key, { names, count: 1 })
    else found.count += 1
  }
  for (const [name, credential] of schemes)
    if (credential instanceof Message) leave(`security scheme ${name}`, credential)

  const main = new Map<AuthType, Credential>()
  const extras = new Map<string, Credential>()
  const accepted = new Set<string>()
  for (const [key, { names }] of [...counts].toSorted(([, a], [, b]) => b.count - a.count)) {
    const credentials = names.map((name) => schemes.get(name))
    if (!credentials.every((one): one is Credential => one !== undefined && !(one instanceof Message)))
      continue
    const ranked = credentials.toSorted((a, b) => RANK.indexOf(a.type) - RANK.indexOf(b.type))
    const certificate = ranked.find(({ type }) => type === 'client_certificate')
    const first = certificate ?? ranked[0]
    if (first === undefined) continue
    // A header has only one token, so two required OAuth schemes are two ways to get it. A certificate's auth has a
    // token too.
    const others = ranked.filter(
      (one) => one !== first && !((isToken(first) || certificate !== undefined) && isToken(one)),
    )
    const signIn = ranked.find(({ type }) => type === 'oauth2')
    if (certificate !== undefined && signIn !== undefined)
      note(
        `security ${names.join(' and ')}`,
        say('requires a certificate and an OAuth token: enter both in the auth, with a token from elsewhere'),
      )
    const before = main.get(first.type)
    const isTaken = before !== undefined && !isSame(before, first)
    const isMixed = others.some((one) => one.type !== 'api_key')
    if (isTaken || isMixed) {
      leave(
        `security ${names.join(' and ')}`,
        isMixed
          ? say("requires several sign-ins for one call, which auths don't support")
          : say('is a second {{type}} besides {{scheme}}; a connector has only one of each kind', {
              type: first.type,
              scheme: before?.scheme ?? '',
            }),
      )
      continue
    }
    if (before === undefined) main.set(first.type, first)
    for (const extra of others) extras.set(extra.scheme, extra)
    accepted.add(key)
  }
  const required = (operation: Plain) => requirementsOf(operation).filter((names) => names.length > 0)
  const oauthSchemes = [...schemes].flatMap(([name, credential]) =>
    !(credential instanceof Message) && credential.type === 'oauth2' ? [name] : [],
  )
  const scopes = new Set(
    operations.flatMap((operation) =>
      listOf('security' in operation ? operation : document, 'security')
        .filter(isRecord)
        .flatMap((one) =>
          Object.keys(one).flatMap((name) =>
            oauthSchemes.includes(schemeName(name)) ? listOf(one, name) : [],
          ),
        )
        .filter((scope) => typeof scope === 'string'),
    ),
  )
  return {
    hasCredentials: main.size > 0,
    connector: connectorOf([...main.values()], [...extras.values()], [...scopes]),
    /** Query parameters with the credentials that an operation requires. */
    queryOf: (operation: Plain): Record<string, string> =>
      Object.fromEntries(
        [...new Set(required(operation).flat())].flatMap((name) => {
          const extra = extras.get(name)
          return extra?.place === 'query' ? [[extra.name, `{{ ${readExtra(extra)} }}`]] : []
        }),
      ),
    /** A requirement of the operation that no call can fulfil; null if there is none. */
    lackOf(operation: Plain): string | null {
      const sets = requirementsOf(operation)
      if (sets.length === 0 || sets.some((names) => names.length === 0)) return null
      if (sets.some((names) => accepted.has(names.toSorted().join('\n')))) return null
      return sets.map((names) => names.join(' and ')).join(' or ')
    },
  }
}

/** Since OpenAPI 3.2, a scheme can be named by a reference to its place in the document. */
const schemeName = (name: string): string => name.replace(/^#\/components\/securitySchemes\//, '')

const isToken = ({ type }: Credential): boolean => type === 'oauth2' || type === 'bearer'

/**
 * Two schemes that require the same kind of credential in the same place need different auths, but not different
 * connectors.
 */
function isSame(one: Credential, other: Credential): boolean {
  const { scope: _one, ...oauth } = one.config ?? {}
  const { scope: _other, ...otherOauth } = other.config ?? {}
  return (
    one.place === other.place &&
    one.name === other.name &&
    JSON.stringify(oauth) === JSON.stringify(otherOauth)
  )
}

/** The credential, or a sentence if no auth can provide it. */
function credentialOf(
  scheme: string,
  definition: Plain,
  { base, note }: Pick<SecurityOf, 'base' | 'note'>,
): Credential | Message {
  const name = textOf(definition['name'])
  const token = (type: AuthType, config?: Record<string, Json>): Credential => ({
    scheme,
    type,
    place: 'header',
    name: 'Authorization',
    ...(config === undefined ? {} : { config }),
  })
  switch (definition['type']) {
    case 'http': {
      const way = textOf(definition['scheme']).toLowerCase()
      if (way === 'basic') return token('username_password')
      if (way === 'bearer') return token('bearer')
      if (way === 'digest') return token('digest')
      if (way === 'oauth') return token('oauth1')
      if (way.startsWith('aws4-')) return token('aws_sigv4')
      if (/^(?:signature|hmac)\b/.test(way)) {
        note(
          `security scheme ${scheme}`,
          say(
            'is HTTP {{way}}: describe in auth_config.signing what is signed, and where the signature goes',
            {
              way,
            },
          ),
        )
        return token('hmac')
      }
      if (CHALLENGES.has(way))
        return say("is HTTP {{way}}, which needs an exchange that auths don't support", { way })
      note(
        `security scheme ${scheme}`,
        say('is HTTP {{way}}: enter the whole value of Authorization, with its scheme, in the auth', {
          way: way || '(unnamed)',
        }),
      )
      return token('basic_auth')
    }
    case 'apiKey': {
      // AWS describes its signature this way, because no type fits it in either version of OpenAPI.
      if (/^awsSigv4$/i.test(textOf(definition['x-amazon-apigateway-authtype']))) return token('aws_sigv4')
      const place = definition['in']
      if (name === '' || (place !== 'header' && place !== 'query' && place !== 'cookie'))
        return say('names no header, parameter or cookie')
      return { scheme, type: 'api_key', place, name }
    }
    case 'oauth2':
      return oauthOf(definition, { scheme, base, note, token })
    case 'openIdConnect':
      note(
        `security scheme ${scheme}`,
        say(
          'is OpenID Connect: enter an access token from elsewhere in the auth; to sign in, set up oauth2 with the URLs in {{url}}',
          { url: textOf(definition['openIdConnectUrl']) || '(no URL)' },
        ),
      )
      return token('bearer')
    case 'mutualTLS':
      return token('client_certificate')
    default:
      return say('has the unknown type {{type}}', {
        type: textOf(definition['type']) || '(none)',
      })
  }
}

const CHALLENGES: ReadonlySet<string> = new Set([
  'concealed',
  'dpop',
  'gnap',
  'hoba',
  'mutual',
  'negotiate',
  'ntlm',
  'privatetoken',
  'scram-sha-1',
  'scram-sha-256',
  'vapid',
])

function oauthOf(
  definition: Plain,
  {
    scheme,
    base,
    note,
    token,
  }: Pick<SecurityOf, 'base' | 'note'> & {
    readonly scheme: string
    readonly token: (type: AuthType, config?: Record<string, Json>) => Credential
  },
): Credential {
  const flows = childOf(definition, 'flows')
  const address = (flow: Plain, key: string): string => {
    const text = textOf(flow[key]).trim()
    const whole = /^https?:\/\//i.test(text)
      ? text
      : text === ''
        ? ''
        : (URL.parse(text, `${base}/`)?.href ?? '')
    if (whole !== text)
      note(
        `security scheme ${scheme}`,
        say('has the {{key}} "{{text}}", read as "{{whole}}"', { key, text, whole: whole || 'nothing' }),
      )
    return whole
  }
  const usable = GRANTS.filter(([name, , start]) =>
    ['tokenUrl', ...start].every((key) => textOf(childOf(flows, name)[key]).trim() !== ''),
  )
  for (const [name, grant, [start]] of usable) {
    const flow = childOf(flows, name)
    const [signIn, access] = [start === undefined ? '' : address(flow, start), address(flow, 'tokenUrl')]
    const refresh = address(flow, 'refreshUrl')
    if (access === '' || (start !== undefined && signIn === '')) continue
    const others = usable.filter(([other]) => other !== name)
    if (others.length > 0)
      note(
        `security scheme ${scheme}`,
        say('also issues tokens by {{others}}; the connector uses {{grant}}', {
          others: others.map(([, other]) => other).join(', '),
          grant,
        }),
      )
    return token('oauth2', {
      grant_type: grant,
      ...(grant === 'authorization_code' ? { authorization_url: signIn } : {}),
      ...(grant === 'device_code' ? { device_authorization_url: signIn } : {}),
      access_url: access,
      ...(refresh === '' || refresh === access ? {} : { token_refresh_url: refresh }),
      scope: Object.keys(childOf(flow, 'scopes')),
    })
  }
  const named = Object.keys(flows).join(', ') || 'none'
  note(
    `security scheme ${scheme}`,
    say(
      "signs in by OAuth in a way that Millrace doesn't support ({{named}}): enter an access token from elsewhere in the auth",
      { named },
    ),
  )
  return token('bearer')
}

/** The name of an OAuth flow, its grant type, and the key of the URL where a user begins it, if one does. */
const GRANTS: readonly (readonly [string, OAuthGrant, readonly string[]])[] = [
  ['authorizationCode', 'authorization_code', ['authorizationUrl']],
  ['deviceAuthorization', 'device_code', ['deviceAuthorizationUrl']],
  ['clientCredentials', 'client_credentials', []],
]
