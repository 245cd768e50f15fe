/**
 * Which addresses the command line connects to. URLs in metadata are named by the server that the operator
 * has given. Such a server must not be able to direct requests into other networks of this machine.
 */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, type LookupFunction } from 'node:net'
import { addressKind, type HostKind, hostKind } from '../../../../client/src/host-kind.ts'

/** Thrown by `checkHost` and `lookup`; the request fails with it. The message is the subject of a sentence. */
export class PrivateAddressError extends Error {}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Whether a URL names this machine, a private network or no host on the internet, by its host alone. */
export function isPrivateHost(url: URL): boolean {
  return hostKind(url) !== 'public'
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** The range in which local proxies, such as those of a VPN, invent an address for each name. */
const PROXY_ADDRESSES = new BlockList()
PROXY_ADDRESSES.addSubnet('198.18.0.0', 15)

export interface AddressGuard {
  /** @throws {PrivateAddressError} for a host that must not be connected to */
  checkHost(url: URL): void
  /** Resolves a name to the addresses that may be connected to: a public name may have a private address. */
  readonly lookup: LookupFunction
}

/**
 * Permits public addresses. If the operator has given a URL on this machine or in a private network, then
 * addresses of the same kind as well: a server under development names loopback URLs, and one of an
 * organisation names hosts of its network. The given host itself may have any address. If its name is public, it may
 * have a public address or one of a proxy that answers DNS with addresses of its own.
 *
 * @param resolve of the platform
 */
export function createAddressGuard(given: URL, resolve: Resolve = dnsLookup): AddressGuard {
  const givenKind = hostKind(given)
  const givenHost = hostOf(given)
  const permits = (kind: HostKind, host: string) =>
    kind === 'public' ||
    (givenKind !== 'public' && host === givenHost) ||
    (kind !== 'special' && kind === givenKind)
  const permitsAddress = (address: string, host: string) =>
    permits(addressKind(address) ?? 'special', host) ||
    (host === givenHost && PROXY_ADDRESSES.check(address))
  return {
    checkHost(url) {
      if (!permits(hostKind(url), hostOf(url))) throw new PrivateAddressError(url.hostname)
    },
    lookup: (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, [])
        const host = hostname.replace(/\.$/, '')
        const permitted = addresses.filter(({ address }) => permitsAddress(address, host))
        const [first] = permitted
        if (first === undefined) {
          const refused = addresses.map(({ address }) => address).join(', ')
          return callback(new PrivateAddressError(`The address ${refused} of ${hostname}`), [])
        }
        if (options.all === true) return callback(null, permitted)
        return callback(null, first.address, first.family)
      })
    },
  }
}
