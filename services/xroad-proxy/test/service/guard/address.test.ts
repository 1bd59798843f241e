/**
 * The guard for addresses of WSDLs in both of its halves: what a text may say, and what a name may lead to when the
 * connection is made. Ranges are held against arithmetic of this file, which reads addresses and CIDRs in its own way.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { lookup, type LookupAddress } from 'node:dns'
import { type AddressInfo, BlockList, connect, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { judgeAddress, type Verdict } from '../../../src/guard/address.ts'
import { AddressRefused, createGuardedLookup, refusalOf } from '../../../src/guard/lookup.ts'
import { blockedRange, rows4, rows6 } from '../../../src/guard/ranges.ts'

const strict = { allowHttp: false, hostAllowlist: [] }
const lax = { allowHttp: true, hostAllowlist: [] }

const show = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}..` : text)

function reasonOf(verdict: Verdict): string {
  strictEqual(verdict.kind, 'rejected', JSON.stringify(verdict))
  return verdict.kind === 'rejected' ? verdict.reason : ''
}

describe('placeholders mean the Security Server and are no rejection [D5.6]', () => {
  const placeholders: readonly string[] = [
    'http://TURVASERVER/cgi-bin/consumer_proxy',
    'https://turvaserver',
    'http://turvaserver:8080/x',
    'http://turvaserver:PORT/x',
    'http://<turvaserver>/x',
    'http://${turvaServer}/x',
    'turvaserver/cgi-bin/consumer_proxy',
    'TURVASERVER:5500',
    'ftp://turvaserver/',
    'http://%74urvaserver/',
    'http://ｔｕｒｖａｓｅｒｖｅｒ/',
    'http://Security-Server.example.ee/x',
    'http://my.SECURITY_SERVER.ee/x',
    'https://thesecurityserver1.asutus.ee:8443/',
    'http://10.0.0.1.security-server.ee/x',
    'http://xtee/x',
    'https://xtee./x',
    'http://host:8080/x',
    'http://host:port/x',
    'http://local/x',
    'xtee',
    'REPLACE_WITH_ACTUAL_URL',
    '  http://xtee/x\n',
    'http://[TURVASERVER]/x',
    'http://[host]:[port]/x',
    'http://[host]:8080/x',
    'http://xtee.[instance].ee/x',
    'http://[]/x',
    'http://[::12345]/x',
    '[address of the server]',
    'INSERT_CORRECT_SERVICE_URL',
    'http://INSERT_CORRECT_SERVICE_URL',
    'http://INSERT_HOST.example.ee/x',
    'http://example.org/xroad-endpoint',
    '\n  http://example.org/xroad-endpoint ',
  ]
  for (const text of placeholders) {
    test(show(text), () => {
      deepStrictEqual(judgeAddress(text, strict), { kind: 'security_server' })
      deepStrictEqual(judgeAddress(text, { allowHttp: true, hostAllowlist: ['a.ee'] }), { kind: 'security_server' })
    })
  }

  const others: readonly string[] = [
    'http://example.org/xroad-endpoint/',
    'http://example.org/XROAD-endpoint',
    'http://www.example.org/xroad-endpoint',
    'http://example.org:80/xroad-endpoint',
    'http://localhost/x',
    'http://LOCALHOST.:8080/x',
    'http://[::1]/x',
    'http://[fe80::1%25eth0]/x',
    'http://[FE80::1%eth0]/x',
    'http://2130706433/x',
    'http://0x7f000001/x',
    'http://example.ee/turvaserver',
    'http://example.ee/[service]',
    'http://turvaserver@example.ee/',
    'gopher://mainframe/x',
    'localhost:8080',
    'localhost',
    '',
    ' ',
  ]
  for (const text of others) test(`no placeholder: ${show(text)}`, () => ok(reasonOf(judgeAddress(text, strict))))
})

describe('what is rejected, and in which words [S-wsdl.5]', () => {
  const rejected: readonly [string, RegExp][] = [
    ['http://service.example.ee/x', /^is plain http, which wsdl\.allow_http_upstream does not allow$/],
    ['http:service.example.ee/x', /^is plain http/],
    ['ftp://service.example.ee/x', /^does not begin with https:\/\/$/],
    ['jms:jndi:dynamicQueues/x', /^does not begin with https:\/\/$/],
    ['file:///etc/passwd', /^does not begin with https:\/\/$/],
    ['javascript:alert(1)', /^does not begin with https:\/\/$/],
    ['service.example.ee/x', /^is not a complete URL$/],
    ['//service.example.ee/x', /^is not a complete URL$/],
    ['https://', /^is not a complete URL$/],
    ['https:///', /^is not a complete URL$/],
    ['https://service.example.ee:65536/', /^is not a complete URL$/],
    ['https://1.2.3.4.5/', /^is not a complete URL$/],
    ['https://8.8.8.8%00.example.ee/', /^is not a complete URL$/],
    ['https://[2a00:1450::1%25eth0]/', /^is not a complete URL$/],
    ['https://service.example.ee:0/', /^has port 0/],
    ['https://user@service.example.ee/', /^has a user name or a password in it$/],
    ['https://:hunter2@service.example.ee/', /^has a user name or a password in it$/],
    ['https://turvaserver@service.example.ee/', /^has a user name/],
    ['https://localhost/', /^has a host of this network only \(localhost\)$/],
    ['https://localhost./', /\(localhost\)$/],
    ['https://LOCALHOST:8443/', /\(localhost\)$/],
    ['https://loc\u00adalhost/', /\(localhost\)$/],
    ['https://ℓocalhost/', /\(localhost\)$/],
    ['https://l%6fcalhost/', /\(localhost\)$/],
    ['https://a.b.localhost/', /\(localhost\)$/],
    ['https://a.localhost./', /\(localhost\)$/],
    ['https://printer.local/', /\(local\)$/],
    ['https://PRINTER.LOCAL./', /\(local\)$/],
    ['https://metadata.google.internal/', /\(internal\)$/],
    ['https://metadata。internal/', /\(internal\)$/],
    ['https://{host}.example.ee/', /^has no valid host name$/],
    ['https://*.example.ee/', /^has no valid host name$/],
    ['https://a..b/', /^has no valid host name$/],
    ['https://a.ee../', /^has no valid host name$/],
    ['https://./', /^has no valid host name$/],
    [`https://${'a'.repeat(64)}.ee/`, /^has no valid host name$/],
    [`https://${'a.'.repeat(126)}ee/`, /^has no valid host name$/],
    [`https://example.ee/${'a'.repeat(2048)}`, /^is longer than 2048 characters$/],
    ['['.repeat(5_000_000), /^is longer than 2048 characters$/],
  ]
  for (const [text, reason] of rejected) {
    test(show(text), () => match(reasonOf(judgeAddress(text, strict)), reason))
  }

  test('http is fine where the configuration allows it, no other scheme is', () => {
    deepStrictEqual(judgeAddress('http://a.ee/x', lax), { kind: 'direct', url: 'http://a.ee/x' })
    match(reasonOf(judgeAddress('ftp://a.ee/x', lax)), /^begins neither with https:\/\/ nor with http:\/\/$/)
  })

  test('no reason repeats what it rejects, except for a host that was read as one', () => {
    const hostile = fc
      .constantFrom('https://', 'http://', '', 'ftp://')
      .chain((scheme) =>
        fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => `${scheme}Zq:Zq\u0000\n@${text}`),
      )
    fc.assert(
      fc.property(hostile, (text) => {
        const verdict = judgeAddress(text, { allowHttp: true, hostAllowlist: ['a.ee'] })
        if (verdict.kind === 'rejected') match(verdict.reason, /^(?!.*Zq)[\x20-\x7e]+$/)
      }),
    )
  })
})

describe('what passes goes out as it was read [S-wsdl.5]', () => {
  const direct: readonly [string, string][] = [
    ['https://service.example.ee/x?y=1', 'https://service.example.ee/x?y=1'],
    ['  https://Service.Example.EE:443/X \n', 'https://service.example.ee/X'],
    ['https://service.example.ee:8443', 'https://service.example.ee:8443/'],
    ['https://service.example.ee/x#part', 'https://service.example.ee/x'],
    ['https://exa\tmple.ee/x', 'https://example.ee/x'],
    ['https:\\\\example.ee\\x', 'https://example.ee/x'],
    [`https://${'a.'.repeat(126)}e/`, `https://${'a.'.repeat(126)}e/`],
    [`https://${'a'.repeat(63)}.ee/`, `https://${'a'.repeat(63)}.ee/`],
    ['https://my_service.example.ee/', 'https://my_service.example.ee/'],
    ['https://õnn.ee/', 'https://xn--nn-bka.ee/'],
    ['https://example.ee./', 'https://example.ee./'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://0x8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2A00:1450:0::1]/', 'https://[2a00:1450::1]/'],
    ['https://localhost.ee/', 'https://localhost.ee/'],
    ['https://internal.ee/', 'https://internal.ee/'],
    ['https://mylocal.ee/', 'https://mylocal.ee/'],
    ['https://notlocalhost.ee/', 'https://notlocalhost.ee/'],
    ['https://example.ee/turvaserver', 'https://example.ee/turvaserver'],
    ['https://example.org/xroad-endpoint', 'https://example.org/xroad-endpoint'],
  ]
  for (const [text, url] of direct) {
    test(show(text), () => deepStrictEqual(judgeAddress(text, strict), { kind: 'direct', url }))
  }
})

describe('the allow-list [S-wsdl.5]', () => {
  const allows = (entry: string, text: string): boolean =>
    judgeAddress(text, { allowHttp: false, hostAllowlist: ['other.ee', entry] }).kind === 'direct'

  test('compares whole names without regard for case, trailing dot and script', () => {
    ok(allows('service.ee', 'https://SERVICE.ee:8443/x'))
    ok(allows('Service.EE.', 'https://service.ee/x'))
    ok(allows(' service.ee ', 'https://service.ee./x'))
    ok(allows('õnn.ee', 'https://xn--nn-bka.ee/x'))
    ok(allows('8.8.8.8', 'https://8.8.8.8/'))
    ok(allows('2A00:1450:0::1', 'https://[2a00:1450::1]/'))
    ok(allows('[2a00:1450::1]', 'https://[2a00:1450::1]/'))
  })

  test('knows no wildcards, parts of names, ports and URLs', () => {
    for (const entry of ['*', '*.ee', '.ee', 'ee', '', 'xservice.ee', 'service.ee:443', 'https://service.ee']) {
      strictEqual(allows(entry, 'https://service.ee/x'), false, entry)
    }
    for (const entry of ['service.ee/x', 'service.ee?x', 'service.ee#x', 'service.ee\\x']) {
      strictEqual(allows(entry, 'https://service.ee/x'), false, entry)
    }
    strictEqual(allows('service.ee', 'https://a.service.ee/x'), false)
    strictEqual(allows('service.ee', 'https://service.ee.evil.com/x'), false)
    strictEqual(allows('service.ee', 'https://service.ee@evil.com/x'), false)
  })

  test('says which host is missing, and opens no other gate', () => {
    match(
      reasonOf(judgeAddress('https://b.ee/x', { allowHttp: false, hostAllowlist: ['a.ee'] })),
      /^has a host that wsdl\.upstream_host_allowlist does not list \(b\.ee\)$/,
    )
    match(
      reasonOf(judgeAddress('https://b.ee/x', { allowHttp: false, hostAllowlist: ['a.ee', 'https://b.ee'] })),
      / does not list \(b\.ee\); "https:\/\/b\.ee" there is no host name$/,
    )
    strictEqual(allows('10.0.0.1', 'https://10.0.0.1/'), false)
    strictEqual(allows('localhost', 'https://localhost/'), false)
    strictEqual(allows('service.ee', 'http://service.ee/'), false)
  })
})

/** CIDRs of the registries with the numbers just outside; null where the neighbour is blocked as well. */
const cidrs4: readonly [cidr: string, below: string | null, above: string | null][] = [
  ['0.0.0.0/8', null, '1.0.0.0'],
  ['10.0.0.0/8', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0/24', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '223.255.255.255', null],
  ['240.0.0.0/4', null, null],
  ['255.255.255.255/32', null, null],
]

const highest = 'ffff:ffff:ffff:ffff:ffff'
const cidrs6: readonly [cidr: string, below: string | null, above: string | null][] = [
  ['::/128', null, null],
  ['::1/128', null, null],
  ['::/96', null, null],
  ['::ffff:0:0/96', null, null],
  ['::ffff:0:0:0/96', null, null],
  ['64:ff9b:1::/48', null, null],
  ['100::/64', null, null],
  ['100:0:0:1::/64', null, null],
  ['::/3', null, '2000::'],
  ['2001::/23', `2000:ffff:ffff:${highest}`, '2001:200::'],
  ['2001:db8::/32', `2001:db7:ffff:${highest}`, '2001:db9::'],
  ['2002::/16', `2001:ffff:ffff:${highest}`, '2003::'],
  ['2620:4f:8000::/48', `2620:4f:7fff:${highest}`, '2620:4f:8001::'],
  ['3fff::/20', `3ffe:ffff:ffff:${highest}`, '3fff:1000::'],
  ['4000::/2', `3fff:ffff:ffff:${highest}`, null],
  ['5f00::/16', null, null],
  ['8000::/1', null, null],
  ['fc00::/7', null, null],
  ['fe80::/10', null, null],
  ['fec0::/10', null, null],
  ['ff00::/8', null, null],
]

const isBlockedAddress = (ip: string): boolean => blockedRange(ip) !== undefined

const dotted = (bits: number): string => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
const toNumber = (ip: string): number => ip.split('.').reduce((bits, byte) => bits * 256 + Number(byte), 0)

/** Every way in which a URL may write an IPv4 address, `seed` chooses. */
function spell4(ip: string, seed: number): string {
  const bits = toNumber(ip)
  const radix = (number: number, way: number): string => {
    const ways = [`${number}`, `0${number.toString(8)}`, `0x${number.toString(16)}`, `0X00${number.toString(16)}`]
    return ways[way % ways.length] ?? ''
  }
  const bytes = ip.split('.').map(Number)
  const [a = 0, b = 0] = bytes
  const forms: readonly string[] = [
    bytes.map((byte, index) => radix(byte, seed >> (2 * index))).join('.'),
    radix(bits, seed),
    `${radix(a, seed)}.${radix(bits % 2 ** 24, seed >> 2)}`,
    `${radix(a, seed)}.${radix(b, seed >> 2)}.${radix(bits % 2 ** 16, seed >> 4)}`,
  ]
  const plain = forms[(seed >> 8) % forms.length] ?? ''
  const scripts: readonly string[] = [
    plain,
    `${plain}.`,
    plain.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    plain.replaceAll('.', '\u3002'),
    plain.replaceAll(/\d/g, (digit) => `%3${digit}`),
  ]
  return scripts[(seed >> 10) % scripts.length] ?? ''
}

const seed = fc.nat({ max: 2 ** 16 })

/**
 * An address with the prefix of the CIDR and anything behind it; the ends of the range more often than chance has it.
 */
function within(cidr: string): fc.Arbitrary<string> {
  const [ip = '', prefix = ''] = cidr.split('/')
  const free = (ip.includes(':') ? 128 : 32) - Number(prefix)
  const tail = fc.oneof(fc.constant(0n), fc.constant(2n ** BigInt(free) - 1n), fc.bigInt(0n, 2n ** BigInt(free) - 1n))
  return ip.includes(':')
    ? tail.map((bits) => groups6(toBits6(ip) | bits))
    : tail.map((bits) => dotted(toNumber(ip) + Number(bits)))
}

/** `ip` as tables write it, or in full. */
function toBits6(ip: string): bigint {
  const [head = '', tail = ''] = ip.split('::')
  const groups = [head, tail].map((half) => half.split(':').filter(Boolean))
  const [before = [], after = []] = groups
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`)
}

/** An address of the CIDR or one of its two neighbours. */
function beside(cidr: string): fc.Arbitrary<string> {
  const step = fc.constantFrom(-1n, 0n, 0n, 0n, 1n)
  return cidr.includes(':')
    ? fc.tuple(within(cidr), step).map(([ip, by]) => groups6(BigInt.asUintN(128, toBits6(ip) + by)))
    : fc.tuple(within(cidr), step).map(([ip, by]) => dotted(toNumber(ip) + Number(by)))
}

/** The last 32 bits of an address with the prefix of NAT64. */
function toIPv4([, tail, groups = '']: RegExpExecArray): string {
  return tail ?? dotted(Number.parseInt(groups.replace(':', ''), 16))
}

/** The first of the CIDRs that has the address. */
function rangeOf<Row extends { readonly cidr: string }>(ip: string, rows: readonly Row[]): Row | undefined {
  const width = ip.includes(':') ? 128 : 32
  const toBits = width === 128 ? toBits6 : (text: string) => BigInt(toNumber(text))
  return rows.find(({ cidr }) => {
    const [base = '', prefix = ''] = cidr.split('/')
    const free = BigInt(width - Number(prefix))
    return toBits(ip) >> free === toBits(base) >> free
  })
}

const listed4 = cidrs4.map(([cidr]) => ({ cidr }))
const listed6 = cidrs6.map(([cidr]) => ({ cidr }))

function groups6(bits: bigint): string {
  return (bits.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':')
}

/** In full, without leading zeros, in capitals, shortened, with a dotted tail. */
function spell6(full: string, way: number): string {
  const groups = full.split(':')
  const tail = dotted(Number.parseInt(groups.slice(6).join(''), 16))
  const ways: readonly string[] = [
    full,
    groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':'),
    full.toUpperCase(),
    new URL(`http://[${full}]`).hostname.slice(1, -1),
    [...groups.slice(0, 6), tail].join(':'),
  ]
  return ways[way % ways.length] ?? ''
}

describe('addresses in blocked ranges [D5.7 S-wsdl.5]', () => {
  for (const [cidr, below, above] of cidrs4) {
    test(`${cidr} is blocked in every spelling, its neighbours are not`, () => {
      fc.assert(
        fc.property(within(cidr), seed, (ip, seed) => {
          ok(isBlockedAddress(ip), ip)
          const spelled = spell4(ip, seed)
          match(reasonOf(judgeAddress(`https://${spelled}/x`, strict)), /^is an? |^is the /, spelled)
        }),
      )
      for (const ip of [below, above].filter((ip) => ip !== null)) {
        strictEqual(blockedRange(ip), undefined, ip)
        fc.assert(
          fc.property(seed, (seed) => {
            deepStrictEqual(judgeAddress(`https://${spell4(ip, seed)}/x`, strict), {
              kind: 'direct',
              url: `https://${ip}/x`,
            })
          }),
        )
      }
    })
  }

  for (const [cidr, below, above] of cidrs6) {
    test(`${cidr} is blocked in every spelling, its neighbours are not`, () => {
      const nat64 = (ip: string): boolean => ip.startsWith('0064:ff9b:0000:0000:0000:0000:')
      fc.assert(
        fc.property(
          within(cidr).filter((ip) => !nat64(ip)),
          fc.nat(4),
          (ip, way) => {
            ok(isBlockedAddress(spell6(ip, way)), ip)
            match(reasonOf(judgeAddress(`https://[${spell6(ip, way)}]/x`, strict)), /^is an? |^is the /)
          },
        ),
      )
      for (const ip of [below, above].filter((ip) => ip !== null)) {
        strictEqual(blockedRange(ip), undefined, ip)
        strictEqual(judgeAddress(`https://[${ip}]/x`, strict).kind, 'direct', ip)
      }
    })
  }

  test('any IPv4 address: blocked exactly if one of the ranges has it', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), seed, (bits, seed) => {
        const ip = dotted(bits)
        const expected = rangeOf(ip, listed4) !== undefined
        strictEqual(isBlockedAddress(ip), expected, ip)
        strictEqual(judgeAddress(`https://${spell4(ip, seed)}/`, strict).kind, expected ? 'rejected' : 'direct', ip)
      }),
      { numRuns: 2000 },
    )
  })

  test('any IPv6 address: blocked exactly if one of the ranges has it', () => {
    const any = fc.oneof(fc.bigInt(0n, 2n ** 128n - 1n), fc.bigInt(2n ** 125n, 2n ** 126n - 1n))
    fc.assert(
      fc.property(any, fc.nat(4), (bits, way) => {
        const full = groups6(bits)
        const ip = spell6(full, way)
        const expected = rangeOf(full, listed6) !== undefined
        strictEqual(isBlockedAddress(ip), expected, ip)
        strictEqual(judgeAddress(`https://[${ip}]/`, strict).kind, expected ? 'rejected' : 'direct', ip)
      }),
      { numRuns: 2000 },
    )
  })

  test('NAT64 is what its IPv4 address is when a resolver says so, and blocked in a WSDL', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), (bits) => {
        const ip = `64:ff9b::${dotted(bits)}`
        strictEqual(isBlockedAddress(ip), rangeOf(dotted(bits), listed4) !== undefined, ip)
        strictEqual(reasonOf(judgeAddress(`https://[${ip}]/`, strict)), 'is NAT64 (64:ff9b::/96)')
      }),
    )
    strictEqual(blockedRange('64:ff9b::10.1.2.3'), 'NAT64 of a private address (10.0.0.0/8)')
    ok(isBlockedAddress(`64:ff9a:ffff:${highest}`))
    ok(isBlockedAddress('64:ff9b:0:0:0:1::'))
  })

  test('forms that embed a public IPv4 address are blocked all the same', () => {
    for (const ip of ['::ffff:8.8.8.8', '::8.8.8.8', '::ffff:0:8.8.8.8', '2002:808:808::1', '64:ff9b:1::8.8.8.8']) {
      ok(isBlockedAddress(ip), ip)
      match(reasonOf(judgeAddress(`https://[${ip}]/`, strict)), /^is an? /, ip)
    }
  })

  test('the words name the first range of the table that has the address, at its ends and anywhere inside', () => {
    const anywhere = fc.oneof(
      fc.nat({ max: 2 ** 32 - 1 }).map(dotted),
      fc.bigInt(0n, 2n ** 128n - 1n).map(groups6),
      ...[...rows4, ...rows6].map(({ cidr }) => beside(cidr)),
      ...rows4.map(({ cidr }) => beside(cidr).map((ip) => `64:ff9b::${ip}`)),
    )
    fc.assert(
      fc.property(anywhere, fc.nat(4), (ip, way) => {
        const inner = /^64:ff9b::(.*)|^0064:ff9b:0{4}:0{4}:0{4}:0{4}:(.*)/.exec(ip)
        const row = inner === null ? rangeOf(ip, ip.includes(':') ? rows6 : rows4) : rangeOf(toIPv4(inner), rows4)
        const words = row && `${inner === null ? '' : 'NAT64 of '}${row.name} (${row.cidr})`
        strictEqual(blockedRange(/^[\da-f]{4}(:[\da-f]{4}){7}$/.test(ip) ? spell6(ip, way) : ip), words, ip)
      }),
      { numRuns: 20_000 },
    )
  })

  test('the words name the narrowest range', () => {
    const words: readonly [string, string][] = [
      ['127.0.0.1', 'a loopback address (127.0.0.0/8)'],
      ['169.254.169.254', 'a link-local address (169.254.0.0/16)'],
      ['100.64.0.1', 'an address shared behind a carrier (CGNAT) (100.64.0.0/10)'],
      ['0.0.0.0', 'the unspecified address (0.0.0.0/32)'],
      ['255.255.255.255', 'the broadcast address (255.255.255.255/32)'],
      ['::1', 'the loopback address (::1/128)'],
      ['::', 'the unspecified address (::/128)'],
      ['::7f00:1', 'an IPv4-compatible address (::/96)'],
      ['::ffff:127.0.0.1', 'an IPv4-mapped address (::ffff:0:0/96)'],
      ['2001:0:1::1', 'a Teredo address (2001::/32)'],
      ['::ffff:0:8.8.8.8', 'an IPv4-translated address (::ffff:0:0:0/96)'],
      ['64:ff9b:1::8.8.8.8', 'a NAT64 address for local use (64:ff9b:1::/48)'],
      ['100::1', 'a discard address (100::/64)'],
      ['100:0:0:1::1', 'a dummy address (100:0:0:1::/64)'],
      ['100:0:0:2::1', 'a reserved address (::/3)'],
      ['2001:2::1', 'a benchmark address (2001:2::/48)'],
      ['2001:10::1', 'an ORCHID (2001:10::/28)'],
      ['2001:30::1', 'a drone identifier (DRIP) (2001:30::/28)'],
      ['fe80::1', 'a link-local address (fe80::/10)'],
      ['ff02::1', 'a multicast address (ff00::/8)'],
      ['2001:1::1', 'an address for protocol assignments (2001::/23)'],
      ['2001:2f::1', 'an ORCHID (2001:20::/28)'],
      ['fd12:3456::1', 'a unique-local address (fc00::/7)'],
      ['fec0::1', 'a site-local address (fec0::/10)'],
      ['5f00::1', 'a segment identifier (SRv6) (5f00::/16)'],
      ['6000::1', 'a reserved address (4000::/2)'],
    ]
    for (const [ip, expected] of words) strictEqual(blockedRange(ip), expected, ip)
  })

  test('what is no address in its usual spelling counts as blocked, zones included', () => {
    for (const text of [
      '',
      'example.ee',
      '127.1',
      '010.1.1.1',
      '8.8.8.8.',
      ' 8.8.8.8',
      '8.8.8.8/8',
      '[2a00::1]',
      ':::',
    ]) {
      strictEqual(blockedRange(text), 'no IP address', text)
    }
    for (const text of ['fe80::1%eth0', '2a00:1450::1%eth0', '2a00:1450::1%25eth0', '8.8.8.8%1']) {
      strictEqual(blockedRange(text), 'an address with a zone', text)
    }
  })
})

describe('what a name leads to is judged when connecting [D5.7]', () => {
  let server: Server
  let port = 0
  let visits = 0

  before(async () => {
    server = createServer((socket) => {
      visits += 1
      socket.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  })

  after(() => server.close())

  const answer = (...ips: string[]): Parameters<typeof createGuardedLookup>[0] => {
    const addresses = ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    return (_hostname, _options, callback) => callback(null, addresses)
  }

  /** How Node asks: all addresses when it may try several, one otherwise. */
  const ask = (
    resolve: Parameters<typeof createGuardedLookup>[0],
    all: boolean,
  ): Promise<[string | LookupAddress[], number | undefined]> => {
    const { promise, resolve: fulfil, reject } = Promise.withResolvers<[string | LookupAddress[], number | undefined]>()
    createGuardedLookup(resolve)('service.ee', { all }, (error, address, family) => {
      if (error) reject(error)
      else fulfil([address, family])
    })
    return promise
  }

  const refused = { name: 'AddressRefused', code: 'ADDRESS_REFUSED' }

  test('without the guard localhost is there to connect to', async () => {
    const socket = connect({ host: 'localhost', port })
    await once(socket, 'connect')
    socket.destroy()
    await once(socket, 'close')
  })

  for (const autoSelectFamily of [true, false]) {
    test(`a connection to localhost is refused before its first packet (several addresses: ${autoSelectFamily})`, async () => {
      const visitsBefore = visits
      const socket = connect({ host: 'localhost', port, autoSelectFamily, lookup: createGuardedLookup() })
      await rejects(once(socket, 'connect'), (error: Error) => {
        ok(error instanceof AddressRefused)
        match(error.message, /^localhost leads to (?:a loopback address \(127|the loopback address \(::1)/)
        return true
      })
      strictEqual(visits, visitsBefore)
    })
  }

  test('so is one with TLS', async () => {
    const socket = connectTls({ host: 'localhost', port, lookup: createGuardedLookup() })
    await rejects(once(socket, 'secureConnect'), refused)
  })

  test('a name that was public at first is refused once it leads inside', async () => {
    const answers = ['8.8.8.8', '127.0.0.1']
    const rebinding = createGuardedLookup((_hostname, _options, callback) => {
      callback(null, [{ address: answers.shift() ?? '', family: 4 }])
    })
    // Node's own block list stops the connection after the look-up, so that no packet leaves this machine.
    const blockList = new BlockList()
    blockList.addAddress('8.8.8.8')
    const first = connect({ host: 'service.ee', port, lookup: rebinding, blockList })
    await rejects(once(first, 'connect'), { code: 'ERR_IP_BLOCKED' })
    const second = connect({ host: 'service.ee', port, lookup: rebinding, blockList })
    await rejects(once(second, 'connect'), refused)
  })

  test('public addresses go out in the form that was asked for', async () => {
    const resolve = answer('8.8.8.8', '2a00:1450::1')
    deepStrictEqual(await ask(resolve, false), ['8.8.8.8', 4])
    const both = [
      { address: '8.8.8.8', family: 4 },
      { address: '2a00:1450::1', family: 6 },
    ]
    deepStrictEqual(await ask(resolve, true), [both, undefined])
  })

  test('one blocked address refuses the name, wherever it stands', async () => {
    for (const all of [true, false]) {
      await rejects(ask(answer('8.8.8.8', '10.0.0.1'), all), refused)
      await rejects(ask(answer('fd00::1', '8.8.8.8'), all), refused)
      await rejects(ask(answer('::ffff:8.8.8.8'), all), refused)
      await rejects(ask(answer('64:ff9b::10.0.0.1'), all), refused)
      await rejects(ask(answer('fe80::1%eth0'), all), refused)
      await rejects(ask(answer('garbage'), all), refused)
    }
    deepStrictEqual(await ask(answer('64:ff9b::8.8.8.8'), false), ['64:ff9b::8.8.8.8', 6])
  })

  test('the resolver is asked for all addresses and keeps its other options', () => {
    const asked: unknown[] = []
    const guarded = createGuardedLookup((hostname, options) => asked.push(hostname, options))
    guarded('service.ee', { family: 4, hints: 32 }, () => {})
    deepStrictEqual(asked, ['service.ee', { family: 4, hints: 32, all: true }])
  })

  test('an answer without an address and a failed look-up are failures', async () => {
    await rejects(ask(answer(), false), { code: 'ENOTFOUND' })
    await rejects(ask(answer(), true), { code: 'ENOTFOUND' })
    const failure = Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' })
    await rejects(
      ask((_hostname, _options, callback) => callback(failure, []), true),
      failure,
    )
  })

  test('the resolver of the system answers as the guard expects', (_context, done) => {
    lookup('localhost', { all: true }, (error, addresses) => {
      strictEqual(error, null)
      for (const { address } of addresses) ok(isBlockedAddress(address), address)
      done()
    })
  })

  test('IP addresses in a URL never reach a look-up and have a check of their own', async () => {
    const socket = connect({ host: '127.0.0.1', port, lookup: createGuardedLookup() })
    await once(socket, 'connect')
    socket.destroy()
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', '::1', '[::ffff:8.8.8.8]', '[fe80::1%eth0]']) {
      ok(refusalOf(host) instanceof AddressRefused, host)
    }
    for (const host of ['8.8.8.8', '[2a00:1450::1]', 'service.ee', 'localhost']) strictEqual(refusalOf(host), undefined)
  })
})
