/** Where clients look for metadata, in their order. */

/**
 * The metadata of a protected resource: the URL of the challenge, the one with the path, the one of the host.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function resourceLocations(endpoint: URL, challenged: string | undefined): readonly URL[] {
  const root = new URL('/.well-known/oauth-protected-resource', endpoint)
  const path = endpoint.pathname.replace(/\/$/, '')
  return distinct([
    ...(challenged !== undefined && URL.canParse(challenged) ? [new URL(challenged)] : []),
    new URL(`${root.pathname}${path}`, endpoint),
    root,
  ])
}

/**
 * The metadata of an authorization server.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function serverLocations(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const oauth = '/.well-known/oauth-authorization-server'
  const oidc = '/.well-known/openid-configuration'
  return distinct([
    new URL(`${oauth}${path}`, issuer),
    new URL(`${oidc}${path}`, issuer),
    new URL(`${path}${oidc}`, issuer),
  ])
}

function distinct(urls: readonly URL[]): readonly URL[] {
  return [...new Map(urls.map((url) => [url.href, url])).values()]
}
