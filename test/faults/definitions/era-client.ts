/** One client of a principal in one era. It sends any request, and returns the response. */
import { requestOf } from '../../attacks/modern.ts'
import { HttpSession } from '../../support/http-session.ts'
import { readMessage, type WireMessage } from '../../support/sse-reader.ts'
import { HttpSseSession } from '../sessions/http-sse-session.ts'
import { send } from '../sessions/send.ts'

export const ERAS = ['modern', 'without-session', 'session', 'http-sse'] as const

export type Era = (typeof ERAS)[number]

export interface EraClient {
  readonly era: Era
  /** Sends a request that asks for nothing. */
  request(method: string, params?: object): Promise<WireMessage>
  /** Opens what a kill has broken. */
  reconnect(): Promise<void>
}

type Fetch = (request: Request) => Promise<Response>

/** Sends requests with a bearer token, each on a connection of its own. */
export function withToken(token: string): Fetch {
  return (request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    return send(new Request(request, { headers }))
  }
}

/** @param streamUrl of the 2024-11-05 transport */
export async function openEraClient(
  era: Era,
  url: string,
  fetch: Fetch,
  streamUrl: string = new URL('/sse', url).href,
): Promise<EraClient> {
  const reconnect = async () => {}
  switch (era) {
    case 'modern':
      return { era, reconnect, request: (...call) => requestModern(url, fetch, ...call) }
    case 'without-session': {
      const session = new HttpSession({ url, fetch }, '', '2025-06-18')
      return {
        era,
        reconnect,
        request: async (method, params) =>
          readMessage(await session.send(method, params, { headers: { 'mcp-session-id': null } })),
      }
    }
    case 'session': {
      const session = await HttpSession.open({ url, fetch })
      return { era, reconnect, request: (...call) => session.request(...call) }
    }
    case 'http-sse': {
      const session = await HttpSseSession.open(streamUrl, fetch)
      return {
        era,
        reconnect: () => session.reconnect(),
        request: (...call) => session.request(...call),
      }
    }
  }
}

/** @param params with the name of a tool, where the method has one */
export async function requestModern(
  url: string,
  fetch: Fetch,
  method: string,
  params: { readonly name?: string; readonly uri?: string } = {},
): Promise<WireMessage> {
  return readMessage(await fetch(requestOf(url, method, params, params.name ?? params.uri)))
}
