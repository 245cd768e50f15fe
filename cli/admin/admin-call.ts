/** One call of the admin API of a deployed server. */
import { parseChallenge } from '../../src/client/challenge.ts'
import type { AdminOperation } from '../../src/protocol/admin-operations.ts'
import { createHttpClient } from '../doctor/http/http-client.ts'
import { isDeeperThan, isObject, parseJson } from '../doctor/text.ts'

/** The server has refused the call, or its answer is none of an admin API. */
export class AdminCallError extends Error {}

/** A refusal that a sign-in may help against. */
export class NotAuthorizedError extends AdminCallError {
  /** The parameters of the server's challenge. */
  readonly challenge: Readonly<Record<string, string>>

  constructor(message: string, challenge: Readonly<Record<string, string>>) {
    super(message)
    this.challenge = challenge
  }
}

/** No answer has arrived. */
export class NotReachedError extends Error {}

export interface AdminCall {
  readonly url: URL
  readonly token: string | undefined
  readonly operation: AdminOperation
  readonly params: Readonly<Record<string, string | boolean>>
}

export const USER_AGENT = 'edgeway-admin'

/** A deletion of a person with many tasks calls an object for each. */
const TIMEOUT_MS = 120_000

/** Results nest few levels. Their text is made with a function that calls itself. */
const MAX_DEPTH = 100

/**
 * Sends the token to exactly the URL: no redirect is followed.
 *
 * @throws {AdminCallError} for a refusal, and for an answer that is none of an admin API
 * @throws {NotReachedError} when no complete answer has arrived
 */
export async function callAdmin({ url, token, operation, params }: AdminCall): Promise<unknown> {
  const http = createHttpClient({ timeoutMs: TIMEOUT_MS, given: url, userAgent: USER_AGENT })
  const reply = await http.send({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ operation, ...params }),
  })
  if (!reply.ok) throw new NotReachedError(reply.failure.detail)
  const { status, headers } = reply
  // A page of a proxy is no object. Its status says more.
  const value = reply.end === 'complete' ? parseJson(reply.text) : undefined
  const body = isObject(value) ? value : {}
  if (status >= 200 && status < 300 && 'result' in body) {
    if (!isDeeperThan(body.result, MAX_DEPTH)) return body.result
    throw new AdminCallError(`The answer nests more than ${MAX_DEPTH} levels`)
  }
  if (reply.end !== 'complete')
    throw new NotReachedError(`The answer is not complete: ${reply.end}`)
  const message = messageOf(body) ?? `The server answered ${status}`
  const challenge = headers['www-authenticate']
  if (status === 401 || challenge !== undefined) {
    throw new NotAuthorizedError(message, parseChallenge(challenge ?? '') ?? {})
  }
  if (status === 404) {
    throw new AdminCallError(
      'There is no admin API at this URL. Pass admin({ … }) to the features of createEdgeway',
    )
  }
  throw new AdminCallError(message)
}

function messageOf({ error, message }: Readonly<Record<string, unknown>>): string | undefined {
  const text = (isObject(error) ? error.message : undefined) ?? message
  return typeof text === 'string' ? text : undefined
}
