/** One call of the admin API of a deployed server. */

import { invalid, type Result, valid } from '../../../../src/platform/result.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { parseChallenge } from '../../../client/src/challenge.ts'
import { createHttpClient } from '../../../doctor/src/doctor/http/http-client.ts'
import type { AdminOperation } from '../../../inspector/src/admin/admin-operations.ts'
import { isDeeperThan, parseJson } from '../../../text/src/json/json-text.ts'
import type { Members } from '../../../text/src/json/members.ts'

/**
 * Why an operation has no result.
 *
 * - `refused`: the server has refused it, or its answer is none of an admin API.
 * - `not-authorized`: a refusal that a sign-in may help against.
 * - `not-reached`: no complete answer has arrived.
 */
export interface AdminFailure {
  readonly kind: 'refused' | 'not-authorized' | 'not-reached'
  readonly message: string
  /** The parameters of the server's challenge. */
  readonly challenge: Readonly<Record<string, string>>
}

export function failure(
  kind: AdminFailure['kind'],
  message: string,
  challenge: AdminFailure['challenge'] = {},
): Result<never, AdminFailure> {
  return invalid({ kind, message, challenge })
}

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

/** Sends the token to exactly the URL: no redirect is followed. */
export async function callAdmin(call: AdminCall): Promise<Result<unknown, AdminFailure>> {
  const { url, token, operation, params } = call
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
  if (!reply.ok) return failure('not-reached', reply.failure.detail)
  const { status, headers } = reply
  // A page of a proxy is no object. Its status says more.
  const value = reply.end === 'complete' ? parseJson(reply.text) : undefined
  const body = isJsonObject(value) ? value : {}
  if (status >= 200 && status < 300 && 'result' in body) {
    if (!isDeeperThan(body.result, MAX_DEPTH)) return valid(body.result)
    return failure('refused', `The answer nests more than ${MAX_DEPTH} levels`)
  }
  if (reply.end !== 'complete') {
    return failure('not-reached', `The answer is not complete: ${reply.end}`)
  }
  const message = messageOf(body) ?? `The server answered ${status}`
  const challenge = headers['www-authenticate']
  if (status === 401 || challenge !== undefined) {
    return failure('not-authorized', message, parseChallenge(challenge ?? ''))
  }
  if (status === 404) {
    return failure(
      'refused',
      'There is no admin API at this URL. Pass admin({ … }) to the features of createEdgeway',
    )
  }
  return failure('refused', message)
}

function messageOf({ error, message }: Members): string | undefined {
  const text = (isJsonObject(error) ? error.message : undefined) ?? message
  return typeof text === 'string' ? text : undefined
}
