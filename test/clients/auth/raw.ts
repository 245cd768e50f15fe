/** Requests without an official client. */
import type { Received } from '../../scenarios/client.ts'
import type { MemoryProvider } from './memory-provider.ts'

export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Received
}

export interface RawMessage {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method: string
  readonly params?: object
  /** Default 1; undefined in a notification. */
  readonly id?: number | undefined
}

/** The part of a provider that knows its client id. */
export type Registered = Pick<MemoryProvider, 'clientInformation'>

/** POSTs one message of a session revision to an endpoint. */
export async function sendMessage(
  url: string,
  { token, headers, method, params, ...rest }: RawMessage,
): Promise<RawResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...rest, method, params }),
  })
  return readResponse(response)
}

/** POSTs a form to an endpoint of the authorization server. */
export async function sendForm(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<RawResponse> {
  return readResponse(
    await fetch(url, { method: 'POST', body: new URLSearchParams({ ...fields }) }),
  )
}

/** Refreshes as the public client that the token was issued to. */
export function refresh(
  origin: string,
  provider: Registered,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  return sendForm(`${origin}/token`, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: String(provider.clientInformation()?.client_id),
    ...more,
  })
}

export async function readResponse(response: Response): Promise<RawResponse> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  return { status, headers, body: isJson ? JSON.parse(text) : text }
}
