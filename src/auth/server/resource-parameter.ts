/**
 * The `resource` parameter (RFC 8707).
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
import { OAuthError } from '../oauth-error.ts'
import { comparable } from '../resource/resources.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/**
 * Resolves the parameter to the URL of a configured resource. The default is the first one. A trailing
 * slash and the case of scheme and host are ignored, and an alias resolves to its resource.
 *
 * @throws {OAuthError} `invalid_target` when the resource is not configured
 */
export function resolveResource(
  { resources, aliases, issuer }: Pick<AuthorizationServer, 'resources' | 'aliases' | 'issuer'>,
  named: string | undefined,
): string {
  const [first = issuer] = resources
  if (named === undefined) return first
  const wanted = comparable(named)
  const known = resources.find((resource) => comparable(resource) === wanted)
  // Some clients send the origin instead of the URL of the endpoint.
  const resolved =
    known ?? aliases.get(wanted) ?? (wanted === comparable(issuer) ? first : undefined)
  if (resolved === undefined) {
    throw new OAuthError('invalid_target', 'resource is not served here')
  }
  return resolved
}
