/** Dynamic client registration (RFC 7591) with the redirect URIs of a client. Leaves clients behind. */
import { postRequest } from '../../../src/client/client-http.ts'
import { registrationOf } from '../../../src/client/sign-in.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { isObject, parseJson } from '../text.ts'

export interface RegistrationObservation {
  readonly redirectUris: readonly string[]
  readonly reply: HttpReply
  /** Undefined unless the registration succeeded. */
  readonly clientId?: string
  readonly clientSecret?: string | undefined
}

/** @param others members that not every client sends. Default: none */
export async function probeRegistration(
  http: HttpClient,
  registrationEndpoint: URL,
  clientName: string,
  redirectUris: readonly string[],
  others: object = {},
): Promise<RegistrationObservation> {
  const body = { ...registrationOf(clientName, redirectUris), ...others }
  const reply = await http.send(postRequest(registrationEndpoint, body))
  const value = reply.ok && reply.status < 300 ? parseJson(reply.text) : undefined
  if (!isObject(value) || typeof value.client_id !== 'string') return { redirectUris, reply }
  const { client_id: clientId, client_secret: secret } = value
  const clientSecret = typeof secret === 'string' ? secret : undefined
  return { redirectUris, reply, clientId, clientSecret }
}
