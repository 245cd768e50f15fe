/** The MCP endpoint: one exchange in, one response out, whatever happens. */
import type { Exchange } from './exchange.ts'
import { handlePost } from './post.ts'
import { Refusal } from './refusals.ts'
import { internalErrorResponse, refusalResponse } from './respond.ts'

/** Never throws: a refusal becomes its response, and a fault of the runtime says nothing outside. */
export async function handleExchange(exchange: Exchange): Promise<Response> {
  const { endpoint, request, extraHeaders } = exchange
  try {
    if (request.method === 'POST') return await handlePost(exchange)
    throw new Refusal('http-method-not-allowed', `${request.method} is not served here`, {
      headers: { allow: 'POST, OPTIONS' },
    })
  } catch (error) {
    if (error instanceof Refusal) {
      const { name, message } = error
      const response = refusalResponse(error, extraHeaders)
      endpoint.report({ type: 'refusal', name, status: response.status, message })
      return response
    }
    endpoint.report({ type: 'internal-error', error })
    return internalErrorResponse(extraHeaders)
  }
}
