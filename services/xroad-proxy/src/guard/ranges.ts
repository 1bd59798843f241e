/**
 * Which IP addresses no public service can have: the special-purpose registries of IANA, multicast, and everything of
 * IPv6 that is not global unicast. An address comes in as text, the range that forbids it goes out, in words.
 *
 * Only addresses in their usual spelling are read here. What else a URL may call an IPv4 address (`0x7f.1`) is for the URL
 * parser to resolve first; text that is no address counts as blocked, so that a mistake upstream never opens anything.
 */
import { isIP } from 'node:net'

/** True for every address that a call from outside must not make us connect to, and for text that is no address. */
export function isBlockedAddress(ip: string): boolean {
  return blockedRange(ip) !== undefined
}

/** The range in words, like `a loopback address (127.0.0.0/8)`. Undefined for a public address. */
export function blockedRange(ip: string): string | undefined {
  // A zone is the name of one of our own network interfaces: whatever it goes with is not an address of the internet.
  if (ip.includes('%')) return 'an address with a zone'
  const version = isIP(ip)
  if (version === 0) return 'no IP address'
  if (version === 4) return rangeIn(ranges4, readIPv4(ip))
  const bits = readIPv6(ip)
  if (!isWithin(nat64, bits)) return rangeIn(ranges6, bits)
  // A DNS64 resolver writes public IPv4 addresses like this for networks without IPv4, so the prefix alone says nothing.
  const inner = rangeIn(ranges4, bits & 0xffff_ffffn)
  return inner === undefined ? undefined : `NAT64 of ${inner}`
}

interface Range {
  readonly base: bigint
  /** Number of bits after the prefix. */
  readonly shift: bigint
  readonly words: string
}

const bits4 = 32
const bits6 = 128

/** In the order of the numbers; the broader range of two comes last. */
const ranges4: readonly Range[] = [
  toRange('0.0.0.0/32', 'the unspecified address'),
  toRange('0.0.0.0/8', 'an address of "this network"'),
  toRange('10.0.0.0/8', 'a private address'),
  toRange('100.64.0.0/10', 'an address shared behind a carrier (CGNAT)'),
  toRange('127.0.0.0/8', 'a loopback address'),
  toRange('169.254.0.0/16', 'a link-local address'),
  toRange('172.16.0.0/12', 'a private address'),
  toRange('192.0.0.0/24', 'an address for protocol assignments'),
  toRange('192.0.2.0/24', 'a documentation address'),
  toRange('192.31.196.0/24', 'an AS112 address'),
  toRange('192.52.193.0/24', 'an AMT relay address'),
  toRange('192.88.99.0/24', 'a 6to4 relay address'),
  toRange('192.168.0.0/16', 'a private address'),
  toRange('192.175.48.0/24', 'an AS112 address'),
  toRange('198.18.0.0/15', 'a benchmark address'),
  toRange('198.51.100.0/24', 'a documentation address'),
  toRange('203.0.113.0/24', 'a documentation address'),
  toRange('224.0.0.0/4', 'a multicast address'),
  toRange('255.255.255.255/32', 'the broadcast address'),
  toRange('240.0.0.0/4', 'a reserved address'),
]

const nat64 = toRange('64:ff9b::/96', 'NAT64')

/** As above. The last three are all that is not global unicast (2000::/3); what precedes them has a name of its own. */
const ranges6: readonly Range[] = [
  toRange('::/128', 'the unspecified address'),
  toRange('::1/128', 'the loopback address'),
  toRange('::/96', 'an IPv4-compatible address'),
  toRange('::ffff:0:0/96', 'an IPv4-mapped address'),
  toRange('::ffff:0:0:0/96', 'an IPv4-translated address'),
  toRange('64:ff9b:1::/48', 'a NAT64 address for local use'),
  toRange('100::/64', 'a discard address'),
  toRange('100:0:0:1::/64', 'a dummy address'),
  toRange('2001::/32', 'a Teredo address'),
  toRange('2001:2::/48', 'a benchmark address'),
  toRange('2001:10::/28', 'an ORCHID'),
  toRange('2001:20::/28', 'an ORCHID'),
  toRange('2001:30::/28', 'a drone identifier (DRIP)'),
  toRange('2001::/23', 'an address for protocol assignments'),
  toRange('2001:db8::/32', 'a documentation address'),
  toRange('2002::/16', 'a 6to4 address'),
  toRange('2620:4f:8000::/48', 'an AS112 address'),
  toRange('3fff::/20', 'a documentation address'),
  toRange('5f00::/16', 'a segment identifier (SRv6)'),
  toRange('fc00::/7', 'a unique-local address'),
  toRange('fe80::/10', 'a link-local address'),
  toRange('fec0::/10', 'a site-local address'),
  toRange('ff00::/8', 'a multicast address'),
  toRange('::/3', 'a reserved address'),
  toRange('4000::/2', 'a reserved address'),
  toRange('8000::/1', 'a reserved address'),
]

function toRange(cidr: string, words: string): Range {
  const [ip = '', prefix = ''] = cidr.split('/')
  const isV4 = isIP(ip) === 4
  const width = isV4 ? bits4 : bits6
  return {
    base: isV4 ? readIPv4(ip) : readIPv6(ip),
    shift: BigInt(width - Number(prefix)),
    words: `${words} (${cidr})`,
  }
}

function rangeIn(ranges: readonly Range[], bits: bigint): string | undefined {
  return ranges.find((range) => isWithin(range, bits))?.words
}

function isWithin({ base, shift }: Range, bits: bigint): boolean {
  return bits >> shift === base >> shift
}

function readIPv4(ip: string): bigint {
  return ip.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n)
}

/** The URL parser turns a dotted tail into two groups and leaves one `::` at most. */
function readIPv6(ip: string): bigint {
  const [head = '', tail = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}
