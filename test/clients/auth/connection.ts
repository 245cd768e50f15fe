/** The official clients with an app's provider, connected or redirected step by step. */

import { auth as authorizeV2 } from '@modelcontextprotocol/client'
import { auth as authorizeV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { AdaptedClient, ConnectOptions } from '../../scenarios/client.ts'
import { createV1, createV1OverSse, type V1 } from '../../scenarios/v1-client.ts'
import { createModern, createV2, type V2 } from '../../scenarios/v2-client.ts'
import type { MemoryProvider } from './memory-provider.ts'

export interface ConnectionOptions {
  /** The MCP endpoint. */
  readonly url: string
  readonly provider: MemoryProvider
  readonly fetch: typeof fetch
  /** Continues an existing session. */
  readonly sessionId: string | undefined
}

export interface Connection {
  readonly client: AdaptedClient
  /** @throws {Error} `Unauthorized` after a redirect of the person to the authorization server */
  connect(): Promise<void>
  /** Handles the authorization response. */
  finishAuth(callback: URL): Promise<void>
  /** Redirects the person to authorize the given scope. */
  requestScope(scope: string): Promise<void>
}

type Open = (options: ConnectionOptions) => Connection

const OPENERS = {
  v1: ofV1(createV1, ({ url }) => url),
  'v1 over HTTP+SSE': ofV1(createV1OverSse, ({ url }) => new URL('/sse', url).href),
  v2: ofV2(createV2),
  'v2, modern': ofV2(createModern),
  /** Negotiates the newest common revision. */
  'v2, negotiating': ofV2((options, fetch) =>
    createModern(options, fetch, { versionNegotiation: { mode: 'auto' } }),
  ),
}

export type Kind = keyof typeof OPENERS

export function openConnection(kind: Kind, options: ConnectionOptions): Connection {
  return OPENERS[kind](options)
}

type Create<T> = (options: ConnectOptions, fetchWith: typeof fetch) => T

/** @param resourceOf the URL of the resource, which is that of the stream over HTTP+SSE */
function ofV1(create: Create<V1>, resourceOf: (options: ConnectionOptions) => string): Open {
  return (options) => {
    const { url, provider, fetch, sessionId } = options
    const { client, transport, adapted } = create({ url, sessionId, authProvider: provider }, fetch)
    return {
      client: adapted,
      connect: () => client.connect(transport as Transport),
      finishAuth: (callback) => transport.finishAuth(callback.searchParams.get('code') ?? ''),
      requestScope: async (scope) => {
        // With a refresh token, the client would refresh instead of requesting the scope.
        const tokens = provider.tokens()
        provider.setTokens(undefined)
        const target = { serverUrl: resourceOf(options), scope, fetchFn: fetch }
        const result = await authorizeV1(provider, target)
        provider.setTokens(tokens)
        if (result !== 'REDIRECT') throw new Error('There was no redirect')
      },
    }
  }
}

function ofV2(create: Create<V2>): Open {
  return ({ url, provider, fetch, sessionId }) => {
    const { client, transport, adapted } = create({ url, sessionId, authProvider: provider }, fetch)
    return {
      client: adapted,
      connect: () => client.connect(transport),
      // All parameters, because the client checks the issuer first.
      finishAuth: (callback) => transport.finishAuth(callback.searchParams),
      requestScope: async (scope) => {
        const options = { serverUrl: url, scope, fetchFn: fetch, forceReauthorization: true }
        const result = await authorizeV2(provider, options)
        if (result !== 'REDIRECT') throw new Error('There was no redirect')
      },
    }
  }
}
