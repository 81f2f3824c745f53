import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import { unescape } from 'node:querystring'
import { placeOf } from '../../request/request-error.ts'
import { PaginationError } from '../model/pagination-error.ts'
import type { AddressRules } from '../model/page-run.ts'

/**
 * @param baseUrl empty if the endpoint is absolute
 * @param allowedOrigins origins besides the base URL's own, such as `https://files.example.com`
 */
export function addressRules(
  baseUrl: string,
  endpoint: string,
  allowedOrigins: readonly string[],
): AddressRules {
  const base = URL.parse(baseUrl.trim() === '' ? endpoint.trim() : baseUrl.trim())
  if (!base || !isHttp(base)) {
    const shown = baseUrl.trim() === '' ? endpoint : baseUrl
    throw new PaginationError(
      'config_invalid',
      say('"{{url}}" isn\'t the URL of an API; it must begin with http:// or https://', {
        url: shown.slice(0, 100),
      }),
      { page: 0 },
    )
  }
  const origins = new Set([base.origin])
  for (const origin of allowedOrigins) {
    const allowed = URL.parse(origin.trim())
    // Never downgrades from https, whatever the list allows.
    if (allowed && isHttp(allowed) && !(base.protocol === 'https:' && allowed.protocol === 'http:')) {
      origins.add(allowed.origin)
    }
  }
  const login = base.username === '' && base.password === '' ? null : loginOf(base)
  return { base: withoutLogin(base), login, origins }
}

/** The URL of the action's own endpoint. */
export function actionAddress(endpoint: string, rules: AddressRules): URL {
  const text = endpoint.trim()
  const address = ABSOLUTE.test(text) ? parse(text) : appended(text, rules.base)
  return guarded(address && withoutLogin(address), rules, text).url
}

/**
 * The URL that a configuration's `endpoint` stands for.
 *
 * @param fromServer whether the value came from the previous response rather than from the author
 * @param previous the URL that responded last
 * @throws PaginationError `cross_origin_link` if it leads to another origin
 */
export function nextAddress(
  endpoint: string,
  fromServer: boolean,
  previous: URL,
  rules: AddressRules,
): GuardedAddress {
  const text = endpoint.trim()
  return guarded(resolve(text, fromServer, previous, rules), rules, text)
}

/** An author may write `documents:search`; but if a server sends a scheme, it means one. */
const ABSOLUTE = /^(?:https?:|[a-z][a-z0-9+.-]*:\/\/)/i
const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:/i

function resolve(text: string, fromServer: boolean, previous: URL, rules: AddressRules): URL | null {
  if ((fromServer ? ANY_SCHEME : ABSOLUTE).test(text)) return parse(text)
  if (SCHEME_RELATIVE.test(text)) return null
  if (text.startsWith('?')) return parse(text, previous)
  if (text.startsWith('/') && (fromServer || carriesBasePath(text, rules.base)))
    return parse(text, rules.base)
  return fromServer ? parse(text, previous) : appended(text, rules.base)
}

/** `//host`, in every spelling that a URL parser accepts: backslashes count as slashes, tabs are ignored. */
const SCHEME_RELATIVE = /^[\0-\x20]*[/\\][\t\n\r]*[/\\]/

function carriesBasePath(text: string, base: URL): boolean {
  const path = basePath(base)
  return text === path || text.startsWith(`${path}/`) || text.startsWith(`${path}?`)
}

function appended(text: string, base: URL): URL | null {
  if (SCHEME_RELATIVE.test(text)) return null
  if (text === '') return parse(base.href)
  if (text.startsWith('?')) return parse(text, base)
  const joined = parse(`${base.origin}${basePath(base)}/${text.replace(/^\/+/, '')}`)
  if (joined && base.search !== '') joined.search = `${base.search}${joined.search.replace('?', '&')}`
  return joined
}

function basePath(base: URL): string {
  return trimEnd(base.pathname, '/')
}

function parse(text: string, base?: URL): URL | null {
  return URL.parse(text, base?.href)
}

/** A URL that can be called. */
interface GuardedAddress {
  readonly url: URL
  /**
   * Whether the link was http although the base URL is https. APIs behind a proxy that terminates TLS often
   * return such links.
   */
  readonly isUpgraded: boolean
}

function guarded(given: URL | null, rules: AddressRules, text: string): GuardedAddress {
  const base = rules.base.origin
  if (!given || !isHttp(given)) {
    const shown = text.slice(0, 100)
    throw refused(say('"{{shown}}" doesn\'t lead to {{base}}. Nothing was sent there', { shown, base }))
  }
  const upgraded = upgradedOf(given, rules)
  const address = upgraded ?? given
  if (!rules.origins.has(address.origin)) {
    throw refused(
      say(
        '{{place}} isn\'t on {{base}}; allow the origin {{origin}} in "allowed_origins" if the API is spread over several hosts. Nothing was sent there',
        { place: placeOf(address), base, origin: address.origin },
      ),
    )
  }
  if (address.username !== '' || address.password !== '') {
    throw refused(
      say('The URL on {{origin}} contains a user name. Nothing was sent there', { origin: address.origin }),
    )
  }
  if (address.hash !== '') address.hash = ''
  return { url: address, isUpgraded: upgraded !== null }
}

function upgradedOf(address: URL, { base, origins }: AddressRules): URL | null {
  if (address.protocol !== 'http:' || base.protocol !== 'https:') return null
  const upgraded = new URL(address)
  upgraded.protocol = 'https:'
  return origins.has(upgraded.origin) ? upgraded : null
}

const refused = (said: Said) => new PaginationError('cross_origin_link', said)

function loginOf({ username, password }: URL): string {
  return `${unescape(username)}:${unescape(password)}`
}

function withoutLogin(url: URL): URL {
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  return url
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}
