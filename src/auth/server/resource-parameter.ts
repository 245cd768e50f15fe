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
 * @throws {OAuthError} `invalid_target` when the resource is not configured, and when none is named and
 *   there is no default
 */
export function resolveResource(
  server: Pick<AuthorizationServer, 'defaultResource' | 'findResource' | 'issuer'>,
  named: string | undefined,
): string {
  const { defaultResource, findResource, issuer } = server
  // Some clients send the origin instead of the URL of the endpoint.
  const isDefault = named === undefined || comparable(named) === comparable(issuer)
  const resolved = isDefault ? defaultResource : findResource(named)?.resource
  if (resolved === undefined) {
    throw new OAuthError(
      'invalid_target',
      named === undefined ? 'resource is required here' : 'resource is not served here',
    )
  }
  return resolved
}
