/** Finds out from headers whether a request was forwarded for a client on another computer. */
import { isLoopbackAddress, parseIpAddress } from '../platform/ip-address.ts'

/** Headers in which proxies name the client, each with one address or a list of them. */
const ADDRESS_HEADERS: readonly string[] = [
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'true-client-ip',
  'x-client-ip',
  'x-forwarded-for',
  'x-real-ip',
]

/**
 * Whether a header names a client address that is not a loopback address, or that cannot be read.
 *
 * A proxy may rewrite `Host` to a loopback name, so `Host` alone does not show that a client is on this
 * computer. A client can send these headers too, which makes its own request foreign and nothing else.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7239#section-5.2
 */
export function namesForeignClient({ headers }: Request): boolean {
  const addresses = ADDRESS_HEADERS.flatMap((name) => headers.get(name)?.split(',') ?? [])
  const forwarded = headers.get('forwarded')?.split(',').map(forOf) ?? []
  return [...addresses, ...forwarded].some((address) => !isLoopback(address))
}

/** The value of `for` in one element of `Forwarded`; empty when it has none. */
function forOf(element: string): string {
  const pairs = element.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => /^for=/i.test(pair))?.slice('for='.length) ?? ''
}

/** Accepts an address with a port, in brackets or in quotes. */
function isLoopback(text: string): boolean {
  const node = text.trim().replace(/^"([^"]*)"$/, '$1')
  const [, bracketed, ipv4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(node) ?? []
  const bytes = parseIpAddress(bracketed ?? ipv4 ?? node)
  return bytes !== undefined && isLoopbackAddress(bytes)
}
