/**
 * Applies rate limits at the endpoint: to each request, and to the calls of tools that name a class. The transport reaches
 * it through `rateLimits()`, so an app without limits does not contain it.
 */
import { overLimitText } from '../dispatch/over-limit.ts'
import type { LimitDecision, OverLimit, RateLimits } from '../ports/rate-limits.ts'
import type { Message, RequestId, RequestMessage } from '../protocol/json-rpc.ts'
import { defineExchange } from './define-exchange.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
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
 * Counts a call of a tool that names a class. A call above the limit is returned with `overLimit`. Its answer is a
 * result and not status 429, which clients treat as a failure of the transport that no model reads.
 */
function limitTool(exchange: Exchange, message: Message): Message | Promise<Message> {
  if (message.kind !== 'request' || message.method !== 'tools/call') return message
  const limits = exchange.rateLimits()
  // Finding the definition of the caller may cost a call of the factory.
  if (limits === undefined || !limits.countsTools) return message
  const defined = defineExchange(exchange, message.id)
  return defined instanceof Promise
    ? defined.then((later) => limitDefined(later, message, limits))
    : limitDefined(defined, message, limits)
}

function limitDefined(
  { auth, request, dispatcher, endpoint }: DefinedExchange,
  message: RequestMessage,
  limits: RateLimits,
): Message | Promise<Message> {
  const { name } = dispatcher.forwarded(message.method, message.params, auth) ?? {}
  const limitClass = dispatcher.limitClass(name, auth)
  if (limitClass === undefined) return message
  const counted = (over: OverLimit | undefined): Message => {
    if (over === undefined) return message
    const refusal = new Refusal('rate-limited', 'Too many calls of a tool', { limitClass })
    endpoint.report(refusalEvent(refusal))
    return { ...message, overLimit: overLimitText(String(name), over) }
  }
  const decision = limits.ofTool(limitClass, auth, request.headers)
  return decision instanceof Promise ? decision.then(counted) : counted(decision)
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
        counted = await limitTool(exchange, item)
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

export const REQUEST_LIMITS = { request: limitRequest, tool: limitTool, batch: limitBatch }
export type RequestLimits = typeof REQUEST_LIMITS
