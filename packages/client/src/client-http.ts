/** The HTTP requests of a client of authorization. */
import { tryParseJson } from '../../../src/platform/try-parse.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { signInError } from './mcp-error.ts'

export interface ClientRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ClientAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Sends one request, follows no redirect, and reads the answer. Which hosts it may reach and how much it reads is
 * decided by the program.
 *
 * @throws {McpError} for a host that it may not reach, or that does not answer
 */
export type SendRequest = (request: ClientRequest) => Promise<ClientAnswer>

export type Members = Readonly<Record<string, unknown>>

/** Undefined for a text that is no JSON object. */
export function parseMembers(text: string): Members | undefined {
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}

/** A request to an endpoint of authorization. */
export function postRequest(url: URL, body: URLSearchParams | object): ClientRequest {
  const isForm = body instanceof URLSearchParams
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      accept: 'application/json',
    },
    body: isForm ? body.toString() : JSON.stringify(body),
  }
}

/**
 * Sends a request to an endpoint of authorization.
 *
 * @param step names the endpoint in the error
 * @throws {McpError} when the server refuses the request
 */
export async function post(
  send: SendRequest,
  step: string,
  request: ClientRequest,
): Promise<Members> {
  const { status, text } = await send(request)
  const members = parseMembers(text)
  if (status < 300 && members !== undefined) return members
  const reason = members?.error_description ?? members?.error ?? status
  throw signInError(`The ${step} endpoint refused: ${String(reason)}`, { status })
}
