/**
 * CORS headers. Credentials of the browser are allowed only where cookies are credentials, and then only
 * to origins that the owner has listed: otherwise a web page sends its bearer token itself.
 */

const EXPOSED = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after'

const ALLOWED =
  'authorization, dpop, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id'

export function corsHeaders(
  origin: string,
  usesCookies: boolean,
): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
    ...(usesCookies && { 'access-control-allow-credentials': 'true' }),
  }
}

const PARAM_HEADER = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]{1,128}$/
/** Maximum number of requested headers that are read. */
const MAX_REQUESTED = 100

/** Answers a preflight of an allowed origin. Requested `Mcp-Param-*` headers are allowed too. */
export function preflightResponse(
  request: Request,
  origin: string,
  methods: string,
  usesCookies: boolean,
): Response {
  const requested = (request.headers.get('access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',', MAX_REQUESTED)
    .map((name) => name.trim())
    .filter((name) => PARAM_HEADER.test(name))
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin, usesCookies),
      'access-control-allow-methods': methods,
      'access-control-allow-headers': [ALLOWED, ...requested].join(', '),
      'access-control-max-age': '7200',
    },
  })
}
