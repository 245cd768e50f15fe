/** Names of hosts that are not on the internet. The table of addresses is in `host-kind.ts`. */

/** Programs on this machine also use names below `localhost`, which `loopback-name.ts` leaves out. */
const LOOPBACK_NAME = /(?:^|\.)localhost$/i

/** Names that are resolved locally (RFC 6762, RFC 8375 and custom), and those without a domain. */
const LOCAL_NAME =
  /(?:^|\.)(?:local|internal|intranet|lan|localdomain|home|corp|private|home\.arpa)$|^[^.]+$/i

/** @param name without the dot that ends an absolute name. Undefined for a name of the internet */
export function localNameKind(name: string): 'loopback' | 'private' | undefined {
  if (LOOPBACK_NAME.test(name)) return 'loopback'
  return LOCAL_NAME.test(name) ? 'private' : undefined
}

/** An address as `URL` writes it: IPv6 in brackets, and every spelling of IPv4 with dots. */
const ADDRESS = /^(?:\[|[\d.]+$)/

/** The host of a URL without the dot that ends an absolute name. */
export function hostName({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/**
 * Whether a URL names a host of the internet. An address is none, so that no notation of a private one can be overlooked.
 * `URL` accepts empty labels (`localhost..`), which no name of the internet has.
 */
export function isPublicName(url: URL): boolean {
  const name = hostName(url)
  return !ADDRESS.test(name) && !name.split('.').includes('') && localNameKind(name) === undefined
}
