/** `corsOptions` of the Agents SDK. Edgeway's own CORS headers are in `security/cors.ts`. */

export interface CorsOptions {
  /** The origin whose web pages may use the endpoint. Default `*`: see the entry. */
  readonly origin?: string
  /** Further request headers that web pages may send, separated by commas. */
  readonly headers?: string
  /** Has no effect: all methods of the endpoint are allowed. */
  readonly methods?: string
  /** Has no effect: all headers of the endpoint are exposed. */
  readonly exposeHeaders?: string
  /** How long a browser may keep the answer to its preflight, in seconds. */
  readonly maxAge?: number
}

/** Adds to the answer of a preflight what the author allows besides. */
export function withPreflight(
  request: Request,
  response: Response,
  { headers, maxAge }: CorsOptions,
): Response {
  const allowed = response.headers.get('access-control-allow-headers')
  if (request.method !== 'OPTIONS' || allowed === null) return response
  const changed = new Headers(response.headers)
  if (headers !== undefined) changed.set('access-control-allow-headers', `${allowed}, ${headers}`)
  if (maxAge !== undefined) changed.set('access-control-max-age', String(maxAge))
  return new Response(null, { status: response.status, headers: changed })
}

/** Removes the headers of CORS, which code in front sets itself. */
export function withoutCors(response: Response): Response {
  const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
  if (names.length === 0) return response
  const changed = new Response(response.body, response)
  for (const name of names) changed.headers.delete(name)
  return changed
}
