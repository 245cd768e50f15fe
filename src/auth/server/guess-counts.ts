/** The counts in which a wrong passphrase is counted: the networks of the request, and all of them together. */
import { clientAddress } from '../../platform/client-network.ts'
import { parseIpAddress } from '../../platform/ip-address.ts'
import type { WiderCount } from '../../ports/throttle.ts'

interface Network {
  readonly bits: number
  /** Wrong guesses without a wait, as a multiple of those of the narrowest network. */
  readonly capacity: number
}

/** From narrow to wide. */
type Networks = readonly [Network, ...Network[]]

/**
 * One subscriber has at least a /64 and often a /48. Each network has room for at least two of the next
 * narrower ones, so no subscriber alone makes its neighbours wait.
 */
const IPV6_NETWORKS: Networks = [
  { bits: 64, capacity: 1 },
  { bits: 56, capacity: 2 },
  { bits: 48, capacity: 4 },
  { bits: 32, capacity: 8 },
]
const IPV4_NETWORKS: Networks = [
  { bits: 32, capacity: 1 },
  { bits: 24, capacity: 4 },
]

/** Room for five of the widest networks, so none of them makes all others wait. */
const OVERALL: WiderCount = { key: 'passphrase', capacity: 40 }

/** The counts of a request, from narrow to wide. */
export function guessCounts({ headers }: Request): readonly [WiderCount, ...WiderCount[]] {
  const address = clientAddress(headers)
  const bytes = address === null ? undefined : parseIpAddress(address)
  if (bytes === undefined) {
    // The platform sets the header on Cloudflare. Elsewhere it may be missing, or be any text.
    return [{ key: `passphrase ${address === null ? 'local' : 'unknown'}`, capacity: 1 }, OVERALL]
  }
  const count = ({ bits, capacity }: Network): WiderCount => ({
    key: `passphrase ${bytes.slice(0, bits / 8).join('.')}/${bits}`,
    capacity,
  })
  const [narrow, ...wider] = bytes.length === 4 ? IPV4_NETWORKS : IPV6_NETWORKS
  return [count(narrow), ...wider.map(count), OVERALL]
}
