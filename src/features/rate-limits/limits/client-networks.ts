/** The network of a client, as rate limits count it: an IPv4 address, or an IPv6 /64. */
import { clientAddress } from '../../../platform/client-network.ts'
import {
  type AddressRange,
  isInRange,
  isLoopbackAddress,
  parseIpAddress,
} from '../../../platform/ip-address.ts'
import { LruMap } from '../../../platform/lru-map.ts'

export interface ClientNetwork {
  readonly key: string
  readonly isHosted: boolean
}

/** All clients whose address cannot be read. */
const UNKNOWN: ClientNetwork = { key: 'unknown', isHosted: false }

/** One subscriber has at least a /64, and each of its addresses is free. */
const IPV6_BYTES = 8

/** Parsed addresses: reading one again costs more than the rest of a limit. */
const MAX_ADDRESSES = 1_000

export class ClientNetworks {
  readonly #hosted: readonly AddressRange[]
  readonly #known = new LruMap<ClientNetwork>(MAX_ADDRESSES)

  constructor(hosted: readonly AddressRange[]) {
    this.#hosted = hosted
  }

  /**
   * Returns undefined for a loopback address and without an address. The platform sets the header on
   * every request from the Internet, and replaces one that a client sends.
   */
  of(headers: Headers): ClientNetwork | undefined {
    const address = clientAddress(headers)
    if (address === null) return undefined
    const known = this.#known.peek(address)
    if (known !== undefined) return known
    const bytes = parseIpAddress(address)
    if (bytes === undefined) return UNKNOWN
    if (isLoopbackAddress(bytes)) return undefined
    const network = {
      key: bytes.slice(0, IPV6_BYTES).join('.'),
      isHosted: this.#hosted.some((range) => isInRange(bytes, range)),
    }
    this.#known.set(address, network)
    return network
  }
}
