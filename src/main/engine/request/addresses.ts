import { BlockList, isIP } from 'node:net'

/** Millrace never connects to a `forbidden` address: link-local, cloud metadata, multicast. */
export type AddressClass = 'forbidden' | 'loopback' | 'private' | 'public'

/** Classifies an IP address; IPv4 embedded in IPv6 (mapped, NAT64, 6to4) is classified by the IPv4 address. */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(address) === 0 || FORBIDDEN.check(address, family)) return 'forbidden'
  if (LOOPBACK.check(address, family)) return 'loopback'
  return PRIVATE.check(address, family) ? 'private' : 'public'
}

/** `0.0.0.0` and `::` reach the local machine on every system that accepts them. */
const LOOPBACK = ranges('127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128')

const FORBIDDEN = ranges(
  '169.254.0.0/16', // link-local; AWS, Azure, GCP, OpenStack metadata
  '100.100.100.200/32', // Alibaba metadata
  '168.63.129.16/32', // Azure wire server
  '192.0.0.192/32', // Oracle metadata
  '224.0.0.0/4',
  '255.255.255.255/32',
  'fe80::/10',
  'fd00:ec2::/32', // AWS metadata
  'fd20:ce::/32', // GCP metadata
  'fd00:c1::a9fe:a9fe/128', // Oracle metadata
  'ff00::/8',
)

const PRIVATE = ranges(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '240.0.0.0/4',
  'fc00::/7',
  'fec0::/10',
)

/** Each IPv4 range also matches its IPv6 spellings; BlockList itself only knows `::ffff:`. */
function ranges(...subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix = ''] = subnet.split('/')
    const bits = Number(prefix)
    list.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4')
    if (isIP(network) === 6) continue
    const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number)
    const high = ((a << 8) | b).toString(16)
    const low = ((c << 8) | d).toString(16)
    list.addSubnet(`64:ff9b::${high}:${low}`, 96 + bits, 'ipv6')
    list.addSubnet(`64:ff9b:1::${high}:${low}`, 96 + bits, 'ipv6')
    list.addSubnet(`::${high}:${low}`, 96 + bits, 'ipv6')
    list.addSubnet(`2002:${high}:${low}::`, 16 + bits, 'ipv6')
  }
  return list
}
