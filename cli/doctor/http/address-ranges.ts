/** The table of address ranges that a server on the internet cannot have. `addresses.ts` decides with it. */
import { BlockList, isIP } from 'node:net'

/**
 * - `public`: a host on the internet.
 * - `loopback`: this machine.
 * - `private`: a network of the person or the organisation.
 * - `special`: another range that is not a host on the internet, such as link-local addresses (the metadata
 *   service of cloud machines), documentation, multicast, and prefixes that translate to IPv4.
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special'

type Range = readonly [network: string, prefix: number]

const LOOPBACK: readonly Range[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
]

const PRIVATE: readonly Range[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['fc00::', 7],
]

/**
 * The rest of the registries of special purpose, and multicast. Three anycast services of the registries
 * (AS112, AMT) are hosts on the internet and not listed.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL: readonly Range[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Ranges of 2000::/3. They contain 6to4 and Teredo, whose addresses contain IPv4 addresses.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

/**
 * Global unicast addresses of IPv6 are assigned from this range alone. All others are special: `::/96`,
 * `::ffff:0:0/96`, `64:ff9b::/96`, `64:ff9b:1::/48`, `100::/64`, `5f00::/16`, `fe80::/10`, `fec0::/10`,
 * `ff00::/8`, and what is not assigned.
 */
const GLOBAL_UNICAST: readonly Range[] = [['2000::', 3]]

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

function blockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, familyOf(network))
  return list
}

/** `BlockList` compares an IPv4 address in IPv6 (`::ffff:127.0.0.1`) with the ranges of IPv4. */
const LISTS = [
  ['loopback', blockList(LOOPBACK)],
  ['private', blockList(PRIVATE)],
  ['special', blockList(SPECIAL)],
] as const
const GLOBAL = blockList(GLOBAL_UNICAST)

/** Undefined for a text that is no address. */
export function addressKind(text: string): AddressKind | undefined {
  const [address = ''] = text.split('%')
  const family = isIP(address)
  if (family === 0) return undefined
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const listed = LISTS.find(([, list]) => list.check(address, type))
  if (listed !== undefined) return listed[0]
  return family === 6 && !GLOBAL.check(address, 'ipv6') ? 'special' : 'public'
}
