/** The MCP endpoint: one exchange in, one response out, whatever happens. */
import { drain } from './body/drain.ts'
import type { Exchange } from './exchange.ts'
import { handlePost } from './post.ts'
import { Refusal } from './refusals.ts'
import { internalErrorResponse, refusalResponse } from './respond.ts'
import { handleDelete } from './session/end-session.ts'
import { handleGet } from './session/get-stream.ts'

export type Handler = (exchange: Exchange) => Promise<Response>

/** Never throws: a refusal becomes its response, and a fault of the runtime says nothing outside. */
export async function handleExchange(
  exchange: Exchange,
  handle: Handler = handleMethod,
): Promise<Response> {
  const { endpoint, extraHeaders } = exchange
  try {
    return await handle(exchange)
  } catch (error) {
    if (error instanceof Refusal) {
      const { name, message } = error
      const response = refusalResponse(error, extraHeaders)
      endpoint.report({ type: 'refusal', name, status: response.status, message })
      await drain(exchange.request)
      return response
    }
    endpoint.report({ type: 'internal-error', error })
    return internalErrorResponse(extraHeaders)
  }
}

/** Sessions have more than POST; without one there is no stream to give, and nothing to end. */
function handleMethod(exchange: Exchange): Promise<Response> {
  const { request, services } = exchange
  const { method, headers } = request
  if (method === 'POST') return handlePost(exchange)
  const sessionId = headers.get('mcp-session-id')
  const serves = services.sessions() !== undefined
  if (serves && method === 'GET' && sessionId !== null) return handleGet(exchange, sessionId)
  if (serves && method === 'DELETE') {
    if (sessionId !== null) return handleDelete(exchange, sessionId)
    throw new Refusal('session-id-required', 'DELETE ends a session: name it in Mcp-Session-Id')
  }
  throw new Refusal('http-method-not-allowed', `${method} is not served here`, {
    headers: { allow: serves ? allowed(method) : 'POST, OPTIONS' },
  })
}

/** A stream is given to a session alone, so without one GET is not among them. */
function allowed(method: string): string {
  return method === 'GET' ? 'POST, DELETE, OPTIONS' : 'GET, POST, DELETE, OPTIONS'
}
