/**
 * Which addresses the command line connects to. URLs in metadata are named by the server that the operator
 * has given. Such a server must not be able to direct requests into other networks of this machine.
 */
import { lookup as dnsLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { addressKind, type HostKind, hostKind } from '../../../src/protocol/host-kind.ts'

/** Thrown by `checkHost` and `lookup`; the request fails with it. */
export class PrivateAddressError extends Error {}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Whether a URL names this machine, a private network or no host on the internet, by its host alone. */
export function isPrivateHost(url: URL): boolean {
  return hostKind(url) !== 'public'
}

export function isLoopbackHost(url: URL): boolean {
  return hostKind(url) === 'loopback'
}

export interface AddressGuard {
  /** @throws {PrivateAddressError} for a host that must not be connected to */
  checkHost(url: URL): void
  /** Resolves a name and refuses its addresses likewise: a public name may resolve to a private address. */
  readonly lookup: LookupFunction
}

/**
 * Permits public addresses. If the operator has given a URL on this machine or in a private network, then
 * addresses of the same kind as well: a server under development names loopback URLs, and one of an
 * organisation names hosts of its network. The given host itself may have any address, unless its name is public.
 */
export function createAddressGuard(given: URL): AddressGuard {
  const givenKind = hostKind(given)
  const givenHost = hostOf(given)
  const permits = (kind: HostKind, host: string) =>
    kind === 'public' ||
    (givenKind !== 'public' && host === givenHost) ||
    (kind !== 'special' && kind === givenKind)
  return {
    checkHost(url) {
      if (!permits(hostKind(url), hostOf(url))) throw new PrivateAddressError(url.hostname)
    },
    lookup: (hostname, options, callback) => {
      dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, [])
        const host = hostname.replace(/\.$/, '')
        const refused = addresses.some(
          ({ address }) => !permits(addressKind(address) ?? 'special', host),
        )
        if (refused) return callback(new PrivateAddressError(hostname), [])
        const [first] = addresses
        if (options.all === true) return callback(null, addresses)
        return callback(null, first?.address ?? '', first?.family)
      })
    },
  }
}
