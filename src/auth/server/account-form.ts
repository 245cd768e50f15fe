/** Reads the forms of `/account` that name one of its entries: an app or a token. */
import { invalidRequest } from '../oauth-error.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { readBrowserForm } from './browser-form.ts'
import { seeOther } from './redirect.ts'
import { type SignedIn, signedIn } from './signed-in.ts'

/**
 * Returns the signed-in person and the entry; the redirect to the page for a browser that is not signed in.
 *
 * @param field the field with the id of the entry
 * @throws {OAuthError} what `readBrowserForm` throws, and `invalid_request` for a form without the field
 */
export async function readAccountForm(
  server: AuthorizationServer,
  request: Request,
  field: 'grant' | 'token',
): Promise<{ readonly person: SignedIn; readonly id: string } | Response> {
  const { form } = await readBrowserForm(request, server.issuer)
  const person = await signedIn(server, request)
  if (person === undefined) return seeOther(ENDPOINT.account)
  const id = form.get(field)
  if (id === undefined) throw invalidRequest(`The form has no field ${field}`)
  return { person, id }
}
