import { isIPv6 } from 'node:net'

/**
 * The address by which limits count a caller: an IPv4 address, or the /64 network of an IPv6 address, because all of it
 * usually belongs to one caller.
 */
export function limitedAddress(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (!isIPv6(plain)) return address
  // `2001:db8::1` → `[2001:db8::1]`: the URL parser normalizes all forms, and writes IPv4 as groups.
  const [before = '', after] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = after === undefined ? head : [...head, ...zeros, ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}
