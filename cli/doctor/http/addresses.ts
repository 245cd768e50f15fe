/**
 * Which addresses the doctor connects to. URLs in metadata and redirects are named by the server under
 * test. A server on the internet must not be able to direct requests into the network of this machine.
 */
import { lookup as dnsLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const PRIVATE_RANGES: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
]

const PRIVATE = new BlockList()
for (const [network, prefix, family] of PRIVATE_RANGES) PRIVATE.addSubnet(network, prefix, family)

/** Thrown by `lookup`; the request fails with it. */
export class PrivateAddressError extends Error {}

const unbracketed = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a URL names this machine or a private network by its host alone, without DNS. */
export function isPrivateHost(url: URL): boolean {
  const host = unbracketed(url.hostname).replace(/\.$/, '')
  return (
    isPrivateAddress(host) || /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)$/i.test(host)
  )
}

/** @throws {PrivateAddressError} for a private address, unless `allowPrivate` is set */
export function checkHost(url: URL, allowPrivate: boolean): void {
  if (!allowPrivate && isPrivateHost(url)) throw new PrivateAddressError(url.hostname)
}

/** Resolves a name and refuses private addresses: a public name may resolve to one. */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  if (allowPrivate) return dnsLookup as LookupFunction
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      const found = error === null ? addresses : []
      if (error !== null) return callback(error, [])
      const refused = found.find(({ address }) => isPrivateAddress(address))
      if (refused !== undefined) return callback(new PrivateAddressError(hostname), [])
      const [first] = found
      if (options.all === true) return callback(null, found)
      return callback(null, first?.address ?? '', first?.family)
    })
  }
}
