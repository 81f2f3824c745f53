/** Converts the auths of a collection, its folders and requests to credentials. */
import { type Message, say } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { Credential } from './connector-credentials.ts'
import { isRecord, textOf, type Plain } from './plain.ts'
import { filled, type Variables } from './postman-variables.ts'

/** A sentence if no auth can provide it; null for a request that is sent without credentials. */
export type FoundAuth = Credential | Message | null

/** The effective auth: the request's, otherwise that of the nearest folder with one, otherwise the collection's. */
export function authOf(holders: readonly unknown[], variables: Variables): FoundAuth {
  const auth = holders.findLast(
    (one) => isRecord(one) && textOf(one['type']) !== '' && one['type'] !== 'inherit',
  )
  return isRecord(auth) ? readAuth(auth, variables) : null
}

function readAuth(auth: Plain, variables: Variables): FoundAuth {
  const type = textOf(auth['type'])
  const value = (key: string) => filled(valueOf(auth[type], key), variables)
  const token = (kind: Credential['type'], oauth?: Record<string, Json>): Credential => ({
    scheme: type,
    type: kind,
    place: 'header',
    name: 'Authorization',
    ...(oauth === undefined ? {} : { oauth }),
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
    case 'awsv4':
      return token('aws_sigv4')
    case 'oauth1':
      return token('oauth1')
    case 'apikey': {
      const name = value('key') || 'X-Api-Key'
      if (name.includes('{{')) return say('is sent by the name {{name}}, which is a variable', { name })
      return { scheme: name, type: 'api_key', place: value('in') === 'query' ? 'query' : 'header', name }
    }
    case 'oauth2': {
      const place = value('addTokenTo') === 'queryParams' ? ('query' as const) : ('header' as const)
      const prefix = valueOf(auth[type], 'headerPrefix').trim()
      if (place === 'header' && prefix !== '' && !/^bearer$/i.test(prefix))
        return say('puts "{{prefix}}" before its token, which OAuth auths don\'t support', { prefix })
      const found = token('oauth2', oauthOf(value))
      const credential =
        found.oauth === undefined || Object.keys(found.oauth).length === 0 ? token('bearer') : found
      return place === 'query' ? { ...credential, place, name: 'access_token' } : credential
    }
    default:
      return say('has the type {{type}}, which no connector auth supports', { type: type.slice(0, 40) })
  }
}

/**
 * Empty if Millrace doesn't support the grant, or one of its URLs is a variable: then the auth holds a token obtained
 * elsewhere.
 */
function oauthOf(value: (key: string) => string): Record<string, Json> {
  const grant = value('grant_type') || 'authorization_code'
  const isClient = grant === 'client_credentials'
  const signIn = value('authUrl')
  const access = value('accessTokenUrl')
  const isWhole = (address: string) => /^https?:\/\/[^{}]+$/.test(address)
  if (!/^(?:authorization_code(?:_with_pkce)?|client_credentials)$/.test(grant)) return {}
  if (!isWhole(access) || (!isClient && !isWhole(signIn))) return {}
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
  if (isRecord(entries)) return textOf(entries[key])
  const found = (Array.isArray(entries) ? entries : []).find(
    (entry) => isRecord(entry) && entry['key'] === key,
  )
  return isRecord(found) ? textOf(found['value']) : ''
}
