/** The sign-in providers that Millrace knows, with their redirect URLs and errors. */
import { trimEnd } from '../trim.ts'
import { OAUTH_CALLBACK_PATH } from '../contract/connector-auths.ts'
import { GOOGLE } from './google.ts'
import { MICROSOFT } from './microsoft.ts'
import type { Provider } from './provider.ts'

interface SignedInTo {
  readonly name: string
  readonly auth_config: Readonly<Record<string, unknown>>
}

const PROVIDERS: readonly Provider[] = [GOOGLE, MICROSOFT]

/** Null for a connector that names no known provider. */
export function providerOf({ auth_config: config }: Pick<SignedInTo, 'auth_config'>): Provider | null {
  return PROVIDERS.find(({ id }) => id === config['provider']) ?? null
}

/** The last part of a connector's redirect URL, in lower case and including spaces. */
export function callbackOf(connector: SignedInTo): string {
  return providerOf(connector)?.redirect.callback ?? connector.name.trim().toLowerCase()
}

/**
 * The URL to which the browser returns after a sign-in.
 *
 * @param origin Millrace's origin, as the browser reaches it
 */
export function redirectUrlOf(connector: SignedInTo, origin: string): string {
  const loopback = providerOf(connector)?.redirect.loopback ?? '127.0.0.1'
  const base = trimEnd(origin, '/').replace(LOOPBACK, (_, scheme: string) => scheme + loopback)
  return `${base}${OAUTH_CALLBACK_PATH}/${encodeURIComponent(callbackOf(connector))}`
}

const LOOPBACK = /^(http:\/\/)(?:127\.0\.0\.1|localhost|\[::1\])(?=:|$)/i

/** Advice for an error from the provider; null if the error isn't known. */
export function adviceFor(connector: Pick<SignedInTo, 'auth_config'>, error: string): string | null {
  const problems = providerOf(connector)?.problems ?? []
  return problems.find(({ codes }) => codes.split('|').some((code) => includes(error, code)))?.advice ?? null
}

/** Finds whole codes: AADSTS700025 isn't in AADSTS7000251. */
function includes(text: string, code: string): boolean {
  const at = text.toLowerCase().indexOf(code.toLowerCase())
  return at !== -1 && !/^\w/.test(text.slice(at + code.length))
}
