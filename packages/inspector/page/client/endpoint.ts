/** Sends requests to the MCP endpoint as the played client does: of 2026-07-28, or in a session. */

import type { JsonObject } from '../../../../src/protocol/json.ts'
import { MetaKey } from '../../../../src/protocol/meta.ts'
import { MODERN } from '../../../../src/protocol/revisions.ts'
import { McpError } from '../../../client/src/mcp-error.ts'
import { encodeHeaderValue, paramHeaders } from '../../../testing/src/header-value.ts'
import { postRequest } from '../../../testing/src/post-channel.ts'
import { isModern, playedClient } from './played-client.ts'
import type { Notification, Params, RequestOptions } from './request.ts'
import { initialize, listenInSession, requestInSession } from './session.ts'
import { renewedToken } from './token-request.ts'
import { forgetTokens, tokens } from './tokens.ts'

export type { Notification, Params, RequestOptions }

/** The endpoint requires a token, or one with further scopes. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired'
  /** The `WWW-Authenticate` header. */
  readonly challenge: string

  constructor(challenge: string) {
    super('Sign in to send this request')
    this.challenge = challenge
  }
}

let lastId = 0

const urlOf = (endpoint: string) => new URL(endpoint, location.origin).href

/**
 * What the server says about itself: the result of `server/discover`, or of the `initialize` of a new session.
 *
 * @throws as {@link sendRequest}
 */
export function introduce(endpoint: string): Promise<Params> {
  if (isModern(playedClient())) return sendRequest(endpoint, 'server/discover', {})
  return initialize(send, urlOf(endpoint))
}

/** Listens to changes until the signal is aborted, or the stream ends. @param notifications the filter of 2026-07-28 */
export async function listen(
  endpoint: string,
  notifications: Params,
  signal: AbortSignal,
  onNotification: (notification: Notification) => void,
): Promise<void> {
  if (isModern(playedClient())) {
    const options = { signal, onNotification }
    await sendRequest(endpoint, 'subscriptions/listen', { notifications }, options)
    return
  }
  const end = await listenInSession(send, urlOf(endpoint), ({ method = '', params = {} }) =>
    onNotification({ method, params }),
  )
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  end()
}

/**
 * Sends one request and returns its result.
 *
 * @throws {SignInRequired}
 * @throws {McpError} when the server refuses the request
 */
export async function sendRequest(
  endpoint: string,
  method: string,
  params: Params,
  options: RequestOptions = {},
): Promise<Params> {
  const client = playedClient()
  if (!isModern(client)) return requestInSession(send, urlOf(endpoint), [method, params], options)
  const { inputSchema, signal, onNotification } = options
  lastId += 1
  const name = params.name ?? params.uri ?? params.taskId
  const { message } = await postRequest(
    send,
    urlOf(endpoint),
    {
      id: lastId,
      method,
      params: {
        ...params,
        _meta: {
          ...(onNotification && { progressToken: lastId }),
          [MetaKey.protocolVersion]: MODERN.id,
          [MetaKey.clientInfo]: client.clientInfo,
          [MetaKey.clientCapabilities]: client.capabilities,
          ...(onNotification && { [MetaKey.logLevel]: 'debug' }),
        },
      },
    },
    {
      signal,
      onMessage: (notification) =>
        onNotification?.({
          method: String(notification.method),
          params: (notification.params ?? {}) as Params,
        }),
      headers: {
        'mcp-protocol-version': MODERN.id,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
        // The schema was read from JSON.
        ...(inputSchema && paramHeaders(inputSchema as JsonObject, params.arguments)),
      },
    },
  )
  return message.result as Params
}

/** Sends a request with the token of the page. One that is refused is renewed, if it can be. */
async function send(request: Request): Promise<Response> {
  const token = tokens.value?.accessToken
  const response = await sendWith(token, request.clone())
  if (response.status !== 401 || token === undefined) return checked(response)
  const renewed = await renewedToken(token)
  return checked(renewed === undefined ? response : await sendWith(renewed, request))
}

function sendWith(token: string | undefined, request: Request): Promise<Response> {
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
  return fetch(request, { credentials: 'omit' })
}

/** @throws {SignInRequired} */
function checked(response: Response): Response {
  const { status, headers } = response
  const challenge = headers.get('www-authenticate')
  const isScopeMissing = status === 403 && challenge?.includes('insufficient_scope')
  if (status !== 401 && !isScopeMissing) return response
  // The next sign-in begins anew.
  if (status === 401) forgetTokens()
  throw new SignInRequired(challenge ?? '')
}

/** What a failed request says to the person. */
export function reasonOf(error: unknown): string {
  if (error instanceof McpError) return error.message
  if (error instanceof TypeError) return 'The server does not answer. Check that it is running.'
  return error instanceof Error ? error.message : String(error)
}
