/** A connector auth's URL can contain a password, `sftp://user:password@host/path`, which is stored separately. */

/** Replaces the stored password in a URL. */
export const STORED_PASSWORD = '***'

export interface ApiEndpoint {
  /** Scheme and slashes, `sftp://`; empty if missing. */
  readonly scheme: string
  /** Null if the URL has no user. */
  readonly user: string | null
  /** Null if the URL has none; otherwise still percent-encoded. */
  readonly password: string | null
  /** Host and port. */
  readonly host: string
  /** Path, query and fragment. */
  readonly rest: string
}

/** Null if it is unclear which part is the password: a `/`, `?` or `#` in it must be percent-encoded. */
export function parseApiEndpoint(text: string): ApiEndpoint | null {
  const [, scheme = '', behind = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? []
  const end = behind.search(/[/?#\\]/)
  const [authority, rest] = end === -1 ? [behind, ''] : [behind.slice(0, end), behind.slice(end)]
  const at = authority.lastIndexOf('@')
  if (at === -1) {
    // `user:pa/ss@host` would parse as host `user`, port `pa` and a path with an `@`.
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

/** Whether it contains a valid host. */
export function isAddress({ scheme, host }: ApiEndpoint): boolean {
  // For unknown schemes, URL accepts any host.
  return scheme !== '' && host !== '' && URL.canParse(`http://${host}`)
}

/** Whether both reach the same server, so that a password stored for one can be sent to the other. */
export function isSameHost(a: ApiEndpoint, b: ApiEndpoint): boolean {
  return a.scheme.toLowerCase() === b.scheme.toLowerCase() && a.host.toLowerCase() === b.host.toLowerCase()
}
