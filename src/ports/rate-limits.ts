/** Limits how many requests a principal, a network or the callers of a tool may send in a period. */
import type { AuthInfo } from '../protocol/auth-info.ts'

/** A class of rate limits whose limit a request exceeds, and how long its client must wait. */
export interface OverLimit {
  readonly limitClass: string
  readonly retryAfterSeconds: number
  /** Whether the wait is known. The platform's binding does not disclose it: then it is the longest possible one. */
  readonly isExact: boolean
}

/** Undefined when the request is within its limit. A promise where the platform counts. */
export type LimitDecision = OverLimit | undefined | Promise<OverLimit | undefined>

/** The classes of requests that have no principal, counted by network. */
export type NetworkClass =
  | 'network'
  | 'register'
  | 'authorize'
  | 'token'
  | 'sign-in'
  | 'client-documents'

/** A tool, and the class that it names. */
export interface CountedTool {
  readonly info: { readonly name: string }
  readonly limitClass: string | undefined
}

/** Each method counts one request. None rejects. */
export interface RateLimits {
  ofPrincipal(auth: AuthInfo): LimitDecision
  /**
   * Counts a request by the network of its `CF-Connecting-IP`. A request of a hosted network is counted
   * in the class `hosted-network` instead; one without an address, or of a loopback address, in none.
   *
   * @param part distinguishes counts within the network
   */
  ofNetwork(limitClass: NetworkClass, headers: Headers, part?: string): LimitDecision
  /** Counts the challenges that callbacks at a host receive, of all principals. */
  ofCallback(host: string): LimitDecision
  /**
   * Counts a call in the class that its tool names: by principal or, without one, by network. Returns the text of the answer
   * to a call above the limit, which is a result and not status 429: clients treat that as a failure of the transport, which
   * no model reads.
   */
  ofTool(
    tool: CountedTool,
    auth: AuthInfo | undefined,
    headers: Headers,
  ): string | undefined | Promise<string | undefined>
}
