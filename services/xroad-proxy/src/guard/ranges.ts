/**
 * Which IP addresses no public service can have: the special-purpose registries of IANA, multicast, and everything of
 * IPv6 that is not global unicast. An address comes in as text, the range that forbids it goes out, in words. Owns the
 * tables; Node's `BlockList` reads and compares.
 *
 * Reads only addresses in their usual spelling. The URL parser has to resolve other spellings of an IPv4 address
 * (`0x7f.1`) first; text that is not an address counts as blocked, so that a mistake elsewhere never opens anything.
 */
import { BlockList, isIP, SocketAddress } from 'node:net'

/** The range in words, like `a loopback address (127.0.0.0/8)`. Undefined for a public address. */
export function blockedRange(ip: string): string | undefined {
  // A zone is the name of one of our own network interfaces: whatever it goes with is not an address of the internet.
  if (ip.includes('%')) return 'an address with a zone'
  const version = isIP(ip)
  if (version === 0) return 'no IP address'
  const address = new SocketAddress({ address: ip, family: version === 4 ? 'ipv4' : 'ipv6' })
  return rangesFor(address).find(({ list }) => list.check(address))?.words
}

function rangesFor(address: SocketAddress): readonly Range[] {
  if (address.family === 'ipv4') return ranges4
  return nat64.list.check(address) ? nat64Ranges : ranges6
}

interface Row {
  readonly cidr: string
  readonly name: string
}

/** In the order of the numbers; the broader range of two comes last. */
export const rows4: readonly Row[] = [
  { cidr: '0.0.0.0/32', name: 'the unspecified address' },
  { cidr: '0.0.0.0/8', name: 'an address of "this network"' },
  { cidr: '10.0.0.0/8', name: 'a private address' },
  { cidr: '100.64.0.0/10', name: 'an address shared behind a carrier (CGNAT)' },
  { cidr: '127.0.0.0/8', name: 'a loopback address' },
  { cidr: '169.254.0.0/16', name: 'a link-local address' },
  { cidr: '172.16.0.0/12', name: 'a private address' },
  { cidr: '192.0.0.0/24', name: 'an address for protocol assignments' },
  { cidr: '192.0.2.0/24', name: 'a documentation address' },
  { cidr: '192.31.196.0/24', name: 'an AS112 address' },
  { cidr: '192.52.193.0/24', name: 'an AMT relay address' },
  { cidr: '192.88.99.0/24', name: 'a 6to4 relay address' },
  { cidr: '192.168.0.0/16', name: 'a private address' },
  { cidr: '192.175.48.0/24', name: 'an AS112 address' },
  { cidr: '198.18.0.0/15', name: 'a benchmark address' },
  { cidr: '198.51.100.0/24', name: 'a documentation address' },
  { cidr: '203.0.113.0/24', name: 'a documentation address' },
  { cidr: '224.0.0.0/4', name: 'a multicast address' },
  { cidr: '255.255.255.255/32', name: 'the broadcast address' },
  { cidr: '240.0.0.0/4', name: 'a reserved address' },
]

/** As above. The last three are all that is not global unicast (2000::/3); what precedes them has a name of its own. */
export const rows6: readonly Row[] = [
  { cidr: '::/128', name: 'the unspecified address' },
  { cidr: '::1/128', name: 'the loopback address' },
  { cidr: '::/96', name: 'an IPv4-compatible address' },
  { cidr: '::ffff:0:0/96', name: 'an IPv4-mapped address' },
  { cidr: '::ffff:0:0:0/96', name: 'an IPv4-translated address' },
  { cidr: '64:ff9b:1::/48', name: 'a NAT64 address for local use' },
  { cidr: '100::/64', name: 'a discard address' },
  { cidr: '100:0:0:1::/64', name: 'a dummy address' },
  { cidr: '2001::/32', name: 'a Teredo address' },
  { cidr: '2001:2::/48', name: 'a benchmark address' },
  { cidr: '2001:10::/28', name: 'an ORCHID' },
  { cidr: '2001:20::/28', name: 'an ORCHID' },
  { cidr: '2001:30::/28', name: 'a drone identifier (DRIP)' },
  { cidr: '2001::/23', name: 'an address for protocol assignments' },
  { cidr: '2001:db8::/32', name: 'a documentation address' },
  { cidr: '2002::/16', name: 'a 6to4 address' },
  { cidr: '2620:4f:8000::/48', name: 'an AS112 address' },
  { cidr: '3fff::/20', name: 'a documentation address' },
  { cidr: '5f00::/16', name: 'a segment identifier (SRv6)' },
  { cidr: 'fc00::/7', name: 'a unique-local address' },
  { cidr: 'fe80::/10', name: 'a link-local address' },
  { cidr: 'fec0::/10', name: 'a site-local address' },
  { cidr: 'ff00::/8', name: 'a multicast address' },
  { cidr: '::/3', name: 'a reserved address' },
  { cidr: '4000::/2', name: 'a reserved address' },
  { cidr: '8000::/1', name: 'a reserved address' },
]

interface Range {
  readonly list: BlockList
  readonly words: string
}

const ranges4 = rows4.map(({ cidr, name }) => toRange(cidr, `${name} (${cidr})`))
const ranges6 = rows6.map(({ cidr, name }) => toRange(cidr, `${name} (${cidr})`))

/**
 * A DNS64 resolver writes public IPv4 addresses with this prefix for networks without IPv4, so the prefix alone says
 * nothing: what follows it is judged as the IPv4 address that it is.
 */
const nat64 = toRange('64:ff9b::/96', 'NAT64')
const nat64Ranges = rows4.map(({ cidr, name }) => {
  const [ip = '', prefix = ''] = cidr.split('/')
  return toRange(`64:ff9b::${ip}/${96 + Number(prefix)}`, `NAT64 of ${name} (${cidr})`)
})

function toRange(cidr: string, words: string): Range {
  const [ip = '', prefix = ''] = cidr.split('/')
  const list = new BlockList()
  list.addSubnet(ip, Number(prefix), isIP(ip) === 4 ? 'ipv4' : 'ipv6')
  return { list, words }
}
