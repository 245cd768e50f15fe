/** Leases for the renewal of upstream tokens. */
import type { RenewalLease } from '../../src/ports/renewal-lease.ts'

/** Longer than a request to a provider may take. A lease whose request was terminated ends by itself. */
const LEASE_MS = 15_000

/**
 * Leases for the renewal of upstream tokens: one request at a time asks the provider for a grant.
 *
 * In memory: a lease is shorter than an object stays in memory without requests. When the object is reset
 * during a renewal, two requests may ask the provider, which then refuses one of them.
 */
export class RenewalLeases {
  readonly #held = new Map<string, { readonly id: string; readonly until: number }>()

  /** Takes the lease of a grant, or ends it. Returns whether the request has it; undefined without a request. */
  take(grantId: string, renewal: RenewalLease | undefined): boolean | undefined {
    if (renewal === undefined) return undefined
    const held = this.#held.get(grantId)
    const now = Date.now()
    if (held !== undefined && held.id !== renewal.id && now < held.until) return false
    if (renewal.ends === true) this.#held.delete(grantId)
    else this.#held.set(grantId, { id: renewal.id, until: now + LEASE_MS })
    return true
  }
}
