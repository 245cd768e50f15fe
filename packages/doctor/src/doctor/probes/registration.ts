/** Dynamic client registration (RFC 7591) with the redirect URIs of a client. Leaves clients behind. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { postRequest } from '../../../../client/src/client-http.ts'
import {
  type RegisteredClient,
  registeredClient,
  registrationOf,
} from '../../../../client/src/sign-in.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'

export interface RegistrationObservation {
  readonly redirectUris: readonly string[]
  readonly reply: HttpReply
  /** Undefined unless the registration succeeded. */
  readonly client?: RegisteredClient | undefined
}

export interface RegistrationServer {
  readonly endpoint: URL
  /** Its `token_endpoint_auth_methods_supported`. */
  readonly authMethods: unknown
}

/** @param others members that not every client sends. Default: none */
export async function probeRegistration(
  http: HttpClient,
  { endpoint, authMethods }: RegistrationServer,
  clientName: string,
  redirectUris: readonly string[],
  others: object = {},
): Promise<RegistrationObservation> {
  const body = { ...registrationOf(clientName, redirectUris), ...others }
  const reply = await http.send(postRequest(endpoint, body))
  const value = reply.ok && reply.status < 300 ? parseJson(reply.text) : undefined
  const client = isJsonObject(value) ? registeredClient(value, authMethods) : undefined
  return { redirectUris, reply, client }
}
