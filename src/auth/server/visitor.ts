/** The person whose browser is signed in, as a caller: with what the app that it used last may do. */
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { signedIn } from './signed-in.ts'

/**
 * Undefined for a browser that is not signed in, and for a person without an app at the resource. Without
 * props: their key is in the tokens of the app.
 */
export async function visitor(
  server: AuthorizationServer,
  request: Request,
  resource: string,
): Promise<AuthInfo | undefined> {
  const person = await signedIn(server, request)
  if (person === undefined) return undefined
  const { subject } = person
  const grants = await server.accounts.of(subject).listGrants()
  const [latest] = grants
    .filter((grant) => grant.resource === resource)
    .sort((one, other) => other.lastUsedAt - one.lastUsedAt)
  return (
    latest && {
      subject,
      clientId: latest.client.id,
      scopes: server.scopes.expand(latest.scopes),
      issuer: server.issuer,
      resource,
    }
  )
}
