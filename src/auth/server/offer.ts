/** What a signed-in person can grant, and the refusal of a person who may not come in. */
import type { Person } from '../login/login.ts'
import { limitScopes, type PersonAccess } from '../people/admission.ts'
import { type PersonAttributes, readAttributes } from '../people/attributes.ts'
import type { AuthorizationServer, PageServer } from './authorization-server.ts'
import { refuseGrant } from './grants/refuse-grant.ts'

/** A person, as far as access depends on it. */
export type Admitted = Pick<Person, 'subject' | 'name'> & PersonAttributes

/** A text for the person. */
export interface Problem {
  readonly problem: string
}

/**
 * Undefined scopes mean all of them.
 *
 * @throws {LoginError} `unavailable` when it cannot be determined now
 * @throws {TypeError} for attributes of another form, which the author's code has returned
 */
export async function admit(server: PageServer, person: Admitted): Promise<PersonAccess | Problem> {
  const { admission } = server
  if (admission === undefined) return { scopes: undefined }
  const access = await admission.accessOf(person.subject, readAttributes(person))
  if (access !== undefined) return access
  return problemOf(server, `${person.name ?? person.subject} may not use this server.`)
}

/** The requested scopes that the person can grant. */
export async function offerTo(
  server: AuthorizationServer,
  person: Admitted,
  requested: readonly string[],
): Promise<{ readonly scopes: readonly string[] } | Problem> {
  const access = await admit(server, person)
  if ('problem' in access) return access
  const scopes = limitScopes(requested, access, server.scopes)
  if (scopes.length > 0 || requested.length === 0) return { scopes }
  const name = person.name ?? person.subject
  return problemOf(server, `${name} has none of the permissions that this app requests.`)
}

/** Reports the refusal, without the name of the person. */
export function problemOf({ report }: PageServer, reason: string): Problem {
  const message = 'A person who may not use the server has signed in'
  report({ type: 'sign-in-refused', reason: 'person-not-allowed', message })
  return { problem: `${reason} ${NEXT}` }
}

const NEXT = 'Sign in with another account, or ask the operator of the server.'

interface PersonalGrant {
  readonly subject: string
  readonly scopes: readonly string[]
  readonly attributes: PersonAttributes | undefined
}

/**
 * The scopes of a grant that its person may have now. The grant is not changed: the person may get the scopes again.
 *
 * @throws {OAuthError} `invalid_grant` when the person may not come in any more, or has no scope of the grant
 * @throws {LoginError} `unavailable` when it cannot be determined now
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
