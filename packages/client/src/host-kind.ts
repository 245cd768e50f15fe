/**
 * The table of addresses that are no host on the internet; `local-name.ts` has that of names. The command line and the
 * timeline use it.
 */
import {
  type AddressRange,
  isInRange,
  isLoopbackAddress,
  parseIpAddress,
} from '../../../src/platform/ip-address.ts'
import { localNameKind } from '../../../src/protocol/local-name.ts'

/**
 * - `public`: a host on the internet.
 * - `loopback`: this machine.
 * - `private`: a network of the person or the organisation.
 * - `special`: another range that is not a host on the internet, such as link-local addresses (the metadata
 *   service of cloud machines), documentation, multicast, and prefixes that translate to IPv4. The prefix of
 *   DNS64 (`64:ff9b::/96`) is public in front of a public IPv4 address.
 */
export type HostKind = 'public' | 'loopback' | 'private' | 'special'

const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

/**
 * The rest of the registries of special purpose, and multicast. The anycast services of the registries (AS112,
 * AMT) are hosts on the internet and not listed.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Ranges of 2000::/3. Teredo and 6to4 addresses contain IPv4 addresses.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

/**
 * Global unicast addresses of IPv6 are assigned from this range alone. All others are special: `::/96`,
 * `::ffff:0:0/96`, `64:ff9b:1::/48`, `100::/64`, `5f00::/16`, `fe80::/10`, `fec0::/10`,
 * `ff00::/8`, and what is not assigned.
 */
const GLOBAL_UNICAST = '2000::/3'

interface Range extends AddressRange {
  readonly kind: HostKind
}

const rangesOf = (kind: HostKind, texts: readonly string[]): readonly Range[] =>
  texts.map((text) => {
    const [network = '', prefix] = text.split('/')
    return { kind, bytes: parseIpAddress(network) ?? [], bits: Number(prefix) }
  })

/** The first range that contains an address decides. */
const RANGES: readonly Range[] = [
  ...rangesOf('private', PRIVATE),
  ...rangesOf('special', SPECIAL),
  ...rangesOf('public', [GLOBAL_UNICAST]),
]

/**
 * The prefix of an IPv4 address that a network without IPv4 translates. Other hosts than public ones may not be behind it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6052#section-3.1
 */
const TRANSLATED_PREFIX = parseIpAddress('64:ff9b::')?.slice(0, 12) ?? []

/** Undefined for a text that is no address. A zone (`fe80::1%eth0`) is ignored. */
export function addressKind(text: string): HostKind | undefined {
  const [address = ''] = text.split('%')
  const bytes = parseIpAddress(address)
  if (bytes === undefined) return undefined
  if (isLoopbackAddress(bytes)) return 'loopback'
  if (isTranslated(bytes)) {
    return addressKind(bytes.slice(12).join('.')) === 'public' ? 'public' : 'special'
  }
  const found = RANGES.find((range) => isInRange(bytes, range))?.kind
  if (!address.includes(':')) return found ?? 'public'
  // An IPv4 address in IPv6 (`::ffff:8.8.8.8`) is never public. Its kind decides what it reaches.
  return found ?? 'special'
}

function isTranslated(bytes: readonly number[]): boolean {
  return bytes.length === 16 && TRANSLATED_PREFIX.every((byte, index) => byte === bytes[index])
}

/** The kind of the host of a URL, without DNS. */
export function hostKind({ hostname }: URL): HostKind {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return addressKind(host) ?? localNameKind(host) ?? 'public'
}
