/**
 * What the consent of a client requires, depending on who vouches for the client.
 *
 * Any program that knows the id of a public client can send its request (RFC 8252 §8.6). So a consent is remembered for
 * a client with credentials and an https redirect URI, or for a client document with redirect URIs of its own origin.
 * The ticked box stops a click that another page has placed under the pointer.
 */
import type { Client } from '../clients/clients.ts'
import { describeRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { OAuthError } from '../oauth-error.ts'
import type { LoginForm } from '../pages/views.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/** What a client asks to be connected to, and where the code goes. */
interface Connection {
  readonly redirectUri: ValidatedRedirectUri
  readonly resource: string
}

/** Whether the operator has configured the client. All others register themselves or publish a document. */
export function isVetted({ kind }: Client): boolean {
  return kind === 'static'
}

/**
 * Whether the person must tick a box before Allow. Without it, a page that this client opens above its own
 * button could make the second click of a double click approve. Entering a passphrase or an API key is such
 * an act too.
 */
export function needsConfirmation(
  server: AuthorizationServer,
  client: Client,
  resource: string,
  login: LoginForm | undefined,
): boolean {
  return (!isVetted(client) || server.administers(resource)) && !asksForSecret(login)
}

/**
 * Requires that the client may be connected to the resource. Access to one that administers the server goes to
 * configured clients and to programs on the computer of the person, so that the sender of a link receives no code.
 *
 * @throws {OAuthError} `unauthorized_client`
 */
export function checkMayConnect(
  server: AuthorizationServer,
  client: Client,
  { redirectUri, resource }: Connection,
): void {
  if (!server.administers(resource) || isVetted(client)) return
  if (describeRedirectUri(redirectUri).kind === 'loopback') return
  throw new OAuthError(
    'unauthorized_client',
    'This resource administers the server: only programs on this computer and configured clients can connect to it',
  )
}

function asksForSecret(login: LoginForm | undefined): boolean {
  return login === 'passphrase' || (typeof login === 'object' && 'apiKey' in login)
}

/**
 * Whether a remembered consent may replace the page: only when no other program can be the client, and never
 * for a resource that administers the server.
 *
 * A client without credentials cannot prove that. The one exception has a metadata document on the origin
 * that receives the code: another program would have to control that origin.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-8.6
 */
export function mayRememberConsent(
  server: AuthorizationServer,
  client: Client,
  { redirectUri, resource }: Connection,
): boolean {
  if (server.administers(resource)) return false
  if (describeRedirectUri(redirectUri).kind !== 'https') return false
  if (client.authMethod !== 'none') return true
  return client.kind === 'document' && new URL(redirectUri).origin === new URL(client.id).origin
}
