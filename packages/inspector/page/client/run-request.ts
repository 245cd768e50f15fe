/** The request of a form, which is kept while the person signs in and sent again afterwards, or leads to another form. */
import type { Params } from './endpoint.ts'

export interface RunRequest {
  readonly endpoint: string
  readonly method: string
  readonly params: Params
  readonly inputSchema?: Params
  /** What the form contained. */
  readonly values?: Params
}

/** A request with the fragment of the address at which its form is. */
export interface KeptRequest {
  readonly request: RunRequest
  readonly hash: string
  /** The result with the question that the form answers. Undefined: the request is sent at once. */
  readonly asked?: Params
}

let kept: KeptRequest | undefined

export function keepRequest(next: KeptRequest | undefined): void {
  kept = next
}

/** Returns the request of the form at this address, once. */
export function takeRequest(endpoint: string): KeptRequest | undefined {
  const taken = kept
  kept = undefined
  return taken?.hash === location.hash && taken.request.endpoint === endpoint ? taken : undefined
}
