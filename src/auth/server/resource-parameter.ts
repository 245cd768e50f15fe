/**
 * Which resource a token is for.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
import { OAuthError } from '../oauth-error.ts'
import { comparable } from '../resource/resources.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/**
 * The resource that a client names, under its present address; the first one for a client that names
 * none. Neither a trailing slash, which people paste and clients add, nor the case of scheme and host
 * makes a difference.
 *
 * @throws {OAuthError} `invalid_target`
 */
export function resolveResource(
  { resources, aliases, issuer }: Pick<AuthorizationServer, 'resources' | 'aliases' | 'issuer'>,
  named: string | undefined,
): string {
  const [first = issuer] = resources
  if (named === undefined) return first
  const wanted = comparable(named)
  const known = resources.find((resource) => comparable(resource) === wanted)
  // Some clients name the origin, whatever the address is that they were given.
  const resolved =
    known ?? aliases.get(wanted) ?? (wanted === comparable(issuer) ? first : undefined)
  if (resolved === undefined) {
    throw new OAuthError('invalid_target', 'resource is not one that is served here')
  }
  return resolved
}
