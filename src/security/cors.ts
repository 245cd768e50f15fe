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

/**
 * The name of a field in lower case (RFC 9110 §5.6.2), except `*`: as a header that is allowed, it stands
 * for all of them.
 */
const FIELD_NAME = /^(?!\*$)[!#$%&'*+\-.^_`|~0-9a-z]{1,128}$/
/** Maximum number of requested headers that are read. */
const MAX_REQUESTED = 100

/** The headers that the credentials of a server are in. */
export interface CredentialSource {
  readonly usesCookies: boolean
  readonly credentialHeader: string | undefined
}

/**
 * Answers a preflight of an allowed origin. Every requested header is allowed, such as those of a tracer or
 * of an inspector's user, because the page has no authority other than what it sends. Where the browser adds
 * cookies, it has, so only the headers of the protocol and that of the credentials are allowed.
 */
export function preflightResponse(
  request: Request,
  origin: string,
  methods: string,
  { usesCookies, credentialHeader }: CredentialSource,
): Response {
  const requested = (request.headers.get('access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',', MAX_REQUESTED)
    .map((name) => name.trim())
    .filter((name) => FIELD_NAME.test(name) && (!usesCookies || name.startsWith('mcp-param-')))
  const allowed = [...ALLOWED.split(', '), ...[credentialHeader ?? []].flat(), ...requested]
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin, usesCookies),
      'access-control-allow-methods': methods,
      'access-control-allow-headers': [...new Set(allowed)].join(', '),
      'access-control-max-age': '7200',
    },
  })
}
