/** Sends requests of 2026-07-28 to the MCP endpoint, as any client does: each request stands alone. */

import type { JsonObject } from '../../../../src/protocol/json.ts'
import { MetaKey } from '../../../../src/protocol/meta.ts'
import { MODERN } from '../../../../src/protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../../../src/protocol/tasks.ts'
import { McpError } from '../../../client/src/mcp-error.ts'
import { encodeHeaderValue, paramHeaders } from '../../../testing/src/header-value.ts'
import { postRequest } from '../../../testing/src/post-channel.ts'
import { renewedToken } from './token-request.ts'
import { forgetTokens, tokens } from './tokens.ts'

export type Params = Readonly<Record<string, unknown>>

export interface Notification {
  readonly method: string
  readonly params: Params
}

export interface RequestOptions {
  /** Of a tool: its arguments that are also sent as headers are found in it. */
  readonly inputSchema?: Params | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNotification?: (notification: Notification) => void
}

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

const CLIENT_INFO = { name: 'edgeway-inspector', title: 'Edgeway inspector', version: '1.0.0' }

const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [TASKS_EXTENSION]: {} },
}

let lastId = 0

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
  { inputSchema, signal, onNotification }: RequestOptions = {},
): Promise<Params> {
  lastId += 1
  const name = params.name ?? params.uri ?? params.taskId
  const { message } = await postRequest(
    send,
    new URL(endpoint, location.origin).href,
    {
      id: lastId,
      method,
      params: {
        ...params,
        _meta: {
          ...(onNotification && { progressToken: lastId }),
          [MetaKey.protocolVersion]: MODERN.id,
          [MetaKey.clientInfo]: CLIENT_INFO,
          [MetaKey.clientCapabilities]: CAPABILITIES,
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
