/** Dynamic client registration (RFC 7591) with the redirect URIs of a client. Leaves clients behind. */
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { isObject, parseJson } from '../text.ts'

export interface RegistrationObservation {
  readonly redirectUris: readonly string[]
  readonly reply: HttpReply
  /** Undefined unless the registration succeeded. */
  readonly clientId?: string
  readonly clientSecret?: string
}

export async function probeRegistration(
  http: HttpClient,
  registrationEndpoint: URL,
  clientName: string,
  redirectUris: readonly string[],
): Promise<RegistrationObservation> {
  const reply = await http.send({
    method: 'POST',
    url: registrationEndpoint,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: clientName,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  })
  const value = reply.ok && reply.status < 300 ? parseJson(reply.text) : undefined
  if (!isObject(value) || typeof value.client_id !== 'string') return { redirectUris, reply }
  const { client_id: clientId, client_secret: secret } = value
  return {
    redirectUris,
    reply,
    clientId,
    ...(typeof secret === 'string' ? { clientSecret: secret } : {}),
  }
}
