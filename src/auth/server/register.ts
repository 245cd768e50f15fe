/**
 * `POST /register`: dynamic client registration. The client id is the sealed metadata of the client, so
 * registration stores nothing.
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
