/** Step: the token endpoint issues a token that lasts, and refreshes it. */
import { OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { tokenFacts } from '../../../../faults/src/checks/documents.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { answered, type Detected, detected, failedChecks, type Step } from '../detected.ts'
import type { HttpReply } from '../http/http-client.ts'
import type { RefreshObservation, TokenObservation } from '../probes/token.ts'
import { firstIssue } from '../schema.ts'

export const token: Step = {
  title: 'gets a token',
  check: ({ signIn, refresh }) => [
    ...(signIn?.own?.token === undefined ? [] : tokenFaults(signIn.own.token)),
    ...(refresh === undefined ? [] : refreshFaults(refresh)),
    // An endpoint that refuses every refresh says nothing about the client.
    ...(refresh?.after?.value === undefined ? [] : unknownClientFaults(signIn?.unknownAtToken)),
  ],
}

const EXCHANGE = 'The exchange of the code'

function tokenFaults({ reply, value }: TokenObservation): Detected[] {
  const invalid = (text: string) => [detected('token-response-invalid', text)]
  if (reply.ok && reply.status >= 500) return [answered('server-error', EXCHANGE, reply)]
  if (!reply.ok || reply.status >= 300) return [answered('token-request-refused', EXCHANGE, reply)]
  const type = reply.headers['content-type']
  // The text may have a token, so it is not shown.
  if (value === undefined) return invalid(`The body is no JSON object, its type ${quoted(type)}`)
  // Some servers answer errors with status 200.
  if (typeof value.error === 'string' && value.access_token === undefined) {
    return [answered('token-request-refused', EXCHANGE, reply)]
  }
  if (reply.status !== 200) return invalid(`It has status ${reply.status}, and not 200`)
  const { expires_in: _, ...rest } = value
  const issue = firstIssue(OAuthTokensSchema, rest)
  if (issue !== undefined) return invalid(issue)
  const faults = failedChecks(
    { issued: { isDocument: true, type, ...tokenFacts(value) } },
    'token-response-invalid',
    'token-without-expiry',
    'token-expiry-invalid',
    'token-without-refresh',
    'token-short-lived',
  )
  return faults.slice(0, 1)
}

/** A limit or an error of the server says nothing about the client. */
function unknownClientFaults(reply: HttpReply | undefined): Detected[] {
  if (reply?.ok !== true || reply.status >= 500 || reply.status === 429) return []
  const value = parseJson(reply.text)
  if (isJsonObject(value) && value.error === 'invalid_client') return []
  // The text may have a token, so it is not shown.
  const error = isJsonObject(value) && typeof value.error === 'string' ? value.error : undefined
  const text = `A refresh of an unknown client is answered with status ${reply.status} and error ${quoted(error)}`
  return [detected('invalid-client-missing', text)]
}

function refreshFaults({ both, after }: RefreshObservation): Detected[] {
  const failed = both.filter(({ value }) => value === undefined)
  const [first] = failed
  if (first !== undefined && failed.length === both.length) {
    return [answered('refresh-refused', 'A refresh', first.reply)]
  }
  if (first !== undefined) {
    return [answered('refresh-not-concurrent', 'Of two refreshes at once, one', first.reply)]
  }
  if (after === undefined || after.value !== undefined) return []
  const sent = 'After two refreshes at once, the next one'
  return [answered('refresh-not-concurrent', sent, after.reply)]
}
