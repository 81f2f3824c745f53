/** The address of a connector auth may carry a password, `sftp://user:password@host/path`, which is stored apart. */

/** What stands in an address for the password that is stored. */
export const STORED_PASSWORD = '***'

export interface ApiEndpoint {
  /** Scheme and slashes, `sftp://`; empty where there are none. */
  readonly scheme: string
  /** Null where the address names no user. */
  readonly user: string | null
  /** Null where the address has none; as it stands, still percent-encoded. */
  readonly password: string | null
  /** Host and port. */
  readonly host: string
  /** Path, query and fragment. */
  readonly rest: string
}

/** Null where it cannot be told which part is the password: a `/`, `?` or `#` in one must be percent-encoded. */
export function parseApiEndpoint(text: string): ApiEndpoint | null {
  const [, scheme = '', behind = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? []
  const end = behind.search(/[/?#\\]/)
  const [authority, rest] = end === -1 ? [behind, ''] : [behind.slice(0, end), behind.slice(end)]
  const at = authority.lastIndexOf('@')
  if (at === -1) {
    // `user:pa/ss@host` reads as host `user`, port `pa` and a path with an `@`.
    const isHost = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(authority) || !rest.includes('@')
    return isHost ? { scheme, user: null, password: null, host: authority, rest } : null
  }
  const [login, host] = [authority.slice(0, at), authority.slice(at + 1)]
  const colon = login.indexOf(':')
  return colon === -1
    ? { scheme, user: login, password: null, host, rest }
    : { scheme, user: login.slice(0, colon), password: login.slice(colon + 1), host, rest }
}

export function writeApiEndpoint({ scheme, user, password, host, rest }: ApiEndpoint): string {
  const login = user === null ? '' : `${user}${password === null ? '' : `:${password}`}@`
  return `${scheme}${login}${host}${rest}`
}

/** Does it say how to reach a host that there can be? */
export function isAddress({ scheme, host }: ApiEndpoint): boolean {
  // Of schemes that it does not know, URL takes any host.
  return scheme !== '' && host !== '' && URL.canParse(`http://${host}`)
}

/** Would a password that is stored for one reach somebody else through the other? */
export function isSameHost(a: ApiEndpoint, b: ApiEndpoint): boolean {
  return a.scheme.toLowerCase() === b.scheme.toLowerCase() && a.host.toLowerCase() === b.host.toLowerCase()
}
