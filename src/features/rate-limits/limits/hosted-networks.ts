/** Networks of hosted clients: all users of such a client share its addresses. */
import { type AddressRange, parseIpAddress } from '../../../platform/ip-address.ts'

/**
 * Address ranges of hosted clients, by name. A default, which the option `hostedNetworks` replaces.
 *
 * @see https://docs.claude.com/en/api/ip-addresses
 */
export const HOSTED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['160.79.104.0/21'],
}

/** @throws {TypeError} for a value that is no range in CIDR notation */
export function parseRange(value: unknown): AddressRange {
  const [address = '', prefix = '', ...rest] = String(value).split('/')
  const bytes = parseIpAddress(address)
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (bytes === undefined || rest.length > 0 || !(bits >= 1 && bits <= bytes.length * 8)) {
    throw new TypeError(`rateLimits.hostedNetworks: "${value}" must be like 160.79.104.0/21`)
  }
  return { bytes, bits }
}
