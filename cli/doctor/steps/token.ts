/** Step: the token endpoint issues a token that lasts, and refreshes it. */
import { OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { isHeaderToken } from '../../../src/client/sign-in.ts'
import { type Detected, describeReply, detected, type Step } from '../detected.ts'
import type { HttpReply } from '../http/http-client.ts'
import type { RefreshObservation, TokenObservation } from '../probes/token.ts'
import { firstIssue } from '../schema.ts'
import { isObject, parseJson, quoted } from '../text.ts'

const DAY_SECONDS = 86_400

export const token: Step = {
  title: 'gets a token',
  check: ({ signIn, refresh }) => [
    ...(signIn?.own?.token === undefined ? [] : tokenFaults(signIn.own.token)),
    ...(refresh === undefined ? [] : refreshFaults(refresh)),
    // An endpoint that refuses every refresh says nothing about the client.
    ...(refresh?.after?.value === undefined ? [] : unknownClientFaults(signIn?.unknownAtToken)),
  ],
}

function tokenFaults({ reply, value }: TokenObservation): Detected[] {
  const answer = `The exchange of the code is answered with ${describeReply(reply)}`
  if (reply.ok && reply.status >= 500) return [detected('server-error', answer)]
  if (!reply.ok || reply.status >= 300) return [detected('token-request-refused', answer)]
  if (value === undefined) {
    // The text may have a token, so it is not shown.
    const type = quoted(reply.headers['content-type'])
    return [detected('token-response-invalid', `The body is no JSON object, its type ${type}`)]
  }
  // Some servers answer errors with status 200.
  if (typeof value.error === 'string' && value.access_token === undefined) {
    return [detected('token-request-refused', answer)]
  }
  if (reply.status !== 200) {
    return [detected('token-response-invalid', `It has status ${reply.status}, and not 200`)]
  }
  const { expires_in: expiresIn, ...rest } = value
  const invalid = firstIssue(OAuthTokensSchema, rest)
  if (invalid !== undefined) return [detected('token-response-invalid', invalid)]
  if (!isHeaderToken(value.access_token)) {
    return [
      detected('token-response-invalid', 'access_token has characters that no header can have'),
    ]
  }
  if (String(value.token_type).toLowerCase() !== 'bearer') {
    return [detected('token-response-invalid', `token_type is ${quoted(value.token_type)}`)]
  }
  if (expiresIn === undefined) {
    return [detected('token-without-expiry', 'The token response has no expires_in')]
  }
  if (typeof expiresIn !== 'number' || !(expiresIn > 0)) {
    return [detected('token-expiry-invalid', `expires_in is ${quoted(expiresIn)}`)]
  }
  if (typeof value.refresh_token !== 'string') {
    const text = `expires_in is ${expiresIn}, and there is no refresh_token`
    return [detected('token-without-refresh', text)]
  }
  if (expiresIn >= DAY_SECONDS) return []
  return [detected('token-short-lived', `expires_in is ${expiresIn} seconds`)]
}

/** A limit or an error of the server says nothing about the client. */
function unknownClientFaults(reply: HttpReply | undefined): Detected[] {
  if (reply?.ok !== true || reply.status >= 500 || reply.status === 429) return []
  const value = parseJson(reply.text)
  if (isObject(value) && value.error === 'invalid_client') return []
  // The text may have a token, so it is not shown.
  const error = isObject(value) && typeof value.error === 'string' ? value.error : undefined
  const text = `A refresh of an unknown client is answered with status ${reply.status} and error ${quoted(error)}`
  return [detected('invalid-client-missing', text)]
}

function refreshFaults({ both, after }: RefreshObservation): Detected[] {
  const failed = both.filter(({ value }) => value === undefined)
  const [first] = failed
  if (first !== undefined && failed.length === both.length) {
    return [detected('refresh-refused', `A refresh is answered with ${describeReply(first.reply)}`)]
  }
  if (first !== undefined) {
    const text = `Of two refreshes at once, one is answered with ${describeReply(first.reply)}`
    return [detected('refresh-not-concurrent', text)]
  }
  if (after === undefined || after.value !== undefined) return []
  const text = `After two refreshes at once, the next one is answered with ${describeReply(after.reply)}`
  return [detected('refresh-not-concurrent', text)]
}
