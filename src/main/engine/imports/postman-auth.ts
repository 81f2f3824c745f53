/** Converts the auths of a collection, its folders and requests to credentials. */
import { type Message, say, type Said } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { Credential } from './connector-credentials.ts'
import { isRecord, textOf, type Plain } from './plain.ts'
import { hawkSigning, jwtSigning } from './postman-signing.ts'
import { filled, type Variables } from './postman-variables.ts'

/** A credential, or a sentence if no auth can provide it; null for a request that is sent without credentials. */
export type FoundAuth = Credential | Message | null

/** The effective auth, which is that of the request, or of the nearest folder with one, or of the collection. */
export function authOf(holders: readonly unknown[], variables: Variables): FoundAuth {
  const auth = holders.findLast(
    (one) => isRecord(one) && textOf(one['type']) !== '' && one['type'] !== 'inherit',
  )
  return isRecord(auth) ? readAuth(auth, variables) : null
}

function readAuth(auth: Plain, variables: Variables): FoundAuth {
  const type = textOf(auth['type'])
  const value = (key: string) => filled(valueOf(auth[type], key), variables)
  const token = (
    kind: Credential['type'],
    { config, remark }: { readonly config?: Record<string, Json>; readonly remark?: Said | null } = {},
  ): Credential => ({
    scheme: type,
    type: kind,
    place: 'header',
    name: 'Authorization',
    ...(config === undefined ? {} : { config }),
    ...(remark === undefined || remark === null ? {} : { remark }),
  })
  switch (type) {
    case 'noauth':
      return null
    case 'bearer':
      return token('bearer')
    case 'basic':
      return token('username_password')
    case 'digest':
      return token('digest')
    case 'awsv4': {
      const named = ['region', 'service'].filter((key) => value(key) !== '' && !value(key).includes('{{'))
      return token('aws_sigv4', {
        remark:
          named.length === 0
            ? null
            : say("signs for {{names}}: enter them in the connector auth if they aren't in the host name", {
                names: named
                  .map((key) => `${key} ${value(key)}`)
                  .join(', ')
                  .slice(0, 200),
              }),
      })
    }
    case 'oauth1': {
      const method = value('signatureMethod').toUpperCase()
      if (/^RSA-|-SHA512$/.test(method))
        return say('signs with {{method}}; OAuth 1.0a auths support HMAC-SHA1, HMAC-SHA256 and PLAINTEXT', {
          method: method.slice(0, 40),
        })
      return token('oauth1', {
        remark:
          method === '' || method === 'HMAC-SHA1'
            ? null
            : say('signs with {{method}}: choose it in the connector auth', { method: method.slice(0, 40) }),
      })
    }
    case 'hawk': {
      const algorithm = value('algorithm') || 'sha256'
      if (algorithm !== 'sha256' && algorithm !== 'sha1')
        return say("signs with {{method}}, which Hawk doesn't support", { method: algorithm.slice(0, 40) })
      const [ext, app, dlg] = [value('extraData'), value('app'), value('delegation')]
      const isOpen = [ext, app, dlg].some((text) => text.includes('{{'))
      if (isOpen) return say("signs variables, which connector auths don't have")
      return token('hmac', {
        config: { signing: hawkSigning({ algorithm, ext, app, dlg }) },
        remark: say(
          "is Hawk: the key ID is the auth's username, and the key is its secret; bodies aren't hashed",
        ),
      })
    }
    case 'jwt': {
      const algorithm = /^HS(256|384|512)$/.exec(value('algorithm') || 'HS256')?.[1]
      if (algorithm === undefined)
        return say(
          'signs a token with a private key for each call; if the API exchanges such a token for another, set up oauth2 with jwt_bearer',
        )
      const isQuery = value('addTokenTo').startsWith('query')
      const signing = jwtSigning({
        bits: algorithm,
        payload: value('payload'),
        header: value('header'),
        isBase64: /^true$/.test(value('isSecretBase64Encoded')),
        prefix: value('headerPrefix') || 'Bearer',
        parameter: isQuery ? value('queryParamKey') || 'token' : null,
      })
      if (signing === null) return say('signs a token whose header or payload has variables, or is not JSON')
      return token('hmac', {
        config: { signing },
        remark: say(
          'signs a token for each call: the secret is in the auth, the payload in auth_config.signing',
        ),
      })
    }
    case 'asap':
      return say(
        'signs a token with a private key for each call; if the API exchanges such a token for another, set up oauth2 with jwt_bearer',
      )
    case 'ntlm':
      return say(
        "is NTLM, an exchange over one connection, which auths don't support; use Basic, Digest or a token if the API accepts it",
      )
    case 'edgegrid':
      return say(
        "derives a new key from the secret for each call (Akamai EdgeGrid), which auths don't support",
      )
    case 'apikey': {
      const name = value('key') || 'X-Api-Key'
      if (name.includes('{{')) return say('is sent under the name {{name}}, which is a variable', { name })
      return { scheme: name, type: 'api_key', place: value('in') === 'query' ? 'query' : 'header', name }
    }
    case 'oauth2': {
      const place = value('addTokenTo') === 'queryParams' ? ('query' as const) : ('header' as const)
      const prefix = valueOf(auth[type], 'headerPrefix').trim()
      if (place === 'header' && prefix !== '' && !/^bearer$/i.test(prefix))
        return say('puts "{{prefix}}" before its token, which OAuth auths don\'t support', { prefix })
      const config = oauthOf(value)
      const credential =
        config === null
          ? token('bearer', {
              remark: say(
                'signs in by OAuth with {{grant}}, or at URLs that are variables: enter an access token from elsewhere in the auth',
                { grant: (value('grant_type') || 'authorization_code').slice(0, 40) },
              ),
            })
          : token('oauth2', { config })
      return place === 'query' ? { ...credential, place, name: 'access_token' } : credential
    }
    default:
      return say('has the type {{type}}, which no connector auth supports', { type: type.slice(0, 40) })
  }
}

/**
 * Null if Millrace doesn't support the grant, or one of its URLs is a variable. Then the auth holds a token obtained
 * elsewhere.
 */
function oauthOf(value: (key: string) => string): Record<string, Json> | null {
  const grant = value('grant_type') || 'authorization_code'
  const isClient = grant === 'client_credentials'
  const signIn = value('authUrl')
  const access = value('accessTokenUrl')
  const isWhole = (address: string) => /^https?:\/\/[^{}]+$/.test(address)
  if (!/^(?:authorization_code(?:_with_pkce)?|client_credentials)$/.test(grant)) return null
  if (!isWhole(access) || (!isClient && !isWhole(signIn))) return null
  const scope = value('scope')
  return {
    grant_type: isClient ? 'client_credentials' : 'authorization_code',
    ...(isClient ? {} : { authorization_url: signIn }),
    access_url: access,
    ...(scope === '' || scope.includes('{{') ? {} : { scope: scope.split(/\s+/) }),
    ...(value('client_authentication') === 'header' ? { client_id_and_secret_in_headers: true } : {}),
  }
}

/** Collections 2.1 have a list of items, 2.0 an object. */
function valueOf(entries: unknown, key: string): string {
  if (isRecord(entries)) return said(entries[key])
  const found = (Array.isArray(entries) ? entries : []).find(
    (entry) => isRecord(entry) && entry['key'] === key,
  )
  return isRecord(found) ? said(found['value']) : ''
}

/** Switches are booleans, and objects can be written as JSON objects. */
const said = (value: unknown): string =>
  typeof value === 'boolean' || isRecord(value) ? JSON.stringify(value).toWellFormed() : textOf(value)
