/**
 * Headers with which proxies, tunnels and content delivery networks identify the original caller, in addition to those
 * that begin with `x-forwarded-`.
 */
const FORWARDING_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-ray',
  'cf-visitor',
  'cdn-loop',
  'ngrok-skip-browser-warning',
])

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i

/** The first header, by lower-case name, that indicates a proxy; null if there is none. */
export function forwardingHeader(headers: Readonly<Record<string, unknown>>): string | null {
  for (const name in headers) if (name.startsWith('x-forwarded-') || FORWARDING_HEADERS.has(name)) return name
  return null
}

/** Whether a Host header refers to the local computer. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host)
}

/** The URL of a program on this computer from user input: a port, a URL without a scheme, or a complete URL. */
export function urlOfProgram(typed: string): string {
  const text = typed.trim()
  if (/^\d+$/.test(text)) return `http://localhost:${text}`
  return text.includes('://') ? text : `http://${text}`
}
