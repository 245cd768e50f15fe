/**
 * Counts the listeners of one isolate. Each holds a lease that its heartbeat renews, because the
 * platform can terminate a request without running its cleanup, which a plain counter would miss.
 */
export interface ListenerLease {
  /** @param expiresAt epoch milliseconds */
  renew(expiresAt: number): void
  release(): void
}

export class ListenerLeases {
  readonly #expiries = new Map<ListenerLease, number>()

  /** Returns undefined when `most` unexpired leases are held. Times are epoch milliseconds. */
  acquire(most: number, now: number, expiresAt: number): ListenerLease | undefined {
    if (this.#expiries.size >= most) this.#deleteExpired(now)
    if (this.#expiries.size >= most) return undefined
    const lease: ListenerLease = {
      renew: (until) => this.#expiries.set(lease, until),
      release: () => this.#expiries.delete(lease),
    }
    lease.renew(expiresAt)
    return lease
  }

  #deleteExpired(now: number): void {
    for (const [lease, expiresAt] of this.#expiries) {
      if (expiresAt <= now) this.#expiries.delete(lease)
    }
  }
}
