/** The scopes of a grant that its person may have now. */
import { limitScopes } from '../../people/admission.ts'
import type { PersonAttributes } from '../../people/attributes.ts'
import type { AuthorizationServer } from '../authorization-server.ts'
import { refuseGrant } from './refuse-grant.ts'

interface PersonalGrant {
  readonly subject: string
  readonly scopes: readonly string[]
  readonly attributes: PersonAttributes | undefined
}

/**
 * The grant is not changed: the person may get the scopes again.
 *
 * @throws {OAuthError} `invalid_grant` when the person may not come in any more, or has no scope of the grant
 * @throws {AdmissionError} when it cannot be determined now
 */
export async function presentScopes(
  server: AuthorizationServer,
  { subject, scopes, attributes }: PersonalGrant,
): Promise<readonly string[]> {
  const { admission } = server
  if (admission === undefined) return scopes
  const access = await admission.accessOf(subject, attributes)
  const present = access && limitScopes(scopes, access, server.scopes)
  if (present !== undefined && (present.length > 0 || scopes.length === 0)) return present
  throw refuseGrant(server, { refused: 'invalid_grant', reason: 'person-not-allowed' })
}
