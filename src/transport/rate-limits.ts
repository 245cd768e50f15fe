/**
 * Applies rate limits at the endpoint, to each request. The transport reaches it through `rateLimits()`, so an app without
 * limits does not contain it. Calls of tools that name a class are counted where they run (`tools/call`).
 */
import type { LimitDecision } from '../ports/rate-limits.ts'
import type { Message, RequestId } from '../protocol/json-rpc.ts'
import type { Exchange } from './exchange.ts'
import { Refusal, refusalEvent } from './refusal.ts'

/** Undefined at once when this isolate counts, so that a request does not wait. */
type Checked = undefined | Promise<undefined>

/**
 * Counts a request that was authenticated by its principal, and any other by its network. A request with
 * a valid token is therefore never refused because of its network.
 *
 * @throws {Refusal} `rate-limited`, or rejects with it
 */
export function limitRequest(
  { rateLimits, auth, request }: Pick<Exchange, 'rateLimits' | 'auth' | 'request'>,
  id?: RequestId,
): Checked {
  const limits = rateLimits()
  if (limits === undefined) return undefined
  const { headers } = request
  return enforce(auth ? limits.ofPrincipal(auth) : limits.ofNetwork('network', headers), id)
}

/** Counts a request of a path beside the endpoint by its network. Returns the refusal of one above the limit. */
export async function refusalOfExcess(
  limits: Pick<Exchange, 'rateLimits' | 'request'>,
): Promise<Refusal | undefined> {
  try {
    return await limitRequest({ ...limits, auth: undefined })
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * Counts the requests of a batch, and replaces each one above a limit of requests by its refusal. The first request
 * is counted already, as the POST.
 */
async function limitBatch(
  exchange: Exchange,
  items: readonly (Message | Refusal)[],
): Promise<readonly (Message | Refusal)[]> {
  const limited: (Message | Refusal)[] = []
  let isFirst = true
  for (const item of items) {
    let counted = item
    if (!(item instanceof Refusal) && item.kind === 'request') {
      try {
        if (!isFirst) await limitRequest(exchange, item.id)
        isFirst = false
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        exchange.endpoint.report(refusalEvent(error))
        counted = error
      }
    }
    limited.push(counted)
  }
  return limited
}

function enforce(decision: LimitDecision, id: RequestId | undefined): Checked {
  if (decision === undefined) return undefined
  if (decision instanceof Promise) return decision.then((settled) => enforce(settled, id))
  const { limitClass, retryAfterSeconds } = decision
  throw new Refusal('rate-limited', `Too many requests. Retry after ${retryAfterSeconds} seconds`, {
    id,
    // An item of a batch has no header.
    data: { retryAfterSeconds },
    headers: { 'retry-after': `${retryAfterSeconds}` },
    limitClass,
  })
}

export const REQUEST_LIMITS = { request: limitRequest, batch: limitBatch }
export type RequestLimits = typeof REQUEST_LIMITS
