/**
 * `POST /register`: dynamic client registration. The client id is the sealed metadata of the client, so
 * registration stores nothing.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3
 */
import { appOf, readRegistration } from '../clients/registration.ts'
import { jsonResponse } from '../json-response.ts'
import { limitNetwork } from '../over-limit.ts'
import type { Handle } from './authorization-server.ts'

/** @throws {OAuthError} `invalid_client_metadata`, `invalid_redirect_uri` */
export const handleRegister: Handle = async ({ clients, rateLimits }, request) => {
  const metadata = await readRegistration(request)
  // An app that registers in a loop must not prevent the other apps of its network from registering.
  await limitNetwork(rateLimits, 'register', request, appOf(metadata))
  return jsonResponse(await clients.register(metadata), { status: 201 })
}
