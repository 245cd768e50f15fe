/**
 * `POST /register`: a client introduces itself, and its id is what it said, sealed. Nothing is kept,
 * so nothing fills up, and registering twice at once does no harm.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3
 */
import { readRegistration } from '../clients/registration.ts'
import { jsonResponse } from '../json-response.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/** @throws {OAuthError} `invalid_client_metadata`, `invalid_redirect_uri` */
export async function handleRegister(
  { clients }: AuthorizationServer,
  request: Request,
): Promise<Response> {
  return jsonResponse(await clients.register(await readRegistration(request)), { status: 201 })
}
