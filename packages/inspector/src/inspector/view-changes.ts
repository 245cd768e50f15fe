/**
 * `GET /inspect/view-changes`: the documents that `edgeway views build` made last, as events, while `edgeway dev` serves.
 * They come before the Worker that contains them.
 */
import { PRIVATE_HEADERS } from './problem.ts'

export async function viewChanges({ signal }: Request, env: unknown): Promise<Response> {
  const { EDGEWAY_VIEWS: url } = env as { readonly EDGEWAY_VIEWS?: unknown }
  try {
    if (typeof url === 'string') {
      const { body } = await fetch(url, { signal })
      const headers = { ...PRIVATE_HEADERS, 'content-type': 'text/event-stream' }
      return new Response(body, { headers })
    }
  } catch {
    // `edgeway dev` has ended.
  }
  // After it, the page does not ask again.
  return new Response(null, { status: 204, headers: PRIVATE_HEADERS })
}
