/** The token endpoint: the exchange of a code, and two refreshes at once. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { type TokenClient, tokenRequest } from '../../../../client/src/sign-in.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'

export interface TokenObservation {
  readonly reply: HttpReply
  /** The object in a successful response. */
  readonly value?: Members
}

export interface RefreshObservation {
  readonly both: readonly [TokenObservation, TokenObservation]
  /** A refresh with the newest token after both. */
  readonly after?: TokenObservation
}

export async function requestToken(
  http: HttpClient,
  client: TokenClient,
  grant: Readonly<Record<string, string>>,
): Promise<TokenObservation> {
  const reply = await http.send(tokenRequest(client, grant))
  const value = reply.ok && reply.status < 300 ? parseJson(reply.text) : undefined
  return isJsonObject(value) ? { reply, value } : { reply }
}

export async function probeRefresh(
  http: HttpClient,
  client: TokenClient,
  refreshToken: string,
): Promise<RefreshObservation> {
  const refresh = (token: string) =>
    requestToken(http, client, { grant_type: 'refresh_token', refresh_token: token })
  const both = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
  const issued = both.find(({ value }) => typeof value?.access_token === 'string')?.value
  if (issued === undefined) return { both }
  // Without rotation, the token stays the same.
  const next = typeof issued.refresh_token === 'string' ? issued.refresh_token : refreshToken
  return { both, after: await refresh(next) }
}
