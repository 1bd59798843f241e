/**
 * The second half of the guard for addresses that were taken from a WSDL: a name that was harmless at boot may lead
 * into the local network by the time of the call. A name comes in, its addresses go out to `net.connect` or
 * `tls.connect`, or an `AddressRefused`. address.ts judges the text of an address at boot.
 *
 * One blocked address among several refuses the name as a whole. Dropping it and using the rest would be as safe, but a
 * name with addresses on both sides is an attack or a mistake, and calls would work or fail at random.
 */
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { blockedRange } from './ranges.ts'

/** The address is in a range that no public service uses. The message names host and range, for the log. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor(host: string, range: string) {
    super(`${host} leads to ${range}`)
    this.name = 'AddressRefused'
  }
}

type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A `lookup` option for connections. `resolve` is asked for all addresses, whatever the connection asks for. */
export function createGuardedLookup(resolve: ResolveAll = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, [])
        return
      }
      const refusal = judge(hostname, addresses)
      const [first] = addresses
      if (refusal !== undefined || first === undefined) callback(refusal ?? notFound(hostname), [])
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * Why a connection to this host is refused, where the host is an IP address: such a connection never asks its `lookup`.
 */
export function refusalOf(hostname: string): AddressRefused | undefined {
  const ip = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const range = isIP(ip) === 0 ? undefined : blockedRange(ip)
  return range === undefined ? undefined : new AddressRefused(hostname, range)
}

function judge(hostname: string, addresses: readonly LookupAddress[]): AddressRefused | undefined {
  for (const { address } of addresses) {
    const range = blockedRange(address)
    if (range !== undefined) return new AddressRefused(hostname, range)
  }
  return undefined
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
}
