/** The network of a client: what limits clients that no principal tells apart. */
import { parseIpAddress } from './ip-address.ts'

/**
 * Prefix lengths in bits, by the length of the address in bytes. One subscriber has an IPv4 address, or
 * an IPv6 network of up to 48 bits, and each of its addresses is free. A provider of small servers hands
 * out neighbouring IPv4 addresses.
 */
const PREFIX_BITS: Readonly<Record<number, number>> = { 4: 24, 16: 48 }

/** The network of a request without an address: the platform sets the header on Cloudflare, and nowhere else. */
export const LOCAL_NETWORK = 'local'

export function clientNetwork({ headers }: { readonly headers: Headers }): string {
  return networkOf(clientAddress(headers))
}

/** Telemetry and rate limits ask for the same address in turn, and reading a header is most of what that costs. */
let lastHeaders: Headers | undefined
let lastAddress: string | null = null

/** Returns null for a request without an address. The headers of a request never change. */
export function clientAddress(headers: Headers): string | null {
  if (headers !== lastHeaders) {
    lastAddress = headers.get('cf-connecting-ip')
    lastHeaders = headers
  }
  return lastAddress
}

export function networkOf(address: string | null): string {
  if (address === null) return LOCAL_NETWORK
  const bytes = parseIpAddress(address)
  const bits = bytes && PREFIX_BITS[bytes.length]
  if (bytes === undefined || bits === undefined) return 'unknown'
  return `${bytes.slice(0, bits / 8).join('.')}/${bits}`
}
