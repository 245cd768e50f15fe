/**
 * How many lines an isolate holds. Each is a lease that its beat renews: the platform may drop a
 * request without running another line of its code, and a plain counter would never hear of it.
 */
export interface Lease {
  renew(expiresAt: number): void
  release(): void
}

export class Leases {
  readonly #expiries = new Map<Lease, number>()

  /** Undefined where `most` are held already; times are epoch milliseconds. */
  take(most: number, now: number, expiresAt: number): Lease | undefined {
    if (this.#expiries.size >= most) this.#dropExpired(now)
    if (this.#expiries.size >= most) return undefined
    const lease: Lease = {
      renew: (until) => this.#expiries.set(lease, until),
      release: () => this.#expiries.delete(lease),
    }
    lease.renew(expiresAt)
    return lease
  }

  #dropExpired(now: number): void {
    for (const [lease, expiresAt] of this.#expiries) {
      if (expiresAt <= now) this.#expiries.delete(lease)
    }
  }
}
