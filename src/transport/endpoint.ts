/** The HTTP methods of the endpoint, each with its handler, and the response to every thrown error. */
import { ErrorCode } from '../protocol/error-codes.ts'
import { REFUSALS } from '../protocol/refusals.ts'
import { drain } from './body/drain.ts'
import type { Exchange } from './exchange.ts'
import type { SessionTransport } from './extensions.ts'
import { handlePost } from './post.ts'
import { methodNotAllowed, Refusal, refusalEvent } from './refusal.ts'
import { internalErrorResponse, refusalResponse } from './respond.ts'

/** @throws {Refusal} */
export type Handler = (exchange: Exchange) => Promise<Response>

/** The handlers of one path by HTTP method. Other methods are answered with 405. */
export interface Handlers {
  readonly GET?: Handler
  readonly POST?: Handler
  readonly DELETE?: Handler
}

/** `GET` and `DELETE` act on a session. */
const WITHOUT_SESSIONS: Handlers = { POST: handlePost }

export function endpointHandlers(
  sessions: Pick<SessionTransport, 'GET' | 'DELETE'> | undefined,
): Handlers {
  if (sessions === undefined) return WITHOUT_SESSIONS
  return { GET: sessions.GET, POST: handlePost, DELETE: sessions.DELETE }
}

/**
 * Serves an exchange, and ends its recording. Never rejects: a refusal becomes its response, and any other
 * error a 500 without detail.
 */
export async function handleExchange(exchange: Exchange, handlers: Handlers): Promise<Response> {
  const { endpoint, request, services, recording, extraHeaders } = exchange
  let response: Response
  try {
    const limited = endpoint.extensions.limits?.request(exchange)
    if (limited !== undefined) await limited
    const { method } = request
    // `POST` is served with and without sessions, so nearly no request asks for them here.
    const needsSessions = method !== 'POST' && handlers.DELETE !== undefined
    const hasSessions = () => !endpoint.modernOnly && services.sessions() !== undefined
    const served = needsSessions && !hasSessions() ? WITHOUT_SESSIONS : handlers
    const handle = handlerOf(served, method)
    if (handle === undefined) throw methodNotAllowed(method, allowedMethods(served))
    response = await handle(exchange)
  } catch (error) {
    if (error instanceof Refusal) return refuse(exchange, error)
    endpoint.report({ type: 'internal-error', error })
    recording?.fail(ErrorCode.internalError)
    response = internalErrorResponse(extraHeaders, error)
  }
  recording?.respond(response)
  return response
}

/** Reports a refusal, and ends the recording with its response. */
export async function refuse(
  {
    endpoint,
    request,
    recording,
    extraHeaders,
  }: Pick<Exchange, 'endpoint' | 'request' | 'recording' | 'extraHeaders'>,
  refusal: Refusal,
): Promise<Response> {
  endpoint.report(refusalEvent(refusal))
  recording?.refused(refusal.name, REFUSALS[refusal.name].code)
  await drain(request)
  const response = refusalResponse(refusal, extraHeaders)
  recording?.respond(response)
  return response
}

function handlerOf(handlers: Handlers, method: string): Handler | undefined {
  const isKnown = method === 'GET' || method === 'POST' || method === 'DELETE'
  return isKnown ? handlers[method] : undefined
}

function allowedMethods(handlers: Handlers): string {
  return [...Object.keys(handlers), 'OPTIONS'].join(', ')
}
