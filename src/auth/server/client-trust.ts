/** What the consent of a client requires, depending on who vouches for the client. */
import type { Client } from '../clients/clients.ts'
import { describeRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import type { LoginForm } from '../pages/views.ts'

/** Whether the operator has configured the client. All others register themselves or publish a document. */
export function isVetted({ kind }: Client): boolean {
  return kind === 'static'
}

/**
 * Whether the person must tick a box before Allow. Without it, a page that this client opens above its own
 * button could make the second click of a double click approve. Entering a passphrase or an API key is such
 * an act too.
 */
export function needsConfirmation(client: Client, login: LoginForm | undefined): boolean {
  return !isVetted(client) && !asksForSecret(login)
}

function asksForSecret(login: LoginForm | undefined): boolean {
  return login === 'passphrase' || (typeof login === 'object' && 'apiKey' in login)
}

/**
 * Whether a remembered consent may replace the page: only when no other program can be the client.
 *
 * A client without credentials cannot prove that. The one exception has a metadata document on the origin
 * that receives the code: another program would have to control that origin.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-8.6
 */
export function mayRememberConsent(client: Client, redirectUri: ValidatedRedirectUri): boolean {
  if (describeRedirectUri(redirectUri).kind !== 'https') return false
  if (client.authMethod !== 'none') return true
  return client.kind === 'document' && new URL(redirectUri).origin === new URL(client.id).origin
}
