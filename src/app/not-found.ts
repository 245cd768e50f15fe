/** Answers every path that is not served. */
import { drain } from '../transport/body/drain.ts'
import type { RouterOptions } from './router.ts'

/** @param endpoint the first path of the endpoint, for people */
export function createNotFound(endpoint: string): RouterOptions['notFound'] {
  return async (request) => {
    await drain(request)
    const message = `The MCP endpoint is ${endpoint}`
    return Response.json({ error: 'not_found', message }, { status: 404 })
  }
}
