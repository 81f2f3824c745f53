/** Finds the IP address of a caller, even if a proxy passes it on in a header. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type ClientAddress = (request: IncomingMessage) => string

/** The socket's address, which headers can't change. */
export const socketAddress: ClientAddress = ({ socket }) => plainAddress(socket.remoteAddress ?? '')

export interface NamedProxy {
  /** The header that names the caller, in lower case. */
  readonly header: string
  readonly isProxy: (address: string) => boolean
}

/**
 * The caller that the proxy names if the request comes from it; otherwise the socket's address. Of several addresses,
 * the last one that isn't a proxy itself counts, because the caller can have sent anything before it.
 */
export function addressBehind(proxy: () => NamedProxy | null): ClientAddress {
  return (request) => {
    const own = socketAddress(request)
    const named = proxy()
    if (named === null || !named.isProxy(own)) return own
    const value = request.headers[named.header]
    const hops = (typeof value === 'string' ? value : (value?.join(',') ?? '')).split(',')
    for (const hop of hops.toReversed()) {
      const address = addressIn(hop)
      if (address === null) return own
      if (!named.isProxy(address)) return address
    }
    return own
  }
}

/** Checks whether an address is in a list of addresses and ranges such as `10.0.0.0/8`. */
export function createAddressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

export const isLoopbackAddress = createAddressList(['127.0.0.0/8', '::1'])

/**
 * Reads `203.0.113.7`, `203.0.113.7:4711`, `[2001:db8::1]:4711`, or `for="[2001:db8::1]";proto=https` as in
 * `Forwarded`.
 */
function addressIn(hop: string): string | null {
  const [, forwarded] = /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(hop) ?? []
  const text = (forwarded ?? hop).trim().replaceAll('"', '')
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1')
  return isIP(address) === 0 ? null : plainAddress(address.toLowerCase())
}

/**
 * Returns the same IPv4 address for sockets of both kinds, and however a proxy writes it: `::ffff:203.0.113.7` and
 * `0:0:0:0:0:ffff:cb00:7107` are `203.0.113.7`.
 */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address
  // The URL parser normalizes all forms, and writes IPv4 as groups.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? []
  if (high === undefined || low === undefined) return address
  return [high, low].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join('.')
}
