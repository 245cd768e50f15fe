/** The lease under which one request at a time renews the upstream tokens of a grant. */

/**
 * The right to renew the upstream tokens of a grant, whose refresh token the provider may accept once. One
 * request in the whole deployment has it, for a few seconds.
 */
export interface RenewalLease {
  /** Random. */
  readonly id: string
  /** Whether the request has finished. */
  readonly ends?: boolean
}

/** The answer to a request for a lease. */
export interface LeaseAnswer {
  /** False while another request has the lease. Undefined where none was requested. */
  readonly leased?: boolean | undefined
}
