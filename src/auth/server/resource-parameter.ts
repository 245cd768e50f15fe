/**
 * Which resource a token is for.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/**
 * The resource that a client names, under its present address; the first one for a client that names
 * none. A trailing slash makes no difference: people paste it, and clients add it.
 *
 * @throws {OAuthError} `invalid_target`
 */
export function resolveResource(
  { resources, aliases, issuer }: Pick<AuthorizationServer, 'resources' | 'aliases' | 'issuer'>,
  named: string | undefined,
): string {
  const [first = issuer] = resources
  if (named === undefined) return first
  const wanted = withoutSlash(named)
  const known = resources.find((resource) => withoutSlash(resource) === wanted)
  // Some clients name the origin, whatever the address is that they were given.
  const resolved = known ?? aliases.get(wanted) ?? (wanted === issuer ? first : undefined)
  if (resolved === undefined) {
    throw new OAuthError('invalid_target', 'resource is not one that is served here')
  }
  return resolved
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}
